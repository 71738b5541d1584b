import { runInNewContext } from "node:vm";
import { ManualClock, MockCloudReco, systemClock } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { describe, expect, it } from "vitest";
import { Microseconds, momentOf, realDelay } from "../../src/core/emulator/clock.ts";
import { yieldToEventLoop } from "../../src/core/general/scheduling.ts";
import { failureOf, messagesOf } from "../intercept/failures.ts";
import { fetchBy, fetchClient, nodeClient } from "../support/clients.ts";
import { makePng } from "../support/png.ts";

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
    ['"2"', (clock) => clock.advance("2" as never)],
    ["null", (clock) => clock.advance(null as never)],
    ["2n", (clock) => clock.advance(2n as never)],
    ["Invalid Date", (clock) => clock.set(new Date("never"))],
    ["Invalid Date", () => new ManualClock(new Date("never"))],
  ])("cannot be set by %s", (given, move) => {
    const clock = new ManualClock(NOON);
    expect(() => move(clock)).toThrow(
      new RangeError(`ManualClock: expected a valid date or a finite number of seconds; got ${given}`),
    );
    expect(clock.now()).toEqual(NOON);
  });

  it("says that it wants a Date", () => {
    const text = "2026-11-21" as never;
    const error = new RangeError(
      'ManualClock: expected a Date, as new Date("2026-11-21T10:42:00Z") makes it; got "2026-11-21"',
    );
    expect(() => new ManualClock(text)).toThrow(error);
    expect(() => new ManualClock().set(text)).toThrow(error);
  });
});

it("a clock reads and takes a Date of another realm, as tests of Jest have", async () => {
  const noon = runInNewContext(`new Date(${NOON.getTime()})`);
  expect(noon).not.toBeInstanceOf(Date);
  expect(new ManualClock(noon).now()).toEqual(NOON);
  await using mock = new MockCloudReco({ clock: { now: () => noon } });
  expect(mock.clock.now()).toEqual(NOON);
});

describe("a clock that reads no valid Date", () => {
  const WRONG: readonly [string, () => unknown][] = [
    ['"2026-11-21T12:00:00Z"', () => "2026-11-21T12:00:00Z"],
    ["1795262400000 (number)", () => 1_795_262_400_000],
    ["undefined (undefined)", () => undefined],
    ["Invalid Date (object)", () => new Date("never")],
    // Vitest fails when nobody handles a rejection.
    ["[object Promise] (object)", async () => Promise.reject(new Error("in now"))],
  ];

  it.each(WRONG)("fails a mock's requests and methods: %s", async (shown, read) => {
    const message = `\`now\` of the option clock: expected a valid Date; got ${shown}`;
    let reading: () => unknown = () => NOON;
    await using mock = new MockCloudReco({ clock: { now: () => reading() as Date } });
    reading = read;
    const request = { method: "GET", headers: {}, url: `${mock.urls.target}/summary` };
    for (const client of [fetchClient, nodeClient, fetchBy(mock.fetch)]) {
      expect(messagesOf(await failureOf(client(request)))).toContain(message);
      expect(mock.requests.at(-1)?.reason).toBe(`the request failed: ${message}`);
    }
    expect(() => mock.clock.now()).toThrow(new TypeError(message));
    expect(() => mock.clock.set(NOON)).toThrow(new TypeError(message));
    mock.clock.set(NOON, true);
    expect((await fetchClient(request)).status).toBe(401);
  });

  it.each([
    ...WRONG,
    ["a date before 1970", () => new Date(-1)],
    ["a date after 9999", () => new Date(Date.UTC(10_000, 0))],
    [
      "an error",
      () => {
        throw new Error("in now");
      },
    ],
  ] satisfies typeof WRONG)("is refused where it is given: %s", async (_shown, read) => {
    const clock = { now: read as () => Date };
    const error =
      "Invalid options.clock: expected an object whose now() returns a Date in the years 1970 to 9999; got an object.";
    expect(() => new MockCloudReco({ clock })).toThrow(error);
    await expect(startServers({ clock })).rejects.toThrow(error);
  });

  it.each([0, Date.UTC(10_000, 0) - 1])("is none at the ends of the years: %d", async (moment) => {
    await using mock = new MockCloudReco({ clock: { now: () => new Date(moment) } });
    expect(mock.clock.now()).toEqual(new Date(moment));
  });

  it.each(WRONG)("fails a server's requests: %s", async (shown, read) => {
    let reading: () => unknown = () => NOON;
    await using servers = await startServers({ clock: { now: () => reading() as Date } });
    reading = read;
    const response = await fetch(`${servers.urls.target}/summary`);
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).toBe(
      `the emulator failed: \`now\` of the option clock: expected a valid Date; got ${shown}`,
    );
  });
});

describe("microseconds", () => {
  const MIDNIGHT = Date.UTC(2026, 10, 21);
  /** Readings of `Date` and of a timer that began at midnight, as milliseconds after midnight. */
  const read = (...readings: (readonly [date: number, timer: number])[]): readonly string[] => {
    const microseconds = new Microseconds(MIDNIGHT);
    return readings.map(([date, timer]) => {
      const moment = microseconds.moment(MIDNIGHT + date, timer);
      return (moment - MIDNIGHT).toFixed(3);
    });
  };

  it("come from the timer", () => {
    expect(read([7, 7.0128], [7, 7.4], [8, 8.9998])).toEqual(["7.013", "7.400", "8.999"]);
  });

  it("of readings at one moment are distinct, in order, and in the millisecond of Date", () => {
    expect(read([7, 7.25], [7, 7.25], [7, 7.25], [7, 7.26])).toEqual(["7.250", "7.251", "7.252", "7.260"]);
    const many = read(...Array.from({ length: 1000 }, () => [7, 7] as const), [8, 8]);
    expect(new Set(many).size).toBe(1001);
    expect(many).toEqual(many.toSorted());
    expect(many.at(-2)).toBe("7.999");
  });

  it("stay in the millisecond of Date, and in order, when the timer runs behind or ahead", () => {
    expect(read([9, 7.5], [9, 7.6], [10, 8.6])).toEqual(["9.000", "9.100", "10.100"]);
    expect(read([7, 7.9], [7, 8.01], [7, 8.02], [8, 8.1], [8, 8.2])).toEqual([
      "7.900",
      "7.901",
      "7.902",
      "8.000",
      "8.100",
    ]);
  });

  it("follow a clock that is set back or forward", () => {
    expect(read([7000, 7000.5], [2000, 7001], [2000, 7001.2], [9000, 7002])).toEqual([
      "7000.500",
      "2000.500",
      "2000.700",
      "9000.000",
    ]);
  });

  it("are those of the system clock, in the same millisecond as Date", () => {
    const moments = Array.from({ length: 100 }, () => momentOf(systemClock));
    expect(moments).toEqual(moments.toSorted((a, b) => a - b));
    expect(moments.filter((moment) => !Number.isInteger(moment))).not.toEqual([]);
    const before = systemClock.now().getTime();
    const moment = Math.floor(momentOf(systemClock));
    expect(moment).toBeGreaterThanOrEqual(before);
    expect(moment).toBeLessThanOrEqual(systemClock.now().getTime());
  });
});

it("a mock lists targets in the order of creation while the clock runs", async () => {
  await using mock = new MockCloudReco();
  const database = mock.addCloudDatabase();
  const image = makePng();
  for (let index = 0; index < 100; index += 1) await mock.addTarget(database, { name: `${index}`, image });
  expect(database.targets.map(({ name }) => Number(name))).toEqual(Array.from({ length: 100 }, (_, n) => n));
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
  const clock = new ManualClock(NOON);
  await using mock = new MockCloudReco({ clock });
  clock.set(moment);
  expect(mock.clock.now().toISOString()).toBe(end);
  expect((await mock.fetch(`${mock.urls.manager}/clock`)).status).toBe(200);
  const listed = await mock.fetch(`${mock.urls.manager}/requests`);
  expect(await listed.json()).toMatchObject({ requests: [{ time: end }] });
});

describe("long computations", () => {
  const burn = (milliseconds: number) => {
    for (const start = performance.now(); performance.now() - start < milliseconds; );
  };

  it("take as long a part of each turn of the event loop as all else, together", async () => {
    let [turns, isOver] = [0, false];
    const turn = () => {
      turns += 1;
      burn(4);
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const computations = Array.from({ length: 20 }, async () => {
      for (let slice = 0; slice < 3; slice += 1) {
        await yieldToEventLoop();
        burn(1);
      }
    });
    await Promise.all(computations);
    isOver = true;
    expect(turns).toBeLessThan(40);
  });
});
