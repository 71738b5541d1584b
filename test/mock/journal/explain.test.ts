import { createHash, createHmac } from "node:crypto";
import { inspect } from "node:util";
import axios from "axios";
import {
  exactMatcher,
  fixedRater,
  ManualClock,
  MockCloudReco,
  perfectRater,
  samplePicture,
  type TargetRater,
} from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { nodeClient } from "../../support/clients.ts";
import { MockSession } from "../../support/mock-session.ts";
import { makePng, palette } from "../../support/png.ts";
import { scene } from "../../support/scenes.ts";

const NOON = new Date("2026-11-21T12:00:00Z");

async function opened(options: { queryMatcher?: typeof exactMatcher; targetRater?: TargetRater } = {}) {
  const clock = new ManualClock(NOON);
  const mock = new MockCloudReco({
    clock,
    seed: 1,
    processingTimeSeconds: 2,
    queryContentEncoding: "identity",
    targetRater: fixedRater(5),
    ...options,
  });
  const database = mock.addCloudDatabase({ databaseName: "shop" });
  const session = new MockSession(mock, database, () => clock.now());
  return { mock, clock, database, session, [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose]() };
}

/** Lines without indentation. */
const lines = (text: string): string[] => text.split("\n").map((line) => line.trim());

describe("the printed journal explains how to fix", () => {
  it("a content type that was signed with its parameters", async () => {
    await using service = await opened();
    const { mock, session, database } = service;
    const { headers, body = Buffer.alloc(0), ...rest } = session.signedQuery();
    const type = headers["Content-Type"];
    const digest = createHash("md5").update(body).digest("hex");
    const signature = createHmac("sha1", database.clientSecretKey)
      .update(["POST", digest, type, headers.Date, "/v1/query"].join("\n"))
      .digest("base64");
    const Authorization = `VWS ${database.clientAccessKey}:${signature}`;
    await nodeClient({ ...rest, body, headers: { ...headers, Authorization } });
    expect(lines(mock.explain())).toEqual([
      "1 request, 1 refused",
      '#1 2026-11-21T12:00:00.000Z POST /v1/query → 401 AuthenticationFailure (query, database "shop")',
      expect.stringMatching(
        /^authenticated: the signature does not match: sign the Content-Type that is sent, up to its first semicolon \("multipart\/form-data", not "multipart\/form-data; boundary=b0undary"\)\. String to sign, expected: .*multipart\/form-data▶\\nSat.*; signed: .*multipart\/form-data▶; boundary=b0undary/,
      ),
    ]);
  });

  it("the wrong secret key", async () => {
    await using service = await opened();
    const { mock, session, database } = service;
    await session.target({ method: "GET", path: "/targets", secretKey: "not it" });
    await session.target({ method: "GET", path: "/targets", secretKey: database.clientSecretKey });
    expect(lines(mock.explain()).filter((line) => line.startsWith("signatureMatches"))).toEqual([
      expect.stringContaining(
        "no common mistake explains it: check the secret key, and that exactly this is signed",
      ),
      "signatureMatches: the signature was made with the database's client secret key; sign with the secret key " +
        "that belongs to the access key",
    ]);
  });

  it("an Accept header that leaves out JSON on a query", async () => {
    await using service = await opened();
    const { mock, session } = service;
    const { body, ...query } = session.signedQuery();
    const headers = { ...query.headers, Accept: "text/html" };
    await axios.request({ ...query, headers, data: body }).catch(() => {});
    expect(lines(mock.explain())[2]).toBe(
      'acceptsJson: the Accept header is "text/html"; expected none, or one that covers application/json: ' +
        "set it on the request, to replace the client's default",
    );
  });

  it("a skewed clock", async () => {
    await using service = await opened();
    const { mock, session } = service;
    await session.target({ method: "GET", path: "/targets", date: "Sat, 21 Nov 2026 11:00:00 GMT" });
    expect(lines(mock.explain()).slice(1)).toEqual([
      '#1 2026-11-21T12:00:00.000Z GET /targets → 403 RequestTimeTooSkewed (listTargets, database "shop")',
      'dateCurrent: the Date header is "Sat, 21 Nov 2026 11:00:00 GMT", but the service\'s clock says Sat, 21 Nov 2026 ' +
        "12:00:00 GMT; expected less than 5 minutes between them: it is 1 h behind, which looks like local time labelled GMT: " +
        "use new Date().toUTCString(); or correct the client's clock, or the mock's if a test set it",
    ]);
  });

  it("a palette PNG", async () => {
    await using service = await opened();
    const { mock, session } = service;
    const image = makePng({ colourType: 3, before: [palette] }).toString("base64");
    await session.add({ image });
    expect(lines(mock.explain()).slice(1)).toEqual([
      '#1 2026-11-21T12:00:00.000Z POST /targets → 422 BadImage (addTarget, database "shop")',
      "imageAcceptable: the image is a PNG of colour type 3 (8-bit palette); expected greyscale of 2, 4 or 8 bits, " +
        "or RGB of 8 or 16 bits: convert it to RGB",
    ]);
  });

  it("a path that nothing serves, a method, and another API's path", async () => {
    await using service = await opened();
    const { mock, session } = service;
    const message = "nothing is served at GET /target; the nearest route is GET /targets (listTargets)";
    await expect(session.target({ method: "GET", path: "/target" })).rejects.toThrow(message);
    await session.target({ method: "DELETE", path: "/targets" });
    await expect(session.target({ method: "POST", path: "/v1/query" })).rejects.toThrow("query API");
    expect(lines(mock.explain())).toEqual([
      "3 requests, 3 refused",
      "#1 2026-11-21T12:00:00.000Z GET /target → no response",
      `route: ${message}`,
      "#2 2026-11-21T12:00:00.000Z DELETE /targets → 404",
      "route: /targets does not support the method DELETE; expected POST (addTarget), GET (listTargets)",
      "#3 2026-11-21T12:00:00.000Z POST /v1/query → no response",
      "route: this host does not serve POST /v1/query; send it to the base URL of the query API (option queryUrl)",
    ]);
  });

  it.each([
    ["an Error", new Error("no model loaded")],
    ["some text", "no model loaded"],
  ])("a matcher that fails with %s", async (_what, thrown) => {
    const queryMatcher = () => {
      throw thrown;
    };
    await using service = await opened({ queryMatcher });
    const { mock, session, database } = service;
    await mock.addTarget(database, { image: makePng(), processed: true });
    await expect(session.query()).rejects.toThrow("no model loaded");
    expect(lines(mock.explain()).slice(0, 3)).toEqual([
      "1 request, 1 refused",
      '#1 2026-11-21T12:00:00.000Z POST /v1/query → no response (query, database "shop")',
      "emulator: the request failed: no model loaded",
    ]);
  });
});

describe("the printed journal explains", () => {
  it("gzip that the client did not request", async () => {
    await using mock = new MockCloudReco();
    const session = new MockSession(mock, mock.addCloudDatabase());
    await session.query();
    expect(lines(mock.explain())).toContain(
      "the response is gzip-encoded although the request does not accept gzip: decode it, or set the option " +
        'queryContentEncoding to "identity"',
    );
    expect(mock.requestsOf({ refused: true })).toEqual([]);
    const { headers, ...query } = session.signedQuery();
    await nodeClient({ ...query, headers: { ...headers, "Accept-Encoding": "gzip" } });
    expect(mock.requests.at(-1)?.reason).toBeUndefined();
    const refusing = { ...query, headers: { ...headers, "Accept-Encoding": "identity" } };
    await nodeClient(refusing);
    // Noted once: the other queries of this client are like the first.
    expect(mock.requests.at(-1)?.reason).toBeUndefined();
    const isolated = await mock.isolate(async () => {
      await nodeClient(refusing);
      return mock.requests.at(-1)?.reason;
    });
    mock.clearRequests();
    await nodeClient(refusing);
    for (const reason of [isolated, mock.requests.at(-1)?.reason])
      expect(reason).toContain("gzip-encoded although the request does not accept gzip");
  });

  it("a target that failed, also on its record", async () => {
    await using service = await opened();
    const { mock, session, database } = service;
    const flat = makePng({ fill: () => 200 });
    const { targetId, whyNotFound } = await mock.addTarget(database, { image: flat, processed: true });
    expect(whyNotFound).toMatch(/^failed: the image has only one colour, or nearly so/);
    expect(database.targets[0]?.whyNotFound).toBe(whyNotFound);
    await session.target({ method: "GET", path: `/targets/${targetId}` });
    expect(mock.requests.at(-1)).toMatchObject({ status: 200, reason: whyNotFound, refusedBy: undefined });
  });

  it("a query without a match: the scores of the nearest targets, and the threshold", async () => {
    await using service = await opened();
    const { mock, session, database } = service;
    for (const [index, seed] of [1, 2, 3, 4].entries()) {
      await mock.addTarget(database, { name: `scene ${index}`, image: await scene(seed), processed: true });
    }
    await session.query(await scene(5));
    const told = mock.requests.at(-1)?.considered?.map(({ why }) => why) ?? [];
    expect(told).toHaveLength(4);
    expect(told[0]).toMatch(
      /^no match: score 0\.\d{1,4}, must be above 0\.6; the matcher compares whole pictures.*mappingMatcher/,
    );
    expect(told[2]).toMatch(/^no match: score 0\.\d{1,4}, must be above 0\.6$/);
    expect(told[3]).toBe("no score: the matcher found no match");
  });

  it("a request with the keys of a database that reset() deleted", async () => {
    await using mock = new MockCloudReco();
    const session = new MockSession(mock, mock.addCloudDatabase({ databaseName: "before" }));
    await mock.reset();
    await session.target({ method: "GET", path: "/targets" });
    expect(mock.requests[0]?.reason).toMatch(
      /belongs to the database "before" that reset\(\) deleted: afterwards, add a database and create the client with its keys$/,
    );
  });

  it("a request with the keys of a stopped mock", async () => {
    const earlier = new MockCloudReco();
    const keys = earlier.addCloudDatabase({ databaseName: "earlier" });
    const late = new MockSession(earlier, keys).signedTarget({ method: "GET", path: "/targets" });
    earlier.stop();
    await using mock = new MockCloudReco();
    await nodeClient(late);
    expect(mock.requests[0]?.reason).toMatch(
      /belongs to the database "earlier" of a mock that has stopped: is this a request left over from an earlier test/,
    );
  });

  it("requests that lost all their headers", async () => {
    await using mock = new MockCloudReco();
    await nodeClient({ method: "GET", url: "https://vws.vuforia.com/targets", headers: {} });
    expect(mock.requests[0]?.reason).toMatch(
      /no Authorization header; .*; the request has no headers of its own; if the client set some, another interceptor/,
    );
  });
});

it("console.log shows a mock in five lines, without its keys", async () => {
  await using service = await opened();
  const { mock, session, database } = service;
  expect(inspect(mock).split("\n")).toHaveLength(3);
  await mock.addTarget(database, { name: "poster", image: makePng(), processed: true });
  for (let index = 0; index < 3; index++) await session.target({ method: "GET", path: "/targets" });
  await session.target({ method: "GET", path: "/targets/unknown" });
  expect(inspect(mock)).toBe(
    [
      "MockCloudReco answers https://vws.vuforia.com, https://cloudreco.vuforia.com, http://target-manager.test",
      '  1 database ("shop"); 1 target ("poster")',
      "  4 requests, 1 refused; the last:",
      "  #3 GET /targets → 200 Success",
      '  #4 GET /targets/unknown → 404 UnknownTarget: the database "shop" has no undeleted target with the id "unknown"',
    ].join("\n"),
  );
  mock.stop();
  expect(inspect(mock)).toMatch(/^MockCloudReco \(stopped\) answered /);
});

describe("the printed journal of a query explains why each target", () => {
  it("matched or not, the nearest first", async () => {
    let rating = 5;
    await using service = await opened({ queryMatcher: exactMatcher, targetRater: () => rating });
    const { mock, session, database, clock } = service;
    const image = makePng();
    const other = makePng({ width: 33 });
    await mock.addTarget(database, { name: "other", targetId: "a", image: other, processed: true });
    await mock.addTarget(database, { name: "same", targetId: "b", image, processed: true });
    await mock.addTarget(database, { name: "again", targetId: "c", image, processed: true });
    await mock.addTarget(database, { name: "off", targetId: "d", image, processed: true, activeFlag: false });
    rating = 0;
    await mock.addTarget(database, { name: "poor", targetId: "e", image, processed: true });
    const flat = makePng({ fill: () => 200 });
    await mock.addTarget(database, { name: "flat", targetId: "f", image: flat, processed: true });
    clock.advance(10);
    await mock.addTarget(database, { name: "new", targetId: "g", image });
    clock.advance(0.5);
    await session.query(image);
    expect(lines(mock.explain())).toEqual([
      "1 request, none refused",
      '#1 2026-11-21T12:00:10.500Z POST /v1/query → 200 Success (query, database "shop")',
      '✓ "same" (b): matched: score 1, rank 1',
      '✓ "again" (c): score 1, rank 2, cut off by max_num_results 1',
      '✗ "off" (d): inactive: its active_flag is false',
      '✗ "poor" (e): tracking rating 0; expected above 0',
      '✗ "flat" (f): failed: the image has only one colour, or nearly so (unless it was added with status: "failed")',
      '✗ "new" (g): still processing, for 1.5 s more; finishProcessing() ends it at once',
      '✗ "other" (a): no score: the matcher found no match',
    ]);
  });

  it("was not there, when the database is empty", async () => {
    await using service = await opened();
    await service.session.query();
    expect(lines(service.mock.explain())[2]).toBe("the database has no targets");
  });

  it("up to ten, and how many more there are", async () => {
    await using service = await opened({ queryMatcher: exactMatcher, targetRater: fixedRater(1) });
    const { mock, database, session } = service;
    const image = makePng({ width: 33 });
    for (let index = 0; index < 12; index++) await mock.addTarget(database, { image, processed: true });
    await session.query();
    expect(mock.requests[0]?.considered).toHaveLength(12);
    expect(lines(mock.explain())).toHaveLength(2 + 10 + 1);
    expect(lines(mock.explain()).at(-1)).toBe("and 2 more targets");
  });
});

it("the printed journal can be filtered", async () => {
  await using service = await opened();
  const { mock, session } = service;
  await session.add();
  await session.target({ method: "GET", path: "/targets/unknown" });
  expect(lines(mock.explain({ refused: true }))).toEqual([
    "1 request, 1 refused",
    '#2 2026-11-21T12:00:00.000Z GET /targets/unknown → 404 UnknownTarget (getTarget, database "shop")',
    'knownTarget: the database "shop" has no undeleted target with the id "unknown"',
  ]);
});

it("shows the nearest targets of a query before those that are not searched", async () => {
  await using mock = new MockCloudReco({ targetRater: perfectRater });
  const database = mock.addCloudDatabase();
  for (let number = 0; number < 11; number += 1) {
    const inactive = { name: `inactive ${number}`, activeFlag: false, processed: true };
    await mock.addTarget(database, { ...inactive, image: await samplePicture(3) });
  }
  await mock.addTarget(database, { name: "other", image: await samplePicture(1), processed: true });
  const session = new MockSession(mock, database);
  expect((await session.query(await samplePicture(2))).status).toBe(200);
  expect(mock.requests.at(-1)?.considered?.[0]).toMatchObject({ name: "other", matched: false });
});
