import { ManualClock, MockCloudReco } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { realDelay } from "../../src/emulator/clock.ts";

const NOON = new Date("2026-11-21T12:00:00Z");

describe("a ManualClock", () => {
  it("moves only when told to, forward or back", () => {
    const clock = new ManualClock(NOON);
    clock.advance(1.5);
    expect(clock.now()).toEqual(new Date("2026-11-21T12:00:01.500Z"));
    clock.advance(-2);
    expect(clock.now()).toEqual(new Date("2026-11-21T11:59:59.500Z"));
    clock.set(NOON);
    expect(clock.now()).toEqual(NOON);
  });

  it.each<[string, (clock: ManualClock) => unknown]>([
    ["NaN", (clock) => clock.advance(Number.NaN)],
    ["Infinity", (clock) => clock.advance(Number.POSITIVE_INFINITY)],
    ["Invalid Date", (clock) => clock.set(new Date("never"))],
    ["Invalid Date", () => new ManualClock(new Date("never"))],
  ])("cannot be set by %s", (given, move) => {
    const clock = new ManualClock(NOON);
    expect(() => move(clock)).toThrow(
      new RangeError(`ManualClock: expected a valid date or a finite number of seconds; got ${given}`),
    );
    expect(clock.now()).toEqual(NOON);
  });
});

it("a real delay longer than the longest timeout does not end at once", async () => {
  const first = await Promise.race([
    realDelay(2_147_484).then(() => "the long one"),
    realDelay(0.02).then(() => "the short one"),
  ]);
  expect(first).toBe("the short one");
});

it.each([
  ["9999-12-31T23:59:59.999Z", new Date(8.64e15)],
  ["1970-01-01T00:00:00.000Z", new Date(-1)],
])("a mock's clock stops at %s", async (end, moment) => {
  await using mock = new MockCloudReco({ clock: new ManualClock(moment) });
  expect(mock.clock.now().toISOString()).toBe(end);
  expect((await mock.fetch(`${mock.urls.manager}/clock`)).status).toBe(200);
  const listed = await mock.fetch(`${mock.urls.manager}/requests`);
  expect(await listed.json()).toMatchObject({ requests: [{ time: end }] });
});
