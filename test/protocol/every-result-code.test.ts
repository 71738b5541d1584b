import type { InstanceFailure, MockCloudRecoOptions } from "mock-cloud-reco";
import { expect, it } from "vitest";
import { RESULT_CODES, type ResultCode } from "../../src/schema/result-codes.ts";
import { goodPlan, imagePart, type Plan } from "../../src/verify/query-plan.ts";
import {
  type Backend,
  type DatabaseKeys,
  describeBackends,
  type ServiceUnderTest,
} from "../support/backends.ts";
import type { ClientResponse } from "../support/clients.ts";
import { decoded, sendPlan } from "./query/send.ts";
import { add, addProcessed, newTarget, send, type TargetRequest } from "./target/requests.ts";

/** Prepares a service and sends a request that is answered with the code. */
type Produce = (service: ServiceUnderTest, keys: DatabaseKeys) => Promise<ClientResponse>;

interface Recipe {
  readonly produce: Produce;
  /** Options that the request needs; in process only. */
  readonly options?: Pick<MockCloudRecoOptions, "instanceGenerationFailure" | "processingTimeSeconds">;
}

const request =
  (parts: TargetRequest): Produce =>
  (service, keys) =>
    send(service, keys, parts);
const inState =
  (changes: Parameters<ServiceUnderTest["updateDatabase"]>[1], parts: TargetRequest): Produce =>
  async (service, keys) => {
    await service.updateDatabase(keys, changes);
    return send(service, keys, parts);
  };
const query =
  (change: (plan: Plan) => void, stateName: "WORKING" | "PROJECT_INACTIVE" = "WORKING"): Produce =>
  async (service, keys) => {
    await service.updateDatabase(keys, { stateName });
    const plan = goodPlan(service.clock.now());
    change(plan);
    return sendPlan(service, keys, plan);
  };
const adding = (fields: Record<string, unknown>): Produce =>
  request({ method: "POST", path: "/targets", body: newTarget(fields) });
const instance =
  (body: object, accept: string | null): Produce =>
  async (service) => {
    const keys = await service.addVuMarkDatabase({ targets: [{ name: "label", targetId: "template" }] });
    const headers = { Accept: accept };
    return send(service, keys, { method: "POST", path: "/targets/template/instances", body, headers });
  };
const failing = (instanceGenerationFailure: InstanceFailure): Recipe => ({
  produce: instance({ instance_id: "1" }, "image/png"),
  options: { instanceGenerationFailure },
});

const get = (path: string): TargetRequest => ({ method: "GET", path });

/** One request for each code; the compiler asks for one when a code is added. */
const recipes: Readonly<Record<ResultCode, Produce | Recipe>> = {
  Success: request(get("/targets")),
  TargetCreated: adding({}),
  AuthenticationFailure: request({ ...get("/targets"), headers: { Authorization: null } }),
  RequestTimeTooSkewed: request({ ...get("/targets"), date: "Sat, 21 Nov 2020 10:42:00 GMT" }),
  TargetNameExist: async (service, keys) => {
    await add(service, keys);
    return adding({})(service, keys);
  },
  UnknownTarget: request(get("/targets/unknown")),
  BadImage: adding({ image: "" }),
  ImageTooLarge: adding({
    image: Buffer.concat([
      Buffer.from(String(newTarget().image), "base64"),
      Buffer.alloc(2_359_293),
    ]).toString("base64"),
  }),
  MetadataTooLarge: adding({ application_metadata: Buffer.alloc(1_048_576).toString("base64") }),
  Fail: adding({ width: 0 }),
  TargetStatusProcessing: async (service, keys) =>
    send(service, keys, { method: "DELETE", path: `/targets/${await add(service, keys)}` }),
  TargetStatusNotSuccess: async (service, keys) =>
    send(service, keys, { method: "PUT", path: `/targets/${await add(service, keys)}`, body: {} }),
  RequestQuotaReached: inState({ requestQuota: 0 }, get("/targets")),
  TargetQuotaReached: inState({ targetQuota: 0 }, { method: "POST", path: "/targets", body: newTarget() }),
  ProjectSuspended: inState({ stateName: "PROJECT_SUSPENDED" }, get("/targets")),
  ProjectInactive: inState(
    { stateName: "PROJECT_INACTIVE" },
    { method: "POST", path: "/targets", body: newTarget() },
  ),
  ProjectHasNoApiAccess: inState({ stateName: "PROJECT_HAS_NO_API_ACCESS" }, get("/targets")),
  InactiveProject: query(() => undefined, "PROJECT_INACTIVE"),
  BadRequest: instance({}, "image/png"),
  InvalidInstanceId: instance({ instance_id: "" }, "image/png"),
  InvalidTargetType: async (service, keys) => {
    const path = `/targets/${await addProcessed(service, keys)}/instances`;
    return send(service, keys, {
      method: "POST",
      path,
      body: { instance_id: "1" },
      headers: { Accept: "image/png" },
    });
  },
  InvalidAcceptHeader: instance({ instance_id: "1" }, "image/gif"),
  QuotaExceeded: failing("QuotaExceeded"),
  LicenseCheckFailed: failing("LicenseCheckFailed"),
  AuthorizationFailed: failing("AuthorizationFailed"),
  UnknownParameters: query((plan) => {
    plan.parts = [imagePart(), { name: "other", content: "1" }];
  }),
};

const inProcessOnly = (recipe: Produce | Recipe): boolean =>
  typeof recipe !== "function" && recipe.options !== undefined;

describeBackends("result codes", (backend: Backend) => {
  const reached = Object.entries(recipes).filter(
    ([, recipe]) => !(backend.overSockets && inProcessOnly(recipe)),
  );

  it.each(reached)("%s is sent with its status", async (code, recipe) => {
    const { produce, options = {} } = typeof recipe === "function" ? { produce: recipe } : recipe;
    await using service = await backend.open({ processingTimeSeconds: 2, ...options });
    const response = await produce(service, await service.addCloudDatabase());
    const { result_code } = JSON.parse(decoded(response));
    expect([result_code, response.status]).toEqual([code, RESULT_CODES[code as ResultCode].status]);
  });

  it("are all in the table, except codes that the protocol never sends", () => {
    expect(Object.keys(recipes).sort()).toEqual(Object.keys(RESULT_CODES).sort());
    for (const never of ["DateRangeError", "TooManyRequests"]) expect(RESULT_CODES).not.toHaveProperty(never);
  });
});
