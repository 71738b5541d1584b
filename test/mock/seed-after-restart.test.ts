import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MockCloudReco } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { expect, onTestFinished, test } from "vitest";
import { manage, sendSigned } from "../support/answers.ts";
import { makePng } from "../support/png.ts";
import { reached } from "../support/reached.ts";

const SEED = "again";
const image = makePng();

const file = async () => {
  const folder = await mkdtemp(join(tmpdir(), "seed-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, "state.json");
};

test("a seeded mock that loads its own state gives out other ids than the state has", async () => {
  const path = await file();
  const add = async (mock: MockCloudReco) => {
    const shop = mock.addCloudDatabase();
    mock.addVuMarkDatabase({ targets: [{ name: "label" }] });
    const { uuid } = mock.addDataset();
    const targets = [await mock.addTarget(shop, { image }), await mock.addTarget(shop, { image })];
    return [shop.serverAccessKey, uuid, ...targets.map(({ targetId }) => targetId)];
  };
  const options = { seed: SEED, intercept: false } as const;
  await using first = new MockCloudReco(options);
  const given = await add(first);
  await first.save(path);
  await using loaded = await MockCloudReco.load(path, options);
  const more = await add(loaded);
  expect(new Set([...given, ...more]).size).toBe(given.length + more.length);
  expect(loaded.datasets).toHaveLength(2);
  await using restored = new MockCloudReco(options);
  restored.restore(first.snapshot());
  const database = restored.findCloudDatabase(first.snapshot().databases[0]?.database.databaseName ?? "");
  if (database === undefined) throw new Error("no database");
  for (let count = 0; count < 5; count += 1) await restored.addTarget(database, { image });
});

test("seeded servers that restart with their state file add targets, databases and datasets", async () => {
  const stateFile = await file();
  const added: unknown[] = [];
  let keys: { serverAccessKey: string; serverSecretKey: string } | undefined;
  for (let run = 0; run < 3; run += 1) {
    await using servers = await startServers({
      stateFile,
      seed: SEED,
      ui: false,
      targetRater: "perfect",
      processingTimeSeconds: 0,
    });
    const service = reached(servers.urls.target, servers.urls.query, servers.urls.manager);
    const database = await manage(service, "POST", "/cloud_databases", {});
    expect(database.status).toBe(201);
    const vuMark = await manage(service, "POST", "/vumark_databases", {});
    const dataset = await manage(service, "POST", "/model_target_datasets", { request_body: {} });
    keys ??= {
      serverAccessKey: String(database.fields.server_access_key),
      serverSecretKey: String(database.fields.server_secret_key),
    };
    const body = { name: `poster ${run}`, width: 1, image: image.toString("base64") };
    const target = await sendSigned(service, keys, { method: "POST", path: "/targets", body });
    expect(target.fields).toMatchObject({ result_code: "TargetCreated" });
    added.push(
      database.fields.database_name,
      vuMark.fields.database_name,
      dataset.fields.uuid,
      target.fields.target_id,
    );
  }
  expect(added.filter((id) => typeof id !== "string")).toEqual([]);
  expect(new Set(added).size).toBe(added.length);
});
