import { ManualClock, MockCloudReco, type MockReport, perfectRater } from "mock-cloud-reco";
import { expect, it } from "vitest";
import { MockSession } from "../../support/mock-session.ts";
import { makePng } from "../../support/png.ts";

it("a report is plain JSON with everything recorded, and no secret", async () => {
  const clock = new ManualClock(new Date("2026-11-21T12:00:00Z"));
  await using mock = new MockCloudReco({ clock, processingTimeSeconds: 10, targetRater: () => 4 });
  const database = mock.addCloudDatabase({ databaseName: "shop" });
  mock.addVuMarkDatabase({ databaseName: "labels", targets: [{ name: "label", targetId: "l" }] });
  const session = new MockSession(mock, database, () => clock.now());
  const image = makePng();
  await session.add({ name: "poster" });
  clock.advance(20);
  await session.query(image);
  await session.target({ method: "GET", path: "/targets", headers: { Authorization: "VWS x:y" } });
  await session.target({ method: "GET", path: "/targets?a=1", secretKey: "wrong" });

  const report = mock.report();
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  for (const secret of [database.serverSecretKey, database.clientSecretKey]) {
    expect(JSON.stringify(report)).not.toContain(secret);
  }
  const [sha256 = ""] = Object.keys(report.images);
  expect(report).toMatchObject({
    format: "mock-cloud-reco report",
    version: 2,
    createdAt: Date.parse("2026-11-21T12:00:20Z"),
    urls: { target: "https://vws.vuforia.com" },
    databases: [
      {
        databaseName: "shop",
        kind: "cloud",
        stateName: "WORKING",
        targets: [
          {
            name: "poster",
            status: "success",
            trackingRating: 4,
            image: sha256,
            width: 1,
            activeFlag: true,
            uploadDate: Date.parse("2026-11-21T12:00:00Z"),
            processingTimeSeconds: 10,
          },
        ],
      },
      { databaseName: "labels", kind: "vumark", targets: [{ targetId: "l", name: "label" }] },
    ],
    droppedRequests: 0,
    timeline: [
      { time: Date.parse("2026-11-21T12:00:00Z"), database: "shop", name: "poster", event: "added" },
      { time: Date.parse("2026-11-21T12:00:10Z"), event: "success" },
    ],
    images: { [sha256]: { format: "PNG", size: image.length, base64: image.toString("base64") } },
  });
  expect(Object.keys(report.images)).toHaveLength(1);
  expect(report.requests).toMatchObject([
    {
      number: 1,
      operation: "addTarget",
      status: 201,
      request: { image: sha256, json: { name: "poster", image: expect.stringMatching(/^‹PNG of /) } },
      response: { json: { result_code: "TargetCreated" } },
    },
    {
      operation: "query",
      considered: [{ name: "poster", matched: true }],
      request: { fields: [{ name: "image", filename: "image", image: sha256 }], image: sha256 },
    },
    { status: 400, refusedBy: "knownAccessKey", request: { headers: expect.any(Array), size: 0, text: "" } },
    { status: 401, request: { query: "a=1" }, signature: { expected: expect.stringMatching(/^GET\n/) } },
  ]);
});

it("a report omits images beyond 16 MiB, and marks dropped bodies", async () => {
  await using mock = new MockCloudReco({ journalBodyBytes: 0 });
  const database = mock.addCloudDatabase();
  await mock.addTarget(database, { image: makePng(), processed: true });
  await new MockSession(mock, database).query();
  const { requests, images } = mock.report();
  expect(requests[0]?.request).toMatchObject({ dropped: true, text: expect.stringContaining("dropped") });
  expect(Object.values(images)).toMatchObject([{ format: "PNG", base64: expect.any(String) }]);
});

const eventsOf = ({ timeline }: MockReport) => timeline.map(({ name, event }) => `${event} ${name}`);

it("a report's timeline tells what happened in this order, also within a millisecond", async () => {
  // By the system's clock, whose uploads have fractions of a millisecond.
  await using mock = new MockCloudReco({ targetRater: perfectRater });
  const database = mock.addCloudDatabase();
  const names = ["first", "second", "third"];
  for (const name of names) await mock.addTarget(database, { name, image: makePng(), processed: true });
  expect(eventsOf(mock.report())).toEqual(names.flatMap((name) => [`added ${name}`, `success ${name}`]));

  const clock = new ManualClock();
  await using later = new MockCloudReco({ clock, targetRater: perfectRater, processingTimeSeconds: 10 });
  const shop = later.addCloudDatabase();
  const { targetId } = await later.addTarget(shop, { name: "poster", image: makePng() });
  clock.advance(5);
  await later.updateTarget(shop, targetId, { width: 2 });
  clock.advance(10);
  expect(eventsOf(later.report())).toEqual(["added poster", "updated poster", "success poster"]);
});
