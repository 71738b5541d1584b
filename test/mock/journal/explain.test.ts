import { inspect } from "node:util";
import { MockCloudReco } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { nodeClient } from "../../support/clients.ts";
import { MockSession } from "../../support/mock-session.ts";
import { makePng } from "../../support/png.ts";
import { scene } from "../../support/scenes.ts";
import { lines, opened } from "./opened.ts";

describe("the printed journal explains", () => {
  it("gzip that the client did not request", async () => {
    await using mock = new MockCloudReco();
    const session = new MockSession(mock, mock.addCloudDatabase());
    await session.query();
    expect(lines(mock.explain())).toContain(
      'decode the response, or set the option queryContentEncoding to "identity": it is gzip-encoded although the request does ' +
        "not accept gzip",
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
    const flat = makePng({ fill: 200 });
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
      /add a database after reset\(\), and create the client with its keys: .* belongs to the database "before", which reset\(\) deleted$/,
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
      /belongs to the database "earlier" of a stopped mock; an earlier test did not await this request/,
    );
  });

  it("requests that lost all their headers", async () => {
    await using mock = new MockCloudReco();
    await nodeClient({ method: "GET", url: "https://vws.vuforia.com/targets", headers: {} });
    expect(mock.requests[0]?.reason).toMatch(
      /^send an Authorization header: the request has none; .*; the request has no headers of its own; if the client set some, another interceptor/,
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
      '  #4 GET /targets/unknown → 404 UnknownTarget: send the id of a target that is not deleted; the database "shop" has no undeleted target with the id "unknown"',
    ].join("\n"),
  );
  mock.stop();
  expect(inspect(mock)).toMatch(/^MockCloudReco \(stopped\) answered /);
});

it("the printed journal can be filtered", async () => {
  await using service = await opened();
  const { mock, session } = service;
  await session.add();
  await session.target({ method: "GET", path: "/targets/unknown" });
  expect(lines(mock.explain({ refused: true }))).toEqual([
    "1 request, 1 refused",
    '#2 2026-11-21T12:00:00.000Z GET /targets/unknown → 404 UnknownTarget (getTarget, database "shop") [target.unknown]',
    expect.stringMatching(
      /^\w+: send the id .*; the database "shop" has no undeleted target with the id "unknown"$/,
    ),
  ]);
});
