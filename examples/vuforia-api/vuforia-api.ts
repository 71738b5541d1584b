import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { MockCloudReco } from "mock-cloud-reco";
import vuforia from "vuforia-api";

/**
 * Runs a published client, unchanged, against the mock: `npx tsx examples/vuforia-api/vuforia-api.ts`.
 * The client does not decode gzip, so `identity` turns gzip off.
 */
await using mock = new MockCloudReco({ queryContentEncoding: "identity" });
const database = mock.addCloudDatabase({ databaseName: "examples" });
const client = vuforia.client(database);

const photo = (name: string): Promise<Buffer> =>
  readFile(new URL(`../demo/images/${name}.jpg`, import.meta.url));
const show = (step: string, value: unknown): void => console.log(`${step}: ${JSON.stringify(value)}`);

const raccoon = await photo("raccoon");
const { target_id: id } = await promisify(client.addTarget)({
  name: "raccoon",
  width: 32,
  image: raccoon.toString("base64"),
  application_metadata: Buffer.from("a metadata text").toString("base64"),
});
const { target_id: copyId } = await promisify(client.addTarget)({
  name: "the same again",
  width: 32,
  image: raccoon.toString("base64"),
});
mock.finishProcessing();

const { results: ids } = await promisify(client.listTargets)();
show("list", ids.length);
assert.deepEqual(ids, [id, copyId]);

const { status, target_record } = await promisify(client.retrieveTarget)(id);
show("record", [status, target_record.name, target_record.active_flag]);
assert.deepEqual([status, target_record.name, target_record.active_flag], ["success", "raccoon", true]);

const summary = await promisify(client.retrieveTargetSummary)(id);
show("summary", [summary.database_name, summary.target_name]);
assert.deepEqual([summary.database_name, summary.target_name], ["examples", "raccoon"]);

const { similar_targets } = await promisify(client.checkForDuplicateTargets)(id);
show("duplicates", similar_targets.length);
assert.deepEqual(similar_targets, [copyId]);

await promisify(client.deleteTarget)(copyId);
await assert.rejects(promisify(client.retrieveTarget)(copyId), { message: "UnknownTarget" });
show("deleted", mock.requests.at(-1)?.reason);

await promisify(client.updateTarget)(id, { name: "procyon lotor" });
await assert.rejects(promisify(client.updateTarget)(id, {}), { message: "TargetStatusNotSuccess" });
mock.finishProcessing();

const { results } = await promisify(client.cloudRecoQuery)(raccoon.toString("latin1"), 10);
const [match] = results;
show("query", match?.target_data?.name);
assert.equal(results.length, 1);
assert.equal(match?.target_id, id);
assert.equal(match.target_data?.name, "procyon lotor");
assert.equal(
  Buffer.from(match.target_data.application_metadata ?? "", "base64").toString(),
  "a metadata text",
);

const stairway = await photo("stairway");
const other = await promisify(client.cloudRecoQuery)(stairway.toString("latin1"), 1);
show("query with another photograph", other.results);
assert.deepEqual(other.results, []);
