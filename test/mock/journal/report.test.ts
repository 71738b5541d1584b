import { ManualClock, MockCloudReco, type MockReport, perfectRater } from "mock-cloud-reco";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
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

  const report = mock.page.report();
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
    {
      status: 400,
      refusedBy: expect.stringMatching(/^\w+$/),
      request: { headers: expect.any(Array), size: 0, text: "" },
    },
    { status: 401, request: { query: "a=1" }, signature: { expected: expect.stringMatching(/^GET\n/) } },
  ]);
});

it("a report omits images beyond 16 MiB, and marks dropped bodies", async () => {
  await using mock = new MockCloudReco({ journalBodyBytes: 0 });
  const database = mock.addCloudDatabase();
  await mock.addTarget(database, { image: makePng(), processed: true });
  await new MockSession(mock, database).query();
  const { requests, images } = mock.page.report();
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
  expect(eventsOf(mock.page.report())).toEqual(names.flatMap((name) => [`added ${name}`, `success ${name}`]));

  const clock = new ManualClock();
  await using later = new MockCloudReco({ clock, targetRater: perfectRater, processingTimeSeconds: 10 });
  const shop = later.addCloudDatabase();
  const { targetId } = await later.addTarget(shop, { name: "poster", image: makePng() });
  clock.advance(5);
  await later.updateTarget(shop, targetId, { width: 2 });
  clock.advance(10);
  expect(eventsOf(later.page.report())).toEqual(["added poster", "updated poster", "success poster"]);
});

describe.each(["png", "jpeg"] as const)("a report has the size at which viewers show a %s file", (format) => {
  const plain = sharp({ create: { width: 38, height: 51, channels: 3, background: "red" } });
  const turned = (orientation: number) => plain.clone().withMetadata({ orientation })[format]().toBuffer();
  /** Sends images in queries, and returns the sizes of those that are images. */
  async function sizesOf(images: readonly Buffer[]) {
    await using mock = new MockCloudReco();
    const session = new MockSession(mock, mock.addCloudDatabase());
    for (const image of images) await session.query(image);
    return Object.values(mock.page.report().images).map(({ width, height }) => [width, height]);
  }

  it("that EXIF data turn, or do not", async () => {
    const images = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(turned));
    const upright = [38, 51];
    const sideways = [51, 38];
    const sizes = [upright, upright, upright, upright, sideways, sideways, sideways, sideways];
    expect(await sizesOf([await plain.clone()[format]().toBuffer(), ...images])).toEqual([upright, ...sizes]);
  });

  it("that ends anywhere in these data", async () => {
    const image = await turned(6);
    const ends = Array.from({ length: 64 }, (_, index) => 8 * (index + 1));
    const sizes = await sizesOf(ends.map((end) => image.subarray(0, end)));
    expect(sizes.length).toBeGreaterThan(10);
    for (const [width] of sizes) expect([undefined, 38, 51]).toContain(width);
  });
});

it("a report has the size at which viewers show a file with big-endian EXIF data", async () => {
  const plain = await sharp({ create: { width: 38, height: 51, channels: 3, background: "red" } })
    .jpeg()
    .toBuffer();
  const orientation = "0112 0003 00000001 0006 0000";
  const data = `457869660000 4d4d002a00000008 0001 ${orientation} 00000000`;
  const exif = Buffer.from(data.replaceAll(" ", ""), "hex");
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, exif.length + 2]), exif]);
  const image = Buffer.concat([plain.subarray(0, 2), segment, plain.subarray(2)]);
  expect((await sharp(image).metadata()).orientation).toBe(6);
  await using mock = new MockCloudReco({ targetRater: perfectRater });
  await mock.addTarget(mock.addCloudDatabase(), { name: "turned", image });
  expect(Object.values(mock.page.report().images)).toMatchObject([{ width: 51, height: 38 }]);
});
