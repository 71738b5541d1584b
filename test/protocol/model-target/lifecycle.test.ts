import { describe, expect, it } from "vitest";
import { type Api, describeApi, openDirectly } from "./api.ts";
import {
  ADVANCED,
  bearer,
  createdUuid,
  creation,
  dataset,
  expectEmpty,
  expectJson,
  get,
  STANDARD,
  timeIn,
} from "./requests.ts";

const remove = (api: Api, path: string) => api.send({ method: "DELETE", path, headers: bearer() });
const unknown = (uuid: string) => ({
  error: {
    code: "NOT_FOUND",
    message: `Could not find a model-view database with uuid ${uuid}`,
    target: "userId:mock",
  },
});

describeApi("a dataset's status", (openApi) => {
  it("is processing until exactly the processing time has passed", async () => {
    await using api = await openApi({ processingTimeSeconds: 2.5 });
    const [createdAt, end] = [timeIn(api, 0), timeIn(api, 2.5)];
    const uuid = await createdUuid(api);
    const path = `${STANDARD}/${uuid}/status`;
    const processing = { status: "processing", uuid, createdAt, eta: end };
    expectJson(await get(api, path), 200, processing);
    api.advance(2.499);
    expectJson(await get(api, path), 200, processing);
    api.advance(0.001);
    const done = { status: "done", uuid, createdAt, completedAt: end };
    expectJson(await get(api, path), 200, done);
    api.advance(1000);
    expectJson(await get(api, path), 200, done);
  });

  it("is done at once with a processing time of 0", async () => {
    await using api = await openApi({ processingTimeSeconds: 0 });
    const uuid = await createdUuid(api);
    const now = timeIn(api, 0);
    const done = { status: "done", uuid, createdAt: now, completedAt: now };
    expectJson(await get(api, `${STANDARD}/${uuid}/status`), 200, done);
  });

  it("is written in ISO 8601 with milliseconds", async () => {
    await using api = await openApi();
    api.advance(0.007);
    const uuid = await createdUuid(api);
    const { body } = await get(api, `${STANDARD}/${uuid}/status`);
    expect(body.toString()).toMatch(/"createdAt":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/);
  });
});

describe("a dataset's eta", () => {
  it("is the last possible date, however long the processing time is", async () => {
    await using api = openDirectly({ processingTimeSeconds: 1e300 });
    const uuid = await createdUuid(api);
    const { body } = await get(api, `${STANDARD}/${uuid}/status`);
    expect(body.toString()).toContain('"eta":"+275760-09-13T00:00:00.000Z"');
  });
});

describeApi("a dataset", (openApi) => {
  it("answers 404 after its deletion, even while it is processed", async () => {
    await using api = await openApi();
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
});

describe("a dataset's path", () => {
  it("has any segment as uuid, followed only by the listed names", async () => {
    await using api = openDirectly();
    for (const odd of ["0af-Zz9", "a_b", "%61", "%20.~"]) {
      const uuid = decodeURIComponent(odd);
      expectJson(await get(api, `${STANDARD}/${odd}/status`), 404, unknown(uuid));
    }
    for (const path of [`${STANDARD}//status`, `${STANDARD}/a/status/`, `${STANDARD}/a/other`]) {
      expect((await get(api, path)).headers, path).toContainEqual([
        "Content-Type",
        "text/html; charset=UTF-8",
      ]);
    }
  });
});

describeApi("a dataset and the other family", (openApi) => {
  describe.each([
    ["standard", STANDARD, ADVANCED],
    ["advanced", ADVANCED, STANDARD],
  ])("of the %s family", (_family, own, other) => {
    it("is visible through both", async () => {
      await using api = await openApi();
      const uuid = await createdUuid(api, creation(dataset(), { path: own }));
      api.advance(1);
      expect(await get(api, `${other}/${uuid}/status`)).toEqual(await get(api, `${own}/${uuid}/status`));
      expect(await get(api, `${other}/${uuid}/dataset`)).toEqual(await get(api, `${own}/${uuid}/dataset`));
    });

    it.each([["neutral", 404] as const, ["vuforia", 200] as const])(
      "after deletion through the other (%s), its status is answered with %i",
      async (profile, later) => {
        await using api = await openApi({ profile });
        const uuid = await createdUuid(api, creation(dataset(), { path: own }));
        expectEmpty(await remove(api, `${other}/${uuid}`), 200);
        expect((await get(api, `${own}/${uuid}/status`)).status).toBe(later);
        expect((await remove(api, `${own}/${uuid}`)).status).toBe(later);
        expectJson(await remove(api, `${own}/${uuid}`), 404, unknown(uuid));
      },
    );
  });
});
