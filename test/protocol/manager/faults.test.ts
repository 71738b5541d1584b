import { afterEach, beforeEach, expect, it } from "vitest";
import { manage, sendSigned } from "../../support/answers.ts";
import { describeBackends, type ServiceUnderTest } from "../../support/backends.ts";
import { ALL } from "../../support/combinations.ts";
import { makePng } from "../../support/png.ts";
import { goodPlan, imagePart } from "../../support/query-plan.ts";
import { decoded, sendPlan } from "../query/send.ts";

const keys = { serverAccessKey: "access", serverSecretKey: "secret" };

describeBackends("the target manager's faults", (backend) => {
  let service: ServiceUnderTest;

  beforeEach(async () => {
    service = await backend.open();
    await service.addCloudDatabase({ ...keys, databaseName: "db" });
  });
  afterEach(() => service[Symbol.asyncDispose]());

  const summary = () => sendSigned(service, keys, { method: "GET", path: "/summary" });
  const addFault = async (fault: object) => {
    const added = await manage(service, "POST", "/faults", fault);
    expect(added.status).toBe(201);
    return added.fields;
  };
  const listed = async () => (await manage(service, "GET", "/faults")).json;

  it("are applied as often as given, counted, listed and removed", async () => {
    const limited = { operation: "databaseSummary", response: { result_code: "Overloaded", status: 503 } };
    const first = await addFault({ ...limited, times: 1 });
    expect(first).toEqual({
      id: expect.stringMatching(/./),
      api: null,
      operation: ["databaseSummary"],
      database_name: null,
      has_when: false,
      response: limited.response,
      reset_connection: false,
      executed: false,
      delay_seconds: 0,
      times: 1,
      probability: 1,
      times_applied: 0,
    });
    expect((await summary()).fields).toMatchObject({ result_code: "Overloaded" });
    expect((await summary()).status).toBe(200);
    expect(await listed()).toEqual([]);
    expect((await service.latest()).status).toBe(200);

    const second = await addFault({
      database_name: "db",
      response: { result_code: "TooManyRequests", status: 429 },
    });
    expect(second.id).not.toBe(first.id);
    expect((await summary()).status).toBe(429);
    expect(await service.latest()).toMatchObject({
      fault: "addFault",
      reason: "answered with 429 TooManyRequests",
    });
    expect(await listed()).toMatchObject([{ id: second.id, times_applied: 1 }]);
    expect((await manage(service, "DELETE", `/faults/${second.id}`)).status).toBe(204);
    expect((await manage(service, "DELETE", `/faults/${second.id}`)).status).toBe(404);
    expect((await summary()).status).toBe(200);
  });

  it.runIf(ALL || backend.overSockets)("may have a body of 16 MiB of bytes, and no byte more", async () => {
    const add = (bytes: number) => {
      const base64 = Buffer.alloc(bytes, 7).toString("base64");
      return manage(service, "POST", "/faults", { response: { status: 500, body: { base64 } } });
    };
    expect((await add(2 ** 24)).status).toBe(201);
    const refused = await add(2 ** 24 + 1);
    expect([refused.status, refused.text.slice(0, 2000)]).toEqual([
      400,
      expect.stringContaining("response.body"),
    ]);
  });

  it("answer in the format of the API, with text or bytes, or not at all", async () => {
    const queried = await service.addCloudDatabase();
    const query = () => {
      const plan = goodPlan(service.clock.now());
      plan.parts = [imagePart(makePng())];
      return sendPlan(service, queried, plan);
    };
    await addFault({ api: "query", response: { result_code: "InactiveProject" } });
    const refused = await query();
    expect([refused.status, decoded(refused)]).toEqual([
      403,
      expect.stringContaining('"result_code":"InactiveProject"'),
    ]);
    const response = { status: 500, headers: { "X-Why": "test" }, body: { base64: "AP8=" } };
    expect(await addFault({ api: "query", response })).toMatchObject({ response });
    const bytes = await query();
    expect([bytes.status, bytes.headers["x-why"], [...bytes.body]]).toEqual([500, "test", [0, 255]]);
    await addFault({ api: "query", reset_connection: true, times: 1 });
    await expect(query()).rejects.toThrow();
    expect((await query()).status).toBe(500);
  });

  it("never apply to the requests that remove them", async () => {
    const { id } = await addFault({ api: "manager", reset_connection: true });
    await expect(manage(service, "GET", "/cloud_databases")).rejects.toThrow();
    expect(await listed()).toMatchObject([{ id, reset_connection: true }]);
    await addFault({ api: "manager", response: { status: 500 }, executed: true, delay_seconds: 0 });
    expect((await manage(service, "POST", "/reset")).status).toBe(200);
    expect(await listed()).toEqual([]);
    expect((await manage(service, "GET", "/cloud_databases")).text).toBe("[]");
  });

  it("are refused with the first 100 errors and the number of further ones", async () => {
    const many = (count: number) => Array.from({ length: count }, () => 1);
    const refused = await manage(service, "POST", "/faults", { operation: many(2000), times: 0 });
    expect(refused.status).toBe(400);
    const { errors, ...others } = refused.fields;
    expect(errors).toHaveLength(100);
    expect(errors).toMatchObject([
      { field: "operation[0]", message: "operation[0] is 1" },
      ...many(99).map(() => ({})),
    ]);
    expect(others).toEqual({ more_errors: 1901 });
    expect(refused.text.length).toBeLessThan(100_000);
    expect((await service.latest()).reason).toMatch(/^operation\[0\] is 1; expected .*\. And 1996 more$/);

    const all = await manage(service, "POST", "/faults", { operation: many(100) });
    expect(all.fields).toEqual({ errors: expect.objectContaining({ length: 100 }) });

    const headers = Object.fromEntries(many(1000).map((value, index) => [`a${index}`, value]));
    const ofTable = await manage(service, "POST", "/faults", { response: { status: 500, headers } });
    expect(ofTable.fields).toEqual({ errors: expect.objectContaining({ length: 100 }), more_errors: 900 });

    const [name, long] = ["response.headers", " ".repeat(1_000_000)];
    const ofName = await manage(service, "POST", "/faults", {
      response: { status: 500, headers: { [long]: "" } },
    });
    expect(ofName.fields.errors).toMatchObject([{ field: `${name}.${" ".repeat(80)}…` }]);
  });

  it("are refused when they contradict themselves", async () => {
    const errors = async (fault: object) => (await manage(service, "POST", "/faults", fault)).fields.errors;
    expect(await errors({})).toEqual([{ field: "body", message: "body is none", accepted: "a JSON object" }]);
    expect(await errors({ response: { status: 500 }, reset_connection: true })).toMatchObject([
      { field: "reset_connection", accepted: "either response or reset_connection" },
    ]);
    expect(await errors({ delay_seconds: 1, executed: true })).toMatchObject([{ field: "executed" }]);
    expect(await errors({ response: { result_code: "Unheard" } })).toMatchObject([
      { field: "response.result_code", message: 'response.result_code is "Unheard"' },
    ]);
    expect(await errors({ when: "always", operation: "nothing", times: 0 })).toMatchObject([
      { field: "operation" },
      { field: "times" },
      { field: "when" },
    ]);
    expect(await listed()).toEqual([]);
  });
});
