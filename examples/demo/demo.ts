import { mkdir, readFile } from "node:fs/promises";
import { featureMatcher, MockCloudReco, samplePicture } from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import sharp from "sharp";
import { progressOf } from "../../src/cli/output.ts";
import { createReport } from "./report.ts";

/*
 * The main job from end to end: add photographs, process them, find one by another picture of it, and another in a photograph
 * that a camera took of it.
 */

const PICTURES = 40;
const file = (name: string): Promise<Buffer> => readFile(new URL(`./images/${name}`, import.meta.url));
const photo = (name: string): Promise<Buffer> => file(`${name}.jpg`);
/** What the demo draws. */
const RESULTS = "demo-results";
const report = createReport(process.stdout);

report.title("mock-cloud-reco", "the Vuforia cloud recognition services, in this process");

await using mock = new MockCloudReco({ processingTimeSeconds: 60 });
const database = mock.addCloudDatabase({ databaseName: "demo" });
const client = new VuforiaClient(database);
report.say(`A database called "${database.databaseName}", and a client that calls ${mock.urls.target}`);

report.step("Add two pictures");
const raccoon = await photo("raccoon");
const raccoonId = await client.addTarget("raccoon", raccoon);
const posterId = await client.addTarget("poster", await photo("poster"));
report.check(`raccoon.jpg → ${raccoonId}`, raccoonId.length === 32);
report.check(`poster.jpg  → ${posterId}`, posterId.length === 32);

report.step("Let them process");
report.check("the service is processing them", (await client.statusOf(raccoonId)) === "processing");
mock.finishProcessing();
report.check(
  "finishProcessing() finishes them, so that no test has to wait",
  (await client.statusOf(raccoonId)) === "success",
);
for (const { name, trackingRating } of database.targets) {
  report.check(
    `${name.padEnd(8)} tracking rating ${"★".repeat(trackingRating)}${"☆".repeat(5 - trackingRating)}`,
    trackingRating > 0,
  );
}

report.step("Find one by another picture of it");
const copy = await sharp(raccoon).resize(320, 240, { fit: "fill" }).jpeg({ quality: 40 }).toBuffer();
const found = await client.find(copy);
report.check(
  `a copy of ${copy.length} bytes at quality 40 and another size is found: ${found[0]?.target_data?.name}`,
  found.length === 1 && found[0]?.target_id === raccoonId,
);
const unknown = await client.find(await photo("stairway"));
report.check("a photograph that is not in the database is not found", unknown.length === 0);
report.say("Why not:");
for (const { name, why } of mock.requests.at(-1)?.considered ?? []) report.detail(`${name}: ${why}`);

report.step("Find one in a photograph that a camera took");
await using camera = new MockCloudReco({ queryMatcher: featureMatcher, processingTimeSeconds: 0 });
const shelf = new VuforiaClient(camera.addCloudDatabase({ databaseName: "shelf" }));
await shelf.addTarget("box", await file("box.png"));
await shelf.addTarget("raccoon", raccoon);
const scene = await file("box-in-scene.png");
const seen = await shelf.find(scene);
report.check(
  `box-in-scene.png shows the box, turned, among other things: ${seen[0]?.target_data?.name}`,
  seen.length === 1 && seen[0]?.target_data?.name === "box",
);
const shown = camera.requests.at(-1)?.considered ?? [];
for (const { name, why } of shown) report.detail(`${name}: ${why}`);
const [box] = shown;
const { width, height } = await sharp(scene).metadata();
const corners = (box?.outline ?? []).map(([x, y]) => `${x * width},${y * height}`);
const line = `<polygon points="${corners.join(" ")}" fill="none" stroke="#0f8" stroke-width="4"/>`;
await mkdir(RESULTS, { recursive: true });
await sharp(scene)
  .toColourspace("srgb")
  .composite([{ input: Buffer.from(`<svg width="${width}" height="${height}">${line}</svg>`) }])
  .png()
  .toFile(`${RESULTS}/box-in-scene.png`);
report.check(`${RESULTS}/box-in-scene.png shows where it is`, corners.length === 4);

report.step("Search a larger database");
const progress = progressOf("pictures", report.drawLine);
for (let number = 1; number <= PICTURES; number += 1) {
  await client.addTarget(`picture ${number}`, await samplePicture(number));
  progress(number, PICTURES);
}
mock.finishProcessing();
const again = await client.find(copy);
report.check(
  `the same copy is found among ${database.targets.length} targets, in ${mock.requests.at(-1)?.durationMs.toFixed(0)} ms`,
  again.length === 1 && again[0]?.target_id === raccoonId,
);

report.step("Sign a request with the wrong key");
const mistaken = new VuforiaClient({
  ...database,
  serverAccessKey: database.serverAccessKey,
  serverSecretKey: database.clientSecretKey,
});
const refusal = await mistaken.summary().catch((error: unknown) => String(error));
report.check(
  `the client sees what the service would send: ${String(refusal)}`,
  String(refusal).includes("401 AuthenticationFailure"),
);
report.say("and the mock says why:");
const { cause, reason } = mock.requests.at(-1) ?? {};
report.detail(`${cause?.code}: ${reason}`);
report.check("its code names the mistake", cause?.code === "signature.other-key");

report.step("In short");
const requests = [...mock.requests, ...camera.requests];
const total = requests.reduce((sum, { durationMs }) => sum + durationMs, 0);
report.say(
  `${requests.length} requests in ${total.toFixed(0)} ms, with no account, no network and no traces.`,
);
process.exitCode = report.finish();
