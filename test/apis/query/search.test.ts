import { describe, expect, test } from "vitest";
import { newCloudDatabase } from "../../../src/domain/new-database.ts";
import type { ImageMatcher } from "../../../src/images/matchers.ts";
import { createRandom } from "../../../src/runtime/random.ts";
import { makePng, pngChunk } from "../../support/png.ts";
import { Mock } from "./mock.ts";
import { goodPlan, imagePart, type Part, queryImage, requestOf } from "./plan.ts";

async function query(mock: Mock, fields: Readonly<Record<string, string>> = {}, image = queryImage) {
  const plan = goodPlan(mock.now);
  const options = Object.entries(fields).map(([name, content]): Part => ({ name, content }));
  plan.parts = [imagePart(image), ...options];
  return mock.send(requestOf(plan, mock.database));
}

async function results(mock: Mock, fields: Readonly<Record<string, string>> = {}, image = queryImage) {
  const { text, status } = await query(mock, fields, image);
  expect(status).toBe(200);
  const { results: found }: { results: { target_id: string; target_data?: object }[] } = JSON.parse(text);
  return found;
}

const ids = async (mock: Mock) =>
  (await results(mock, { max_num_results: "50" })).map(({ target_id }) => target_id);
const everything: ImageMatcher = () => 0.5;

describe("the response", () => {
  test("has its keys in order, to the byte", async () => {
    const mock = new Mock();
    mock.now += 123;
    const id = await mock.addTarget(queryImage, { name: "näme/\u{1f600}", metadata: "XN" });
    const { text, headers, status, bytes } = await query(mock);
    expect(status).toBe(200);
    expect(text.replace(/"[0-9a-f]{32}"\}$/, '"ID"}')).toBe(
      `{"result_code":"Success","results":[{"target_id":"${id}","target_data":{"target_timestamp":1795257720,` +
        `"name":"n\\u00e4me/\\ud83d\\ude00","application_metadata":"XA=="}}],"query_id":"ID"}`,
    );
    expect(headers).toEqual([
      ["Connection", "keep-alive"],
      ["Server", "nginx"],
      ["Date", "Sat, 21 Nov 2026 10:42:00 GMT"],
      ["Content-Type", "application/json"],
      ["Content-Encoding", "gzip"],
      ["x-cloud-region", "us-east-2, us-west-2"],
      ["Content-Length", String(bytes.length)],
    ]);
    expect(mock.lastEntry).toMatchObject({ resultCode: "Success", database: mock.database.name });
  });

  test("without encoding, and without region", async () => {
    const mock = new Mock({ queryContentEncoding: "identity" }, { profile: "vuforia" });
    const { text, bytes, headers } = await query(mock);
    expect(bytes.toString()).toBe(text);
    expect(text).toMatch(/^\{"result_code":"Success","results":\[\],"query_id":"[0-9a-f]{32}"\}$/);
    expect(headers.map(([name]) => name)).toEqual([
      "Connection",
      "Server",
      "Date",
      "Content-Type",
      "Content-Length",
    ]);
  });

  test.each([
    [null, null],
    ["", ""],
    ["XN", "XA=="],
    ["YWJj", "YWJj"],
    ["YQ==YQ==", "YQ=="],
    ["YWJjZ", "YWJj"],
  ])("metadata %j comes back as %j", async (metadata, sent) => {
    const mock = new Mock();
    await mock.addTarget(queryImage, { metadata });
    expect(await results(mock)).toMatchObject([{ target_data: { application_metadata: sent } }]);
  });

  test.each([
    ["top", [true, false, false]],
    ["all", [true, true, true]],
    ["none", [false, false, false]],
  ])("include_target_data %s", async (include_target_data, expected) => {
    const mock = new Mock();
    for (let count = 0; count < 3; count += 1) await mock.addTarget(queryImage);
    const found = await results(mock, { include_target_data, max_num_results: "50" });
    expect(found.map((result) => "target_data" in result)).toEqual(expected);
  });

  test("file parts do not count as options, and the first of repeated parts wins", async () => {
    const mock = new Mock();
    const first = await mock.addTarget(queryImage);
    await mock.addTarget(makePng({ width: 7 }));
    const plan = goodPlan(mock.now);
    plan.parts = [
      { name: "max_num_results", filename: "", content: "no number" },
      { name: "include_target_data", filename: "x", content: "nothing" },
      { name: "image", content: "no file" },
      { name: "max_num_results", content: "2" },
      { name: "max_num_results", content: "1000" },
      imagePart(),
      imagePart(makePng({ width: 7 })),
      imagePart(Buffer.from("no image")),
    ];
    const { text } = await mock.send(requestOf(plan, mock.database));
    expect(JSON.parse(text).results).toMatchObject([{ target_id: first }]);
  });
});

describe("what matches", () => {
  test("active targets that were processed with success and a rating above 0", async () => {
    const mock = new Mock({ queryMatcher: everything });
    const matching = await mock.addTarget(queryImage, { name: "matching" });
    await mock.addTarget(queryImage, { name: "inactive", active: false });
    await mock.addTarget(queryImage, { name: "processing", processingTimeSeconds: 0.5 });
    mock.outcome = "failed";
    await mock.addTarget(queryImage, { name: "failed" });
    mock.outcome = "success";
    mock.rating = 0;
    await mock.addTarget(queryImage, { name: "unrated" });
    mock.rating = 1;
    const deleted = await mock.addTarget(queryImage, { name: "deleted" });
    mock.store.deleteTarget(mock.database.name, deleted, mock.now);

    mock.now += 200;
    expect(await ids(mock)).toEqual([matching]);
    expect(mock.lastEntry?.considered?.map(({ name, matched, why }) => [name, matched, why])).toEqual([
      ["matching", true, "matched: score 0.5, rank 1"],
      ["inactive", false, "inactive"],
      ["processing", false, "still processing, for 0.3 s more"],
      ["failed", false, "failed: the image is of one colour, or nearly"],
      ["unrated", false, "tracking rating 0; it must be above 0"],
    ]);
    mock.now += 299;
    expect(await ids(mock)).toHaveLength(1);
    mock.now += 1;
    expect(await ids(mock)).toHaveLength(2);
  });

  test("only targets of the database whose keys signed", async () => {
    const mock = new Mock({ queryMatcher: everything });
    const other = newCloudDatabase({}, createRandom(2));
    mock.store.createDatabase(other);
    const id = await mock.addTarget(queryImage);
    const { text } = await mock.send(requestOf(goodPlan(mock.now), other));
    expect(JSON.parse(text).results).toEqual([]);
    expect(await ids(mock)).toEqual([id]);
  });

  test("an updated target matches with what it was given, once processed again", async () => {
    const mock = new Mock();
    const id = await mock.addTarget(makePng({ width: 9 }), { processingTimeSeconds: 0.5 });
    mock.now += 1000;
    expect(await ids(mock)).toEqual([]);
    const changes = { image: queryImage, name: "new", metadata: "bmV3" };
    await mock.store.updateTarget(mock.database.name, id, changes, mock.now, ["success"]);
    expect(await ids(mock)).toEqual([]);
    mock.now += 500;
    expect(await results(mock)).toEqual([
      {
        target_id: id,
        target_data: { target_timestamp: 1795257721, name: "new", application_metadata: "bmV3" },
      },
    ]);
  });

  test("a damaged image that opens is searched for", async () => {
    const mock = new Mock();
    const cut = queryImage.subarray(0, queryImage.length - 40);
    const id = await mock.addTarget(cut);
    expect(await results(mock, {}, cut)).toMatchObject([{ target_id: id }]);
    expect(await results(mock, {}, Buffer.concat([queryImage, Buffer.from("stray")]))).toEqual([]);
    for (const colourType of [0, 2, 4, 6]) {
      expect(await results(mock, {}, makePng({ colourType, before: [pngChunk("tEXt")] }))).toEqual([]);
    }
  });
});

describe("order", () => {
  const byName: ImageMatcher = (_a, _b, target) => Number(target?.name.split(" ")[0]);

  test("by score, then by upload, cut to max_num_results", async () => {
    const mock = new Mock({ queryMatcher: byName });
    const names = ["0.2", "0.9", "0.9 later", "-1", "5"];
    const added = new Map<string, string>();
    for (const name of names) added.set(await mock.addTarget(queryImage, { name }), name);
    const order = ["5", "0.9", "0.9 later", "0.2", "-1"];
    for (const count of [1, 2, 3, 4, 5, 6]) {
      const found = await results(mock, { max_num_results: String(count) });
      expect(found.map(({ target_id }) => added.get(target_id))).toEqual(order.slice(0, count));
    }
    expect(await results(mock)).toHaveLength(1);
    expect(mock.lastEntry?.considered?.map(({ matched, why }) => [matched, why])).toEqual([
      [true, "matched: score 5, rank 1"],
      [true, "score 0.9, rank 2, cut off by max_num_results 1"],
      [true, "score 0.9, rank 3, cut off by max_num_results 1"],
      [true, "score 0.2, rank 4, cut off by max_num_results 1"],
      [true, "score -1, rank 5, cut off by max_num_results 1"],
    ]);
  });

  test("a clock that is set back does not reorder", async () => {
    const mock = new Mock({ queryMatcher: everything });
    const first = await mock.addTarget(queryImage);
    mock.now -= 60_000;
    const second = await mock.addTarget(queryImage);
    mock.now += 60_000;
    expect(await ids(mock)).toEqual([first, second]);
  });
});

describe("matchers", () => {
  test("get the query's image, the target's, and the target", async () => {
    const seen: unknown[] = [];
    const mock = new Mock({
      queryMatcher: async (...given) => {
        seen.push(given);
        return undefined;
      },
    });
    const other = makePng({ width: 5 });
    const id = await mock.addTarget(other, { name: "label", metadata: "YQ==" });
    expect(await ids(mock)).toEqual([]);
    expect(seen).toEqual([
      [queryImage, other, expect.objectContaining({ id, name: "label", metadata: "YQ==" })],
    ]);
    expect(mock.lastEntry?.considered).toEqual([
      { targetId: id, name: "label", matched: false, why: "no score: the matcher sees no match" },
    ]);
  });

  test.each([[true], [false], [Number.NaN], [Number.POSITIVE_INFINITY], ["1"], [{}]])(
    "that return %j fail the request with a TypeError",
    async (returned) => {
      // A JavaScript user's matcher may return anything.
      const untyped: { queryMatcher(): never } = JSON.parse("{}");
      const mock = new Mock(Object.assign(untyped, { queryMatcher: () => returned }));
      await mock.addTarget(queryImage);
      await expect(query(mock)).rejects.toThrow(TypeError);
      expect(mock.lastEntry?.reason).toContain(
        "accepted are a finite number for a match, and null or undefined",
      );
    },
  );

  test("that throw fail the request with their error", async () => {
    const error = new Error("the user's own");
    const mock = new Mock({ queryMatcher: () => Promise.reject(error) });
    await mock.addTarget(queryImage);
    await expect(query(mock)).rejects.toBe(error);
  });
});

describe("the configured failure", () => {
  test.each([
    ["a text", "käputt", Buffer.from("käputt")],
    ["bytes", new Uint8Array([0, 255, 13]), Buffer.from([0, 255, 13])],
    ["no body", undefined, Buffer.alloc(0)],
  ])("with %s goes out as configured, before any check", async (_, body, sent) => {
    const headers = { "x-CASE": "1", "content-type": "text/plain" };
    const mock = new Mock({
      cloudQueryFailure: { status: 503, headers, ...(body !== undefined && { body }) },
    });
    const plan = goodPlan(mock.now);
    plan.authorization = undefined;
    plan.extraHeader = "x".repeat(9000);
    const response = await mock.send(requestOf(plan, mock.database));
    expect(response.status).toBe(503);
    expect(response.headers).toEqual(Object.entries(headers));
    expect(response.bytes).toEqual(sent);
    expect(mock.lastEntry).toMatchObject({ operation: "query", status: 503, refusedBy: "cloudQueryFailure" });
  });
});
