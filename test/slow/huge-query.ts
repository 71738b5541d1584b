import { readFile } from "node:fs/promises";
import { MockCloudReco } from "mock-cloud-reco";
import { goodPlan, imagePart } from "../../src/verify/query-plan.ts";
import { decoded, sendPlan } from "../protocol/query/send.ts";
import { fetchClient } from "../support/clients.ts";
import { peakMegabytes } from "../support/peak-memory.ts";
import { scene } from "../support/scenes.ts";

/** Run as a process of its own: queries with the file that it is given, and says how much memory that took. */
const image = await readFile(process.argv[2] ?? "");
await using mock = new MockCloudReco();
const database = mock.addCloudDatabase();
await mock.addTarget(database, { image: await scene(1), name: "scene", processed: true });
await mock.addTarget(database, { image: await scene(2), name: "another", processed: true });
const response = await sendPlan(
  mock,
  database,
  { ...goodPlan(new Date()), parts: [imagePart(image)] },
  fetchClient,
);
const { results } = JSON.parse(decoded(response));
console.log(JSON.stringify({ status: response.status, results, megabytes: peakMegabytes() }));
