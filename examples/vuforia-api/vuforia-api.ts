import assert from "node:assert/strict";
import { promisify } from "node:util";
import { MockCloudReco, samplePicture } from "mock-cloud-reco";
import vuforia from "vuforia-api";

/**
 * Runs a published client, unchanged, against the mock: `npx tsx examples/vuforia-api/vuforia-api.ts`.
 * The client neither accepts nor decodes gzip, so it needs `profile: "vuforia"`, or `queryContentEncoding: "identity"`.
 */
await using mock = new MockCloudReco({ profile: "vuforia" });
const database = mock.addCloudDatabase({ databaseName: "examples" });
const client = vuforia.client(database);

const show = (step: string, value: unknown): void => console.log(`${step}: ${JSON.stringify(value)}`);

const picture = await samplePicture(1);
const { target_id: id } = await promisify(client.addTarget)({
  name: "picture",
  width: 32,
  image: picture.toString("base64"),
  application_metadata: Buffer.from("a metadata text").toString("base64"),
});
const { target_id: copyId } = await promisify(client.addTarget)({
  name: "the same again",
  width: 32,
  image: picture.toString("base64"),
});
mock.finishProcessing();

const { results: ids } = await promisify(client.listTargets)();
show("list", ids.length);
assert.deepEqual(ids, [id, copyId]);

const { status, target_record } = await promisify(client.retrieveTarget)(id);
show("record", [status, target_record.name, target_record.active_flag]);
assert.deepEqual([status, target_record.name, target_record.active_flag], ["success", "picture", true]);

const summary = await promisify(client.retrieveTargetSummary)(id);
show("summary", [summary.database_name, summary.target_name]);
assert.deepEqual([summary.database_name, summary.target_name], ["examples", "picture"]);

const { similar_targets } = await promisify(client.checkForDuplicateTargets)(id);
show("duplicates", similar_targets.length);
assert.deepEqual(similar_targets, [copyId]);

await promisify(client.deleteTarget)(copyId);
await assert.rejects(promisify(client.retrieveTarget)(copyId), { message: "UnknownTarget" });
show("deleted", mock.requests.at(-1)?.reason);

await promisify(client.updateTarget)(id, { name: "new name" });
await assert.rejects(promisify(client.updateTarget)(id, {}), { message: "TargetStatusNotSuccess" });
mock.finishProcessing();

const { results } = await promisify(client.cloudRecoQuery)(picture.toString("latin1"), 10);
const [match] = results;
show("query", match?.target_data?.name);
assert.equal(results.length, 1);
assert.equal(match?.target_id, id);
assert.equal(match.target_data?.name, "new name");
assert.equal(
  Buffer.from(match.target_data.application_metadata ?? "", "base64").toString(),
  "a metadata text",
);

const stranger = await samplePicture(2);
const other = await promisify(client.cloudRecoQuery)(stranger.toString("latin1"), 1);
show("query with another picture", other.results);
assert.deepEqual(other.results, []);
