import { readFile } from "node:fs/promises";
import { MockCloudReco } from "mock-cloud-reco";
import { decoded, sendPlan } from "../protocol/query/send.ts";
import { fetchClient } from "../support/clients.ts";
import { peakMegabytes } from "../support/peak-memory.ts";
import { goodPlan, imagePart } from "../support/query-plan.ts";
import { scene } from "../support/scenes.ts";

/** Run as a process of its own: queries with the file that it is given, so often at once, and says how much memory that took. */
const [file = "", times = "1"] = process.argv.slice(2);
const image = await readFile(file);
await using mock = new MockCloudReco();
const database = mock.addCloudDatabase();
await mock.addTarget(database, { image: await scene(1), name: "scene", processed: true });
await mock.addTarget(database, { image: await scene(2), name: "another", processed: true });
const answers = Array.from({ length: Number(times) }, async (_, number) => {
  // What follows an image's end is ignored; without it, equal images would be decoded once.
  const parts = [imagePart(Buffer.concat([image, Buffer.from([number])]))];
  const response = await sendPlan(mock, database, { ...goodPlan(new Date()), parts }, fetchClient);
  return { status: response.status, results: JSON.parse(decoded(response)).results };
});
console.log(JSON.stringify({ answers: await Promise.all(answers), megabytes: peakMegabytes() }));
