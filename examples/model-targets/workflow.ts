import { unzipSync } from "fflate";
import { ManualClock, MockCloudReco } from "mock-cloud-reco";
import { ModelTargetClient } from "./model-target-client.ts";

/**
 * The life of a Model Target dataset: token, create, poll, download, delete. Training takes an hour on the mock's clock,
 * and no real time: `npx tsx examples/model-targets/workflow.ts`
 */
const clock = new ManualClock(new Date("2026-11-21T10:42:00Z"));
await using _mock = new MockCloudReco({ clock, processingTimeSeconds: 3600, seed: "workflow" });

const client = await ModelTargetClient.login("client-id", "client-secret");
console.log("token    got one");

const uuid = await client.create("machine room", {
  name: "engine",
  cadDataUrl: "https://cad.example/engine.glb",
  views: [{ name: "front" }],
});
console.log(`create   ${uuid}`);

for (;;) {
  const { status, over } = await client.status(uuid);
  console.log(`poll     ${clock.now().toISOString()} ${status}, ${over}`);
  if (status !== "processing") break;
  clock.advance(20 * 60);
}

const zip = await client.download(uuid);
console.log(`download ${zip.length} bytes: ${Object.keys(unzipSync(zip)).join(", ")}`);

await client.delete(uuid);
const gone = await client.status(uuid).catch((error: unknown) => String(error));
console.log(`delete   ${gone}`);
