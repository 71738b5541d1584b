import { jest } from "@jest/globals";
import { MockCloudReco } from "mock-cloud-reco";
import { useMockCloudReco } from "mock-cloud-reco/jest";
import { describe, expect, test, vi } from "vitest";

// Outside Jest, Jest's globals only throw. Vitest's globals replace them here, so that this tests the fixture's source;
// test/package tests the packed package in Jest itself.
vi.mock("@jest/globals", async () => {
  const { afterEach, beforeEach, expect, vi } = await import("vitest");
  const fakeable = ["Date", "setTimeout", "clearTimeout", "setInterval", "setImmediate", "nextTick"] as const;
  return {
    afterEach,
    beforeEach,
    expect,
    jest: {
      useFakeTimers: vi.fn(({ doNotFake }: { doNotFake: readonly string[] }) =>
        vi.useFakeTimers({ toFake: fakeable.filter((name) => !doNotFake.includes(name)) }),
      ),
      useRealTimers: () => vi.useRealTimers(),
    },
  };
});

const real = { fetch: globalThis.fetch, setTimeout: globalThis.setTimeout };
const summary = () => fetch("https://vws.vuforia.com/summary");
const outside = /^the mock exists only while a test runs: /;

describe("a mock", () => {
  const recognition = useMockCloudReco();
  const seen = new Set<MockCloudReco>();

  test.each([1, 2])("is created for test %i, with an empty database", async () => {
    expect(recognition.mock).toBeInstanceOf(MockCloudReco);
    expect(recognition.mock.requests).toEqual([]);
    expect(recognition.database.targets).toEqual([]);
    expect((await summary()).status).toBe(401);
    expect(recognition.mock).toHaveReceived("databaseSummary", { times: 1 });
    expect(recognition.mock).not.toHaveRefusedNothing();
    seen.add(recognition.mock);
  });

  test("is a new one for each test", () => {
    expect(seen.size).toBe(2);
    expect(seen.has(recognition.mock)).toBe(false);
  });

  test("leaves the timers alone", () => {
    expect(vi.isFakeTimers()).toBe(false);
  });
});

describe("outside of a test", () => {
  const recognition = useMockCloudReco();
  const readOutside = [() => recognition.mock, () => recognition.database].map((read) => {
    try {
      return read();
    } catch (error) {
      return error;
    }
  });

  test("there is no mock, and the error says so", () => {
    for (const error of readOutside) expect(error).toMatchObject({ message: expect.stringMatching(outside) });
  });
});

describe("with options", () => {
  const recognition = useMockCloudReco({ database: { databaseName: "pictures" } });

  test("the mock has them", () => expect(recognition.database.databaseName).toBe("pictures"));
});

test("after the test nothing stays patched", () => expect(globalThis.fetch).toBe(real.fetch));

describe("a test whose requests were refused", () => {
  describe("with failOnRefusedRequests", () => {
    const recognition = useMockCloudReco({ failOnRefusedRequests: true });

    test.fails("fails", async () => {
      await summary();
    });

    test("does not fail the next test", () => expect(recognition.mock).toHaveRefusedNothing());
  });
});

describe("with fake timers", () => {
  const recognition = useMockCloudReco({ fakeTimers: true });

  test("the mock's clock uses them, and requests are answered", async () => {
    expect(globalThis.setTimeout).not.toBe(real.setTimeout);
    expect((await summary()).status).toBe(401);
    const before = recognition.mock.requests.at(-1)?.time.getTime();
    vi.advanceTimersByTime(90_000);
    await summary();
    expect(recognition.mock.requests.at(-1)?.time.getTime()).toBe((before ?? 0) + 90_000);
  });
});

describe("with a configuration of fake timers", () => {
  useMockCloudReco({ fakeTimers: { now: 5, doNotFake: ["setTimeout"] } });

  test("uses it, and keeps process.nextTick real", () => {
    expect(globalThis.setTimeout).toBe(real.setTimeout);
    expect(jest.useFakeTimers).toHaveBeenLastCalledWith({ now: 5, doNotFake: ["setTimeout", "nextTick"] });
  });
});

test("the timers are real again after the test", () => {
  expect(vi.isFakeTimers()).toBe(false);
  expect(globalThis.setTimeout).toBe(real.setTimeout);
});

test("legacy fake timers are refused", () => {
  // @ts-expect-error The types refuse them too.
  expect(() => useMockCloudReco({ fakeTimers: { legacyFakeTimers: true } })).toThrow(
    /^fakeTimers\.legacyFakeTimers is not supported: /,
  );
});
