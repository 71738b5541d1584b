import { once } from "node:events";
import { ManualClock, samplePicture } from "mock-cloud-reco";
import type { MockFixtureOptions } from "mock-cloud-reco/assert";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import { describe, expect, it } from "vitest";
import { MockSession } from "../support/mock-session.ts";
import { makePng } from "../support/png.ts";
import { unwrapped } from "../support/unwrapped.ts";
import { openFixture } from "./open-fixture.ts";

const summary = () => fetch("https://vws.vuforia.com/summary");

describe("a test that failed is told what may surprise about served requests", () => {
  it("gzip that the client did not ask for, and a target that failed; each once", async () => {
    const { mock, database, end } = openFixture();
    const session = new MockSession(mock, database);
    const image = await samplePicture(1);
    await mock.addTarget(database, { image, processed: true });
    const { targetId } = await mock.addTarget(database, { image, processed: true, status: "failed" });
    for (let index = 0; index < 2; index++) {
      await session.query(image);
      await session.target({ method: "GET", path: `/targets/${targetId}` });
    }
    const text = unwrapped(end({ failed: true, error: new Error("unexpected token") }) ?? "");
    expect(text).toMatch(
      /^The mock has a note on 2 requests:\n#1 .* POST \/v1\/query → 200 Success .*\n {3}decode the response, or .*: it is gzip-encoded .*\n/,
    );
    expect(text.split("gzip-encoded")).toHaveLength(2);
    expect(text).toMatch(
      /#4 .* GET \/targets\/.*\n {3}failed: the image has only one colour.*status: "failed"\)$/,
    );
  });

  it("that rate limits do not concern queries", async () => {
    const { mock, database, end } = openFixture({ database: { requestsPerSecondLimit: 1 } });
    const session = new MockSession(mock, database);
    for (let index = 0; index < 2; index++) await session.query(makePng());
    expect(unwrapped(end({ failed: true, error: new Error("expected 200 to be 429") }) ?? "")).toContain(
      'The rate limits of the database "test-database" are of the target API: to refuse queries, add a fault with the status 429.',
    );
    const refused = openFixture({ database: { requestsPerSecondLimit: 1 } });
    await new MockSession(refused.mock, refused.database).query(makePng());
    expect(refused.end({ failed: true, error: new Error("expected 200 to be 429") })).not.toContain(
      "rate limits",
    );
  });

  it("first of all, what the option realism changed", async () => {
    const { mock, database, end } = openFixture({ realism: true });
    await summary();
    const session = new MockSession(mock, database);
    const { target_id: id } = JSON.parse((await session.add()).body.toString());
    await session.target({ method: "GET", path: `/targets/${id}` });
    const text = unwrapped(end({ failed: true, error: new Error("expected 404 to be 200") }) ?? "");
    expect(text).toMatch(
      /^The option realism changed the answer to 1 request:\n#3 .* → 404 UnknownTarget .*\n {3}not yet visible: added [\d.]+ s ago, visible after 1 s \(realism\)\nThe mock refused 1 request:\n#1 /,
    );
    expect(text.split("(realism)")).toHaveLength(2);
  });

  it("and which requests its own faults applied to", async () => {
    const { mock, end } = openFixture();
    const [, above] = /explain-served\.test\.ts:(\d+)/.exec(new Error().stack ?? "") ?? [];
    mock.addFault({ operation: "databaseSummary", response: { status: 503 } });
    await summary();
    const text = unwrapped(end({ failed: true, error: new Error("503") }) ?? "");
    expect(text).toMatch(/^A fault of this test applied to 1 request:\n#1 .* → 503 .*\n {3}addFault: .*$/);
    expect(text.split("addFault: ")[1]).toBe(
      `answered with 503, by the fault that was added at test/runners/explain-served.test.ts:${Number(above) + 1}`,
    );
  });
});

describe("a test that failed is told what it may not expect", () => {
  const failed = { failed: true, error: new TypeError("Cannot read properties of undefined") };
  const opened = (options: MockFixtureOptions = {}) => {
    const { mock, database, end } = openFixture(options);
    const ended = () => unwrapped(end({ ...failed, error: new TypeError(failed.error.message) }) ?? "");
    const session = new MockSession(mock, database);
    const get = (path: string) => session.target({ method: "GET", path });
    return { mock, database, session, get, ended };
  };

  it.each(["targets", "summary"])("of GET /%s/{id} while the target is processing", async (path) => {
    const { mock, database, get, ended } = opened({ processingTimeSeconds: 60 });
    mock.finishProcessing();
    const { targetId } = await mock.addTarget(database, { image: makePng() });
    await get(`/${path}/${targetId}`);
    await get(`/${path}/${targetId}`);
    expect(ended()).toMatch(
      /^The mock has a note on 1 request:\n#2 .*\[status\.processing\]\n {3}await the add, then call mock\.finishProcessing\(\) or advance the clock: the target is still processing, so its tracking_rating is -1/,
    );
  });

  it("nothing of a target that is processed in the end", async () => {
    const { mock, database, get, ended } = opened({ processingTimeSeconds: 60 });
    const { targetId } = await mock.addTarget(database, { image: await samplePicture(1) });
    await get(`/targets/${targetId}`);
    mock.finishProcessing();
    await get(`/targets/${targetId}`);
    expect(ended()).toBe("");
  });

  it("of a database's summary while a target is processing", async () => {
    const { mock, database, get, ended } = opened({ processingTimeSeconds: 60 });
    await mock.addTarget(database, { image: makePng() });
    await get("/summary");
    expect(ended()).toMatch(
      /\[summary\.processing\]\n {3}await the add, .*: 1 target is still processing, and not counted as active/,
    );
  });

  it("of duplicates while another target is processing", async () => {
    const { mock, database, get, ended } = opened({ processingTimeSeconds: 60 });
    const image = await samplePicture(1);
    const { targetId } = await mock.addTarget(database, { image, processed: true });
    await mock.addTarget(database, { image });
    await get(`/duplicates/${targetId}`);
    expect(ended()).toMatch(
      /\n {3}wait until all targets are processed, or activate them: of the others, 1 is still processing, and compared only when that/,
    );
  });

  it("of duplicates that are inactive", async () => {
    const { mock, database, get, ended } = opened();
    const image = await samplePicture(1);
    const { targetId } = await mock.addTarget(database, { image, processed: true });
    await mock.addTarget(database, { image, processed: true, activeFlag: false });
    await get(`/duplicates/${targetId}`);
    expect(ended()).toMatch(
      /\n {3}wait until all targets are processed, or activate them: of the others, 1 is inactive, and not compared$/,
    );
  });

  it("not of duplicates when every other target was compared", async () => {
    const { mock, database, get, ended } = opened();
    const image = await samplePicture(1);
    const { targetId } = await mock.addTarget(database, { image, processed: true });
    await mock.addTarget(database, { image, processed: true });
    await get(`/duplicates/${targetId}`);
    expect(ended()).toBe("");
  });

  it("of recognition counts after a query that found a target", async () => {
    const { mock, database, session, get, ended } = opened({ queryContentEncoding: "identity" });
    const image = await samplePicture(1);
    const { targetId } = await mock.addTarget(database, { image, processed: true });
    await session.query(image);
    await get("/summary");
    await get(`/summary/${targetId}`);
    const never = (by: string) => `set the recognition counts with mock.${by}(): queries never change them`;
    const text = ended();
    expect(text).toContain(never("updateDatabase"));
    expect(text).toContain(never("setRecognitionCounts"));
    expect(text.match(/\[counts\.unset\]/g)).toHaveLength(2);
    expect(mock.requests).toHaveLength(3);
  });

  it("of a query's number of results, and of their target_data", async () => {
    const query = async (send: (session: MockSession, image: Buffer) => Promise<unknown>) => {
      const { mock, database, session, ended } = opened({ queryContentEncoding: "identity" });
      const image = await samplePicture(1);
      for (let index = 0; index < 3; index++) await mock.addTarget(database, { image, processed: true });
      await send(session, image);
      return ended();
    };
    expect(await query((session, image) => session.query(image))).toMatch(
      /\[results\.fewer\]\n {3}send a larger max_num_results than 1: 3 targets match$/m,
    );
    expect(await query((session, image) => new VuforiaClient(session.database).find(image))).toMatch(
      /\[results\.data\]\n {3}send include_target_data=all: only the first result has target_data$/m,
    );
  });

  describe("of finishProcessing() before an add was awaited:", () => {
    const early =
      /^mock\.finishProcessing\(\) was called at test\/\S+:\d+, before a target was added: await the add first\.$/m;

    it("a query or a status that finds the target processing", async () => {
      const { mock, session, ended } = opened({ processingTimeSeconds: 60 });
      const adding = session.add();
      mock.finishProcessing();
      await adding;
      await session.query();
      expect(ended()).toMatch(early);
    });

    it("an add that the mock has not answered when the test fails, and one that has not arrived", async () => {
      const ending = new AbortController();
      const rating = once(ending.signal, "abort").then(() => 5);
      const { mock, session, ended } = opened({ targetRater: () => rating });
      const arrived = new Promise((resolve) => mock.on("request", resolve));
      const adding = session.add();
      mock.finishProcessing();
      await arrived;
      expect(ended()).toMatch(early);
      ending.abort();
      await adding.catch(() => {});

      const none = openFixture();
      none.mock.finishProcessing();
      const text = none.end({ failed: true, error: new Error("expected [] to have length 1") });
      expect(unwrapped(text ?? "")).toMatch(
        /^mock\.finishProcessing\(\) was called at \S+, before anything was added: await the add first\.\nNo request/,
      );
    });

    it("nothing of targets whose processing nothing met, that have no processing, or after another call", async () => {
      const clock = new ManualClock();
      const late = opened({ processingTimeSeconds: 60, clock });
      late.mock.finishProcessing();
      await late.mock.addTarget(late.database, { image: makePng() });
      clock.advance(60);
      await summary();
      expect(late.ended()).not.toContain("finishProcessing() was called");

      const again = opened({ processingTimeSeconds: 60 });
      again.mock.finishProcessing();
      await again.session.add();
      again.mock.finishProcessing();
      await summary();
      expect(again.ended()).not.toContain("finishProcessing() was called");

      const updated = opened({ processingTimeSeconds: 60 });
      const { targetId } = await updated.mock.addTarget(updated.database, { image: makePng() });
      updated.mock.finishProcessing();
      await updated.mock.updateTarget(updated.database, targetId, { width: 2 });
      await updated.get(`/targets/${targetId}`);
      expect(updated.ended()).not.toContain("finishProcessing() was called");

      const reset = opened({ processingTimeSeconds: 60 });
      reset.mock.finishProcessing();
      await reset.mock.reset();
      await reset.mock.addTarget(reset.mock.addCloudDatabase(), { image: makePng() });
      await summary();
      expect(reset.ended()).not.toContain("finishProcessing() was called");
    });
  });

  it("of a client that gave up while the option responseDelaySeconds made it wait", async () => {
    const { mock, database, end } = openFixture({ responseDelaySeconds: 30, delay: async () => {} });
    await new MockSession(mock, database).target({ method: "GET", path: "/summary" });
    const says = "Each response waits for 30 s, as the option responseDelaySeconds says.";
    expect(end({ failed: true, error: new Error("This operation was aborted") })).toBe(says);
  });

  it("of a fault that applied to no request, also when it was removed", async () => {
    const { mock, database, get, ended } = opened();
    await get("/summary");
    const other = mock.addCloudDatabase({ databaseName: "other" });
    const response = { status: 503 };
    {
      using _unused = mock.addFault({ operation: "query", response });
      mock.addFault({ operation: "databaseSummary", database: other, response });
      mock.addFault({ operation: "databaseSummary", when: () => false, response });
      mock.addFault({ api: "target", times: 1, response, probability: 0 });
      mock.addFault({ api: "target", times: 1, response });
      await get("/summary");
    }
    const lines = ended().split("\n").slice(3);
    expect(lines.map((line) => line.replace(/ that was added at test\S+:\d+/, ""))).toEqual([
      "The fault (for query) applied to no request: the mock received only databaseSummary.",
      'The fault (for databaseSummary, database "other") applied to no request: the nearest, #2 GET /summary, was signed with keys of the database "test-database".',
      "The fault (for databaseSummary) applied to no request: the nearest, #2 GET /summary, came before it, or its `when` returned false.",
      "The fault (for target) applied to no request: the nearest, #2 GET /summary, came before it, or its probability spared it.",
    ]);
    expect(database.databaseName).toBe("test-database");
    const isolated = opened();
    isolated.mock.addFault({ operation: "databaseSummary", response });
    await isolated.mock.isolate(async () => await summary());
    await isolated.get("/targets");
    expect(isolated.ended()).not.toContain("The fault");
    const reset = opened();
    reset.mock.addFault({ operation: "query", response });
    await reset.mock.reset();
    await summary();
    expect(reset.ended()).not.toContain("The fault");
  });
});
