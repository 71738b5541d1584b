import type { MockCloudRecoOptions } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { type Api, openDirectly, openMock } from "./api.ts";
import {
  ADVANCED,
  CREDENTIALS,
  createdUuid,
  expectJson,
  get,
  STANDARD,
  timeIn,
  unsupported,
} from "./requests.ts";

const SECONDS = 2.5;

/** The dataset's record at the end of its processing, without the outcome. */
async function finish(api: Api): Promise<{ uuid: string; createdAt: string; completedAt: string }> {
  const [createdAt, completedAt] = [timeIn(api, 0), timeIn(api, SECONDS)];
  const uuid = await createdUuid(api);
  api.advance(SECONDS);
  return { uuid, createdAt, completedAt };
}

const open = (options: MockCloudRecoOptions): Api => openMock({ processingTimeSeconds: SECONDS, ...options });

describe("a configured outcome of generation", () => {
  it.each([
    [{}, "Model Target dataset generation failed"],
    [{ message: "no surface" }, "no surface"],
  ])("may be a failure: %j", async (modelTargetGenerationFailure, message) => {
    await using api = open({ modelTargetGenerationFailure });
    const record = await finish(api);
    const failed = { status: "failed", ...record, error: { code: "ERROR", message } };
    expectJson(await get(api, `${STANDARD}/${record.uuid}/status`), 200, failed);
    expectJson(await get(api, `${STANDARD}/${record.uuid}/dataset`), 422, unsupported(record.uuid, "failed"));
  });

  const poor = {
    code: "LOW_RECOGNITION_QUALITY",
    message: "The processed model appears to have substandard recognition quality.",
  };
  it.each([
    [{}, "Warning after creating dataset", [poor]],
    [{ message: "dark", details: [] }, "dark", []],
    [{ details: [{ code: "X", more: 1 }] }, "Warning after creating dataset", [{ code: "X", more: 1 }]],
  ])("may be a warning: %j", async (modelTargetGenerationWarning, message, details) => {
    await using api = open({ modelTargetGenerationWarning });
    const record = await finish(api);
    const warning = { code: "WARNING", message, target: record.uuid, details };
    expectJson(await get(api, `${STANDARD}/${record.uuid}/status`), 200, {
      status: "done",
      ...record,
      warning,
    });
    expect((await get(api, `${STANDARD}/${record.uuid}/dataset`)).status).toBe(200);
  });

  it.each([[{ modelTargetGenerationFailure: {} }], [{ modelTargetGenerationWarning: {} }]])(
    "is shown only when processing is over: %j",
    async (options) => {
      await using api = open(options);
      const uuid = await createdUuid(api);
      const received = await get(api, `${STANDARD}/${uuid}/status`);
      expect(received.body.toString()).toMatch(
        /^\{"status":"processing","uuid":"\w+","createdAt":"[^"]+","eta":"[^"]+"\}$/,
      );
      expectJson(await get(api, `${STANDARD}/${uuid}/dataset`), 422, unsupported(uuid, "not-started"));
    },
  );

  it("is a failure when both are configured", async () => {
    const warned = { modelTargetGenerationWarning: { message: "dark" } };
    await using api = open({ ...warned, modelTargetGenerationFailure: { message: "no surface" } });
    const record = await finish(api);
    const failed = { status: "failed", ...record, error: { code: "ERROR", message: "no surface" } };
    expectJson(await get(api, `${STANDARD}/${record.uuid}/status`), 200, failed);
  });
});

describe("a configured failure", () => {
  const failure = {
    status: 503,
    headers: { "X-Reason": "maintenance", "content-type": "text/plain" },
    body: "später",
  };
  const sent = { status: 503, headers: Object.entries(failure.headers), body: Buffer.from("später") };
  const phases = [
    ["create", { method: "POST", path: STANDARD }],
    ["create", { method: "POST", path: ADVANCED }],
    ["status", { method: "GET", path: `${STANDARD}/x/status` }],
    ["download", { method: "GET", path: `${ADVANCED}/x/dataset` }],
    ["delete", { method: "DELETE", path: `${STANDARD}/x` }],
  ] as const;

  it("answers every phase, even without a token", async () => {
    await using api = openMock({ modelTargetFailure: failure });
    for (const [, request] of phases) {
      expect(await api.send(request)).toEqual(sent);
      expect((await api.latest()).reason).toContain("modelTargetFailure");
    }
  });

  it("answers before Content-Length is checked", async () => {
    await using api = openDirectly({ modelTargetFailure: failure });
    for (const [, request] of phases)
      expect(await api.send({ ...request, headers: { "Content-Length": "x" } })).toEqual(sent);
  });

  it.each([["create"], ["status"], ["download"], ["delete"]] as const)(
    "answers only the phase %s",
    async (phase) => {
      await using api = openMock({ modelTargetFailure: { ...failure, phases: [phase] } });
      for (const [name, request] of phases)
        expect((await api.send(request)).status).toBe(name === phase ? 503 : 401);
    },
  );

  it("answers no phase when the list is empty", async () => {
    await using api = openMock({ modelTargetFailure: { ...failure, phases: [] } });
    for (const [, request] of phases) expect((await api.send(request)).status).toBe(401);
  });

  it("answers neither token nor credential routes", async () => {
    await using api = openMock({ modelTargetFailure: failure });
    expect((await api.send({ method: "POST", path: "/oauth2/token" })).status).toBe(401);
    expect((await get(api, CREDENTIALS)).status).toBe(200);
  });

  it.each([
    ["bytes", { body: new Uint8Array([0, 255]) }, Buffer.from([0, 255])],
    ["nothing", {}, Buffer.alloc(0)],
  ])("may have a body of %s", async (_name, body, received) => {
    await using api = openMock({ modelTargetFailure: { status: 429, ...body } });
    expect(await get(api, `${STANDARD}/x/status`)).toEqual({ status: 429, headers: [], body: received });
  });
});
