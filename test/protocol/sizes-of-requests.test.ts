import { afterAll, beforeAll, expect, it } from "vitest";
import { sendSigned } from "../support/answers.ts";
import { type DatabaseKeys, describeBackends, type ServiceUnderTest } from "../support/backends.ts";
import { nodeClient } from "../support/clients.ts";
import { ALL } from "../support/combinations.ts";
import { makePng } from "../support/png.ts";
import { goodPlan, imagePart } from "../support/query-plan.ts";
import { ADVANCED, basic, bearer, dataset, form, model } from "./model-target/requests.ts";
import { decoded, sendPlan } from "./query/send.ts";
import { newTarget } from "./target/requests.ts";

/** What is read and repeated of a request is bounded, so that no request takes long. */
describeBackends("limits of requests", (backend) => {
  let service: ServiceUnderTest;
  let keys: DatabaseKeys;
  beforeAll(async () => {
    service = await backend.open({ queryContentEncoding: "identity" });
    keys = await service.addCloudDatabase();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  /** Large bodies take long: by default they are sent to servers only. */
  const itWithLarge = it.runIf(ALL || backend.overSockets);

  itWithLarge(
    "an image above the limit gets the documented response, in a body of up to 64 MiB",
    async () => {
      const image = Buffer.concat([makePng(), Buffer.alloc(40_000_000)]).toString("base64");
      const request = { method: "POST", path: "/targets", body: newTarget({ image }) };
      const answer = await sendSigned(service, keys, request);
      expect([answer.status, answer.fields.result_code]).toEqual([422, "ImageTooLarge"]);
    },
  );

  const ask = async (path: string, headers: Record<string, string>, text: string) => {
    const url = service.urls.modelTarget + path;
    const response = await nodeClient({ method: "POST", url, headers, body: Buffer.from(text) });
    return { status: response.status, json: JSON.parse(response.body.toString()) };
  };

  it("a response has at most 1000 findings about a dataset", async () => {
    const views = Array.from({ length: 1500 }, () => ({}));
    const headers = { ...bearer(), "Content-Type": "application/json" };
    const { status, json } = await ask(ADVANCED, headers, JSON.stringify(dataset(model({ views }))));
    expect(status).toBe(400);
    expect(json.error.details).toHaveLength(1000);
    expect((await service.latest()).reason).toMatch(/; and 1495 more$/);
  });

  itWithLarge(
    "a configuration of states may be long, and has at most 8 MiB besides long strings",
    async () => {
      const headers = { ...bearer(), "Content-Type": "application/json" };
      const create = (configuration: string, states: readonly string[] = []) => {
        const view = { name: "v", guideViewPosition: { rotation: [0], translation: [0] }, states };
        const one = model({ stateBasedConfigurationJsonString: configuration, views: [view] });
        return ask(ADVANCED, headers, JSON.stringify(dataset(one)));
      };
      const longString = JSON.stringify({ states: { a: "x".repeat(2 ** 24) } });
      expect((await create(longString, ["a"])).status).toBe(201);
      const manyStates = JSON.stringify({
        states: Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`state ${index}`, {}])),
      });
      expect((await create(manyStates, ["state 49999"])).status).toBe(201);
      const spaces = (count: number) => `{"states":{}${" ".repeat(count)}}`;
      const most = 2 ** 23 - spaces(0).length;
      expect((await create(spaces(most))).status).toBe(201);
      expect((await create(spaces(most + 1))).json.error.details).toEqual([
        {
          code: "VALIDATION_ERROR",
          message: "/models(0)/stateBasedConfigurationJsonString: error.expected.validjson",
        },
      ]);
    },
  );

  it("the form of a token request has at most 256 KiB", async () => {
    const ofLength = (length: number) => {
      const text = `${form({ grant_type: "client_credentials" })}&x=`;
      return ask("/oauth2/token", basic("client-id", "client-secret"), text.padEnd(length, "x"));
    };
    expect((await ofLength(2 ** 18)).status).toBe(200);
    expect(await ofLength(2 ** 18 + 1)).toEqual({ status: 400, json: { error: "unsupported_grant_type" } });
    expect((await service.latest()).reason).toBe(
      "send a smaller form: it has 262145 bytes; expected at most 262144",
    );
  });

  it("an instance id has at most 65,536 characters, of which the label shows the beginning", async () => {
    const labels = await service.addVuMarkDatabase({ targets: [{ targetId: "label", name: "label" }] });
    const ofLength = (length: number) => {
      const body = { instance_id: "x".repeat(length) };
      const headers = { Accept: "image/svg+xml" };
      return sendSigned(service, labels, { method: "POST", path: "/targets/label/instances", body, headers });
    };
    const { status, text } = await ofLength(65_536);
    expect(status).toBe(200);
    expect(text).toContain(`<title>${"x".repeat(65_536)}</title>`);
    expect(text.split("<tspan").length).toBe(42);
    const refused = await ofLength(65_537);
    expect([refused.status, refused.fields.result_code]).toEqual([422, "InvalidInstanceId"]);
  });

  it("the journal does not print a body of more than 4 MiB", async () => {
    const body = newTarget({ image: "A".repeat(2 ** 22) });
    await sendSigned(service, keys, { method: "POST", path: "/targets", body });
    const { request } = await service.latest();
    expect(String(request?.body)).toMatch(/^‹\d+ bytes, too many to be shown›$/);
  });

  const query = async (...parts: { name: string; content: string }[]) => {
    const plan = { ...goodPlan(service.clock.now()), parts: [imagePart(makePng()), ...parts] };
    return decoded(await sendPlan(service, keys, plan));
  };

  it("a field of a query is repeated up to 64 KiB, and a longer one is no number", async () => {
    const content = `${"0".repeat(2 ** 16)}5`;
    expect(await query({ name: "max_num_results", content })).toBe(
      `Invalid value '${"0".repeat(2 ** 16)}' in form data part 'max_result'. ` +
        "Expecting integer value in range from 1 to 50 (inclusive).",
    );
    const shorter = content.slice(2);
    expect(await query({ name: "max_num_results", content: shorter })).toContain('"result_code":"Success"');
    expect(await query({ name: "include_target_data", content: "x".repeat(2 ** 16 + 1) })).toContain(
      `'${"x".repeat(2 ** 16)}'`,
    );
  });

  it("a form has at most 100 parts", async () => {
    const parts = Array.from({ length: 99 }, () => ({ name: "max_num_results", content: "1" }));
    expect(await query(...parts)).toContain('"result_code":"Success"');
    expect(await query(...parts, { name: "max_num_results", content: "1" })).toContain("UnknownParameters");
    expect(await service.latest()).toMatchObject({
      reason:
        "send each field once: the form has more than 100 parts; expected at most one of each of image, max_num_results, include_target_data",
    });
  });
});
