import {
  type ImageMatcher,
  ManualClock,
  MockCloudReco,
  type MockCloudRecoOptions,
  mappingMatcher,
  perfectRater,
} from "mock-cloud-reco";
import { describe, expect, test } from "vitest";
import { axiosClient, fetchClient, gotClient, nodeClient } from "../../support/clients.ts";
import { makePng } from "../../support/png.ts";
import { goodPlan, queryImage } from "../../support/query-plan.ts";
import { results, START, sendPlan } from "./send.ts";

const ALL = { max_num_results: "50" };
const ids = (found: Awaited<ReturnType<typeof results>>) => found.map(({ target_id }) => target_id);
const considered = (mock: MockCloudReco) =>
  mock.requests.at(-1)?.considered?.map(({ name, matched, why }) => [name, matched, why]);

function open(options: MockCloudRecoOptions) {
  const clock = new ManualClock(START);
  const mock = new MockCloudReco({ targetRater: perfectRater, ...options, clock });
  const keys = mock.addCloudDatabase();
  let added = 0;
  /** Orders targets that are added while the clock stands still. */
  const nextId = () => String(added++).padStart(32, "0");
  return {
    clock,
    mock,
    keys,
    urls: mock.urls,
    add: (name: string, fields = {}) =>
      mock.addTarget(keys, { image: makePng(), name, targetId: nextId(), processed: true, ...fields }),
    [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose](),
  };
}

/** Scores each target by what its name begins with. */
const byName: ImageMatcher = (_a, _b, target) => Number(target?.name.split(" ")[0]);

describe("order", () => {
  test("by score, then by upload, cut to max_num_results; the journal says so", async () => {
    await using service = open({ queryMatcher: byName });
    for (const name of ["0.2", "0.9", "0.9 later", "-1", "5"]) await service.add(name, { targetId: name });
    const order = ["5", "0.9", "0.9 later", "0.2", "-1"];
    for (const count of [1, 2, 3, 4, 5, 6]) {
      const found = await results(service, service.keys, queryImage, { max_num_results: String(count) });
      expect(ids(found)).toEqual(order.slice(0, count));
    }
    expect(ids(await results(service, service.keys, queryImage))).toEqual(["5"]);
    expect(considered(service.mock)).toEqual([
      ["5", true, "matched: score 5, rank 1"],
      ["0.9", true, "score 0.9, rank 2, cut off by max_num_results 1"],
      ["0.9 later", true, "score 0.9, rank 3, cut off by max_num_results 1"],
      ["0.2", true, "score 0.2, rank 4, cut off by max_num_results 1"],
      ["-1", true, "score -1, rank 5, cut off by max_num_results 1"],
    ]);
  });

  test("a clock that is set back is followed: what is added then comes first", async () => {
    await using service = open({ queryMatcher: () => 1 });
    await service.add("1", { targetId: "z" });
    service.clock.advance(-60);
    await service.add("2", { targetId: "a" });
    service.clock.advance(60);
    expect(ids(await results(service, service.keys, queryImage, ALL))).toEqual(["a", "z"]);
  });
});

test("the journal says why each target was not searched", async () => {
  await using service = open({
    queryMatcher: () => null,
    targetRater: (image) => (image.equals(makePng({ width: 5 })) ? 0 : 5),
    processingTimeSeconds: 0.5,
  });
  await service.add("inactive", { activeFlag: false });
  await service.add("processing", { processed: false });
  await service.add("flat", { image: makePng({ fill: 9 }) });
  await service.add("unrated", { image: makePng({ width: 5 }) });
  await service.add("searched");
  service.clock.advance(0.2);
  expect(await results(service, service.keys, queryImage, ALL)).toEqual([]);
  expect(considered(service.mock)).toEqual([
    ["inactive", false, "inactive: its active_flag is false"],
    ["processing", false, "still processing, for 0.3 s more"],
    ["flat", false, expect.stringMatching(/^failed: the image has only one colour/)],
    ["unrated", false, "tracking rating 0; expected above 0"],
    ["searched", false, "no score: the matcher found no match"],
  ]);
});

describe("a custom matcher", () => {
  test("gets the query's image, the target's, and the target", async () => {
    const seen: unknown[] = [];
    const queryMatcher: ImageMatcher = async (...given) => {
      seen.push(given);
      return undefined;
    };
    await using service = open({ queryMatcher });
    const image = makePng({ width: 5 });
    const target = { targetId: "id", image, applicationMetadata: "YQ==" };
    await service.add("label", target);
    expect(await results(service, service.keys, queryImage)).toEqual([]);
    const shown = expect.objectContaining({ targetId: "id", name: "label", applicationMetadata: "YQ==" });
    expect(seen).toEqual([[queryImage, image, shown]]);
  });

  test("may map chosen images to chosen targets", async () => {
    const queryMatcher = mappingMatcher([
      { image: queryImage, target: "second", score: 0.9 },
      { image: queryImage, target: "first", score: 0.8 },
    ]);
    await using service = open({ queryMatcher });
    for (const name of ["first", "second", "third"]) await service.add(name, { targetId: `id of ${name}` });
    const found = await results(service, service.keys, queryImage, ALL);
    expect(ids(found)).toEqual(["id of second", "id of first"]);
    expect(await results(service, service.keys, makePng({ width: 5 }), ALL)).toEqual([]);
  });

  const clients = Object.entries({ fetchClient, nodeClient, axiosClient, gotClient });
  const failureOf = async (service: ReturnType<typeof open>, client: typeof fetchClient): Promise<unknown> =>
    sendPlan(service, service.keys, { ...goodPlan(START), accept: "*/*" }, client).then(
      ({ status }) => `no failure, but ${status}`,
      (error: unknown) => error,
    );
  /** Clients wrap errors in their own. */
  const root = (error: unknown): unknown =>
    error instanceof Error && error.cause !== undefined ? root(error.cause) : error;

  test.each(clients)("that throws fails the request with its error, through %s", async (_, client) => {
    const own = new Error("the user's own");
    await using service = open({ queryMatcher: () => Promise.reject(own) });
    await service.add("target");
    const failure = await failureOf(service, client);
    expect(root(failure)).toMatchObject({ message: own.message });
    expect(service.mock.requests.at(-1)?.reason).toContain(own.message);
  });

  test.each(
    [true, false, Number.NaN, Number.POSITIVE_INFINITY, "1", {}].flatMap((returned) =>
      clients.map(([name, client]) => ({ returned, name, client })),
    ),
  )(
    "that returns $returned fails the request with a TypeError, through $name",
    async ({ returned, client }) => {
      // A user's JavaScript is not restricted by the type.
      const untyped: { queryMatcher(): never } = JSON.parse("{}");
      await using service = open(Object.assign(untyped, { queryMatcher: () => returned }));
      await service.add("target");
      const failure = await failureOf(service, client);
      expect(root(failure)).toBeInstanceOf(TypeError);
      expect(String(root(failure))).toContain(
        "expected a finite number for a match, or null or undefined for none",
      );
      expect(service.mock.requests.at(-1)).toMatchObject({
        operation: "query",
        reason: expect.stringContaining("image matcher"),
      });
    },
  );
});

describe("the journal of a query over many targets", () => {
  test("lists the nearest 100, and counts the others by reason", async () => {
    await using service = open({ queryMatcher: (_a, _b, target) => (target?.name === "near" ? 1 : null) });
    for (let index = 0; index < 60; index++) await service.add(`off ${index}`, { activeFlag: false });
    for (let index = 0; index < 70; index++) await service.add(`far ${index}`);
    await service.add("near");
    await results(service, service.keys, queryImage);
    const told = considered(service.mock) ?? [];
    expect(told).toHaveLength(100);
    expect(told.slice(0, 2)).toEqual([
      ["near", true, "matched: score 1, rank 1"],
      ["off 0", false, "inactive: its active_flag is false"],
    ]);
    expect(service.mock.requests.at(-1)?.otherTargets).toEqual([
      { code: "target.unscored", why: "no score: the matcher found no match", count: 31 },
    ]);
    expect(service.mock.explain()).toContain("and 121 more targets");
  });

  test("counts those that were still processing together, and names those that were not compared", async () => {
    await using service = open({ processingTimeSeconds: 100 });
    for (let index = 0; index < 120; index++) {
      await service.add(`new ${index}`, { processed: false });
      service.clock.advance(0.1);
    }
    for (let index = 0; index < 30; index++) await service.add(`same ${index}`, { image: queryImage });
    await results(service, service.keys, queryImage);
    const told = considered(service.mock) ?? [];
    expect(told[0]).toEqual(["same 0", true, "matched: score 1, rank 1"]);
    expect(told[11]).toEqual(["same 11", true, "score 1, cut off by max_num_results 1"]);
    expect(service.mock.requests.at(-1)?.otherTargets).toEqual([
      { code: "target.waiting", why: "still processing", count: 32 },
      {
        code: "target.not-compared",
        why: "not compared: 10 other targets are nearer in any case",
        count: 18,
      },
    ]);
  });
});
