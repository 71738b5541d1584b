import { describe, expect, it } from "vitest";
import type { Settings } from "../../../src/services.ts";
import { type Api, openApi, START } from "./api.ts";
import {
  ADVANCED,
  bearer,
  createdUuid,
  creation,
  dataset,
  expectEmpty,
  expectJson,
  STANDARD,
} from "./requests.ts";

const CREATED = "2026-11-21T10:42:00.000Z";
const FINISHED = "2026-11-21T10:42:02.500Z";

const get = (api: Api, path: string) => api.send({ method: "GET", path, headers: bearer() });
const remove = (api: Api, path: string) => api.send({ method: "DELETE", path, headers: bearer() });
const unknown = (uuid: string) => ({
  error: {
    code: "NOT_FOUND",
    message: `Could not find a model-view database with uuid ${uuid}`,
    target: "userId:mock",
  },
});
const unsupported = (uuid: string, status: string) => ({
  error: {
    code: "UNSUPPORTED_STATE",
    message: `Training status for dataset ${uuid} is ${status} != done`,
    target: uuid,
  },
});

/** A dataset whose processing is over. */
async function finished(settings: Partial<Settings>): Promise<{ api: Api; uuid: string; path: string }> {
  const api = await openApi({ processingTimeSeconds: 2.5, ...settings });
  const uuid = await createdUuid(api);
  api.advance(2.5);
  return { api, uuid, path: `${STANDARD}/${uuid}` };
}

describe("a dataset's status", () => {
  it("is processing until exactly the processing time has passed", async () => {
    expect(new Date(START).toISOString()).toBe(CREATED);
    const api = await openApi({ processingTimeSeconds: 2.5 });
    const uuid = await createdUuid(api);
    const processing = { status: "processing", uuid, createdAt: CREATED, eta: FINISHED };
    expectJson(await get(api, `${STANDARD}/${uuid}/status`), 200, processing);
    api.advance(2.499);
    expectJson(await get(api, `${STANDARD}/${uuid}/status`), 200, processing);
    api.advance(0.001);
    const done = { status: "done", uuid, createdAt: CREATED, completedAt: FINISHED };
    expectJson(await get(api, `${STANDARD}/${uuid}/status`), 200, done);
    api.advance(1000);
    expectJson(await get(api, `${STANDARD}/${uuid}/status`), 200, done);
  });

  it("is done at once without a processing time", async () => {
    const api = await openApi({ processingTimeSeconds: 0 });
    const uuid = await createdUuid(api);
    const done = { status: "done", uuid, createdAt: CREATED, completedAt: CREATED };
    expectJson(await get(api, `${STANDARD}/${uuid}/status`), 200, done);
  });

  it("has an eta for however long a processing time", async () => {
    const api = await openApi({ processingTimeSeconds: 1e300 });
    const uuid = await createdUuid(api);
    const eta = "+275760-09-13T00:00:00.000Z";
    expectJson(await get(api, `${STANDARD}/${uuid}/status`), 200, {
      status: "processing",
      uuid,
      createdAt: CREATED,
      eta,
    });
  });

  it.each([
    [{}, "Model Target dataset generation failed"],
    [{ message: "no surface" }, "no surface"],
  ])("ends failed when a failure is configured: %j", async (modelTargetGenerationFailure, message) => {
    const { api, uuid, path } = await finished({ modelTargetGenerationFailure });
    const failed = {
      status: "failed",
      uuid,
      createdAt: CREATED,
      completedAt: FINISHED,
      error: { code: "ERROR", message },
    };
    expectJson(await get(api, `${path}/status`), 200, failed);
    expectJson(await get(api, `${path}/dataset`), 422, unsupported(uuid, "failed"));
  });

  const poor = {
    code: "LOW_RECOGNITION_QUALITY",
    message: "The processed model appears to have substandard recognition quality.",
  };
  it.each([
    [{}, "Warning after creating dataset", [poor]],
    [{ message: "dark", details: [] }, "dark", []],
    [{ details: [{ code: "X", more: 1 }] }, "Warning after creating dataset", [{ code: "X", more: 1 }]],
  ])("ends done with a configured warning: %j", async (modelTargetGenerationWarning, message, details) => {
    const { api, uuid, path } = await finished({ modelTargetGenerationWarning });
    const warning = { code: "WARNING", message, target: uuid, details };
    const done = { status: "done", uuid, createdAt: CREATED, completedAt: FINISHED, warning };
    expectJson(await get(api, `${path}/status`), 200, done);
    expect((await get(api, `${path}/dataset`)).status).toBe(200);
  });

  it("shows configured outcomes only when processing is over", async () => {
    for (const settings of [{ modelTargetGenerationFailure: {} }, { modelTargetGenerationWarning: {} }]) {
      const api = await openApi(settings);
      const uuid = await createdUuid(api);
      const received = await get(api, `${STANDARD}/${uuid}/status`);
      expect(received.body.toString()).toMatch(
        /^\{"status":"processing","uuid":"\w+","createdAt":"[^"]+","eta":"[^"]+"\}$/,
      );
    }
  });
});

describe("a dataset", () => {
  it("cannot be downloaded while it is processed", async () => {
    const api = await openApi();
    const uuid = await createdUuid(api);
    expectJson(await get(api, `${STANDARD}/${uuid}/dataset`), 422, unsupported(uuid, "not-started"));
  });

  it("downloads as a zip", async () => {
    const { api, path } = await finished({});
    const { status, headers, body } = await get(api, `${path}/dataset`);
    expect({ status, headers }).toEqual({
      status: 200,
      headers: [
        ["Content-Type", "application/zip"],
        ["Content-Disposition", "attachment; filename=full-dataset.zip"],
        ["Content-Length", String(body.length)],
      ],
    });
  });

  it("is gone once it is deleted, while it is processed too", async () => {
    const api = await openApi();
    const uuid = await createdUuid(api);
    const kept = await createdUuid(api);
    expectEmpty(await remove(api, `${STANDARD}/${uuid}`), 200);
    for (const path of [`${STANDARD}/${uuid}`, `${ADVANCED}/${uuid}`]) {
      expectJson(await get(api, `${path}/status`), 404, unknown(uuid));
      expectJson(await get(api, `${path}/dataset`), 404, unknown(uuid));
      expectJson(await remove(api, path), 404, unknown(uuid));
    }
    expect((await get(api, `${STANDARD}/${kept}/status`)).status).toBe(200);
  });

  it("is served under uuids of letters, digits and hyphens only, and under no other path", async () => {
    const api = await openApi();
    const odd = "0af-Zz9";
    expectJson(await get(api, `${STANDARD}/${odd}/status`), 404, unknown(odd));
    for (const path of [
      `${STANDARD}/a_b/status`,
      `${STANDARD}/%61/status`,
      `${STANDARD}//status`,
      `${STANDARD}/a/status/`,
      `${STANDARD}/a/other`,
    ]) {
      expect((await get(api, path)).headers, path).toContainEqual(["Content-Encoding", "gzip"]);
    }
  });
});

describe.each([
  ["standard", STANDARD, ADVANCED],
  ["advanced", ADVANCED, STANDARD],
])("a dataset of the other family (%s)", (_family, own, other) => {
  it("is visible through both", async () => {
    const api = await openApi();
    const uuid = await createdUuid(api, creation(dataset(), { path: own }));
    api.advance(1);
    expect(await get(api, `${other}/${uuid}/status`)).toEqual(await get(api, `${own}/${uuid}/status`));
    expect(await get(api, `${other}/${uuid}/dataset`)).toEqual(await get(api, `${own}/${uuid}/dataset`));
  });

  it.each([["neutral", 404] as const, ["vuforia", 200] as const])(
    "deleted through it answers %s %i later",
    async (profile, later) => {
      const api = await openApi({ profile });
      const uuid = await createdUuid(api, creation(dataset(), { path: own }));
      expectEmpty(await remove(api, `${other}/${uuid}`), 200);
      expect((await get(api, `${own}/${uuid}/status`)).status).toBe(later);
      expect((await remove(api, `${own}/${uuid}`)).status).toBe(later);
      expectJson(await remove(api, `${own}/${uuid}`), 404, unknown(uuid));
    },
  );
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

  it("answers every phase before anything else", async () => {
    const api = await openApi({ modelTargetFailure: failure });
    for (const [, request] of phases) {
      expect(await api.send({ ...request, headers: { "Content-Length": "x" } })).toEqual(sent);
      expect(api.latest()?.reason).toContain("modelTargetFailure");
    }
  });

  it.each([["create"], ["status"], ["download"], ["delete"]] as const)(
    "answers only the phase %s",
    async (phase) => {
      const api = await openApi({ modelTargetFailure: { ...failure, phases: [phase] } });
      for (const [name, request] of phases)
        expect((await api.send(request)).status).toBe(name === phase ? 503 : 401);
    },
  );

  it("answers no phase of an empty list, and never token and credential routes", async () => {
    const none = await openApi({ modelTargetFailure: { ...failure, phases: [] } });
    for (const [, request] of phases) expect((await none.send(request)).status).toBe(401);
    const api = await openApi({ modelTargetFailure: failure });
    expect((await api.send({ method: "POST", path: "/oauth2/token" })).status).toBe(401);
    expect(
      (await api.send({ method: "GET", path: "/oauth2/clientcredentials", headers: bearer() })).status,
    ).toBe(200);
  });

  it("may be bytes, or nothing but a status", async () => {
    const bytes = await openApi({ modelTargetFailure: { status: 500, body: new Uint8Array([0, 255]) } });
    expect(await get(bytes, `${STANDARD}/x/status`)).toEqual({
      status: 500,
      headers: [],
      body: Buffer.from([0, 255]),
    });
    const bare = await openApi({ modelTargetFailure: { status: 429 } });
    expect(await get(bare, `${STANDARD}/x/status`)).toEqual({
      status: 429,
      headers: [],
      body: Buffer.alloc(0),
    });
  });
});
