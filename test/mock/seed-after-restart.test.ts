import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MockCloudReco } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { expect, onTestFinished, test } from "vitest";
import { type Answer as FullAnswer, manage, sendSigned } from "../support/answers.ts";
import { makePng } from "../support/png.ts";
import { reached } from "../support/reached.ts";

type Answer = Pick<FullAnswer, "fields">;

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
});

const KEYS = { serverAccessKey: "key", serverSecretKey: "secret" };
const serviceOf = ({ urls: { target, query, manager } }: MockCloudReco) => reached(target, query, manager);
const idIn = ({ fields }: Answer, field: string): string => {
  expect(fields).toHaveProperty(field, expect.any(String));
  return String(fields[field]);
};

/** Sends a request of a client of Model Targets. */
async function authorized({ urls: { target } }: MockCloudReco, path: string, body: object): Promise<Answer> {
  const basic = Buffer.from("client-id:client-secret").toString("base64");
  const headers = { authorization: `Basic ${basic}` };
  const token = await fetch(`${target}/oauth2/token`, { method: "POST", headers });
  const { access_token }: { readonly access_token: string } = JSON.parse(await token.text());
  const response = await fetch(target + path, {
    method: "POST",
    headers: { authorization: `Bearer ${access_token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { fields: JSON.parse(await response.text()) };
}

const posted = (mock: MockCloudReco, path: string, body: object) =>
  manage(serviceOf(mock), "POST", path, body);
const dataset = {
  name: "room",
  targetSdk: "10.9",
  models: [{ name: "a", cadDataUrl: "https://a", views: [] }],
};

/** Each adds something whose id is drawn, and returns the id. */
const additions: Readonly<Record<string, (mock: MockCloudReco, name: string) => Promise<string>>> = {
  "addTarget()": async (mock) => {
    const shop = mock.findCloudDatabase("shop");
    if (shop === undefined) throw new Error("no database");
    return (await mock.addTarget(shop, { image })).targetId;
  },
  "a target of the target API": async (mock, name) => {
    const body = { name, width: 1, image: image.toString("base64") };
    return idIn(
      await sendSigned(serviceOf(mock), KEYS, { method: "POST", path: "/targets", body }),
      "target_id",
    );
  },
  "a target of the target manager": async (mock, name) => {
    const body = { name, width: 1, image_base64: image.toString("base64") };
    return idIn(await posted(mock, "/cloud_databases/shop/targets", body), "target_id");
  },
  "a template target": async (mock, name) =>
    idIn(await posted(mock, "/vumark_databases/marks/vumark_targets", { name }), "target_id"),
  "addDataset()": async (mock) => mock.addDataset().uuid,
  "a dataset of the target manager": async (mock) =>
    idIn(await posted(mock, "/model_target_datasets", { request_body: {} }), "uuid"),
  "a dataset of the Model Target API": async (mock) =>
    idIn(await authorized(mock, "/modeltargets/datasets", dataset), "uuid"),
  "a client credential": async (mock) =>
    idIn(await authorized(mock, "/oauth2/clientcredentials", { scopes: [] }), "client_id"),
};

test.each(Object.entries(additions))("a seed draws no id that a restored state has: %s", async (_, add) => {
  const ids: string[] = [];
  const addSome = async (mock: MockCloudReco) => {
    for (let count = 0; count < 3; count += 1) ids.push(await add(mock, `number ${ids.length}`));
  };
  await using first = new MockCloudReco({ seed: SEED });
  first.addCloudDatabase({
    ...KEYS,
    databaseName: "shop",
    databaseId: "shop",
    clientAccessKey: "1",
    clientSecretKey: "2",
  });
  first.addVuMarkDatabase({ databaseName: "marks", serverAccessKey: "3", serverSecretKey: "4" });
  await addSome(first);
  first.stop();
  await using restored = new MockCloudReco({ seed: SEED });
  restored.restore(first.snapshot());
  await addSome(restored);
  expect(new Set(ids).size).toBe(6);
});

test("seeded servers that restart draw other credentials for isolated databases", async () => {
  const options = { stateFile: await file(), seed: SEED, ui: false };
  const clients: string[] = [];
  for (let run = 0; run < 3; run += 1) {
    await using servers = await startServers(options);
    const fields = { databaseName: `${run}`, databaseId: `${run}` };
    const keys = { serverAccessKey: `a${run}`, serverSecretKey: `b${run}` };
    const others = { clientAccessKey: `c${run}`, clientSecretKey: `d${run}` };
    const own = servers.isolated({ ...fields, ...keys, ...others });
    clients.push(own.credential.clientId);
    expect(servers.credentials).toHaveLength(clients.length);
  }
  expect(new Set(clients).size).toBe(3);
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
