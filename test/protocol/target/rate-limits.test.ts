import { DOCUMENTED_REQUEST_RATE_LIMITS, type ProfileName, type RequestRateLimits } from "mock-cloud-reco";
import { expect, it } from "vitest";
import { describeBackends } from "../../support/backends.ts";
import { send } from "./requests.ts";

const NONE: RequestRateLimits = { other: null, getTarget: null, getDuplicates: null, listTargets: null };
const paths = {
  list: "/targets",
  get: "/targets/unknown",
  duplicates: "/duplicates/unknown",
  other: "/summary",
};

describeBackends("rate limits", (backend) => {
  const situation = async (
    fields: Parameters<Awaited<ReturnType<typeof backend.open>>["addCloudDatabase"]>[0],
    profile: ProfileName = "neutral",
  ) => {
    const service = await backend.open({ profile });
    const keys = await service.addCloudDatabase(fields);
    const statusOf = async (path: string, wrongKey = false) =>
      (
        await send(service, wrongKey ? { ...keys, serverSecretKey: "wrong" } : keys, {
          method: "GET",
          path,
          // Other databases and unlimited requests have no effect.
        })
      ).status;
    return { service, keys, statusOf };
  };

  it("roll: a request counts for exactly the window", async () => {
    const { service, statusOf } = await situation({
      requestRateLimits: { listTargets: { maxRequests: 2, windowSeconds: 60 } },
    });
    await using _service = service;
    expect(await statusOf(paths.list)).toBe(200);
    service.clock.advance(30);
    expect([await statusOf(paths.list), await statusOf(paths.list)]).toEqual([200, 429]);
    service.clock.advance(29.999);
    expect(await statusOf(paths.list)).toBe(429);
    service.clock.advance(0.001);
    expect([await statusOf(paths.list), await statusOf(paths.list)]).toEqual([200, 429]);
  });

  it.each([
    // Accepted at 10:00:40 twice; then at 10:00:59.999, 10:01:00, 10:01:00, 10:01:00 and 10:01:40.
    ["neutral", 60, [200, 200, 429, 429, 429, 429, 429, 200]],
    ["vuforia", 60, [200, 200, 429, 429, 200, 200, 429, 429]],
    ["vuforia", 59.999, [200, 200, 429, 429, 429, 429, 429, 200]],
  ] as const)(
    "%s: windows of %d s roll or are aligned to the clock",
    async (profile, windowSeconds, statuses) => {
      const limits = { requestRateLimits: { listTargets: { maxRequests: 2, windowSeconds } } };
      const { service, statusOf } = await situation(limits, profile);
      await using _service = service;
      const minute = new Date("2026-11-21T10:00:00Z").getTime();
      const got: number[] = [];
      for (const second of [40, 40, 40, 59.999, 60, 60, 60, 100]) {
        service.clock.set(new Date(minute + second * 1000));
        got.push(await statusOf(paths.list));
      }
      expect(got).toEqual(statuses);
    },
  );

  it("count badly signed requests, but not refused ones", async () => {
    const { service, statusOf } = await situation({ requestsPerSecondLimit: 2 });
    await using _service = service;
    expect([await statusOf(paths.other, true), await statusOf(paths.other, true)]).toEqual([401, 401]);
    expect([await statusOf(paths.other), await statusOf(paths.list)]).toEqual([429, 429]);
    service.clock.advance(1);
    expect(await statusOf(paths.other)).toBe(200);
  });

  it("count each group separately; a group without a limit counts towards other", async () => {
    const { service, statusOf } = await situation({
      requestRateLimits: {
        ...NONE,
        other: { maxRequests: 2, windowSeconds: 1 },
        getDuplicates: { maxRequests: 1, windowSeconds: 1 },
      },
    });
    await using _service = service;
    expect([await statusOf(paths.get), await statusOf(paths.list), await statusOf(paths.other)]).toEqual([
      404, 200, 429,
    ]);
    expect([await statusOf(paths.duplicates), await statusOf(paths.duplicates)]).toEqual([404, 429]);
  });

  it("do not count a request for any limit when one of them refuses it", async () => {
    const { service, statusOf } = await situation({
      requestsPerSecondLimit: 2,
      requestRateLimits: { ...NONE, listTargets: { maxRequests: 1, windowSeconds: 60 } },
    });
    await using _service = service;
    expect([await statusOf(paths.list), await statusOf(paths.list), await statusOf(paths.list)]).toEqual([
      200, 429, 429,
    ]);
    expect([await statusOf(paths.other), await statusOf(paths.other)]).toEqual([200, 429]);
  });

  it("do not apply to requests without a known key or to other databases", async () => {
    const { service, keys, statusOf } = await situation({ requestsPerSecondLimit: 0 });
    await using _service = service;
    expect(await statusOf(paths.other)).toBe(429);
    const unnamed = await send(service, keys, {
      method: "GET",
      path: paths.other,
      headers: { Authorization: null },
    });
    expect(unnamed.status).toBe(401);
    const another = await service.addCloudDatabase();
    expect((await send(service, another, { method: "GET", path: paths.other })).status).toBe(200);
  });

  it("can be changed in the middle of a test", async () => {
    const { service, keys, statusOf } = await situation({ requestsPerSecondLimit: 0 });
    await using _service = service;
    expect(await statusOf(paths.other)).toBe(429);
    await service.updateDatabase(keys, { requestsPerSecondLimit: null });
    expect(await statusOf(paths.other)).toBe(200);
  });

  it("are documented by a constant", async () => {
    expect(DOCUMENTED_REQUEST_RATE_LIMITS).toEqual({
      other: { maxRequests: 15, windowSeconds: 1 },
      getTarget: { maxRequests: 45, windowSeconds: 1 },
      getDuplicates: { maxRequests: 10, windowSeconds: 1 },
      listTargets: { maxRequests: 2, windowSeconds: 60 },
    });
    const { service, statusOf } = await situation({ requestRateLimits: DOCUMENTED_REQUEST_RATE_LIMITS });
    await using _service = service;
    expect([await statusOf(paths.list), await statusOf(paths.list), await statusOf(paths.list)]).toEqual([
      200, 200, 429,
    ]);
  });
});
