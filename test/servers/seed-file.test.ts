import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InvalidSeedError, startServers } from "mock-cloud-reco/server";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Result } from "../../src/core/emulator/message.ts";
import { seedFrom } from "../../src/servers/seed-file.ts";
import { makePng } from "../support/png.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "seed-"));
  await mkdir(join(folder, "images"));
  await writeFile(join(folder, "images/poster.png"), makePng());
});
afterEach(() => rm(folder, { recursive: true }));

async function seedFile(content: unknown): Promise<string> {
  const path = join(folder, "seed.json");
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const start = async (content: unknown) => startServers({ seedFile: await seedFile(content) });

const SEED = {
  cloud_databases: [
    {
      database_name: "shop / ä",
      server_access_key: "access",
      server_secret_key: "secret",
      request_rate_limits: { other: { max_requests: 5, window_seconds: 1 } },
      targets: [
        {
          name: "poster",
          width: 1.5,
          image: "images/poster.png",
          application_metadata: "YQ==",
          current_month_recos: 3,
        },
        {
          name: "sign",
          width: 1,
          image: "images/poster.png",
          active_flag: false,
          processing_time_seconds: 3600,
        },
      ],
    },
    { database_name: "empty" },
  ],
  vumark_databases: [{ database_name: "labels", vumark_targets: [{ name: "label", target_id: "label-id" }] }],
  oauth2_client_credentials: [
    { client_id: "id", client_secret: "s", scopes: ["vuforia.modeltarget.standard"] },
  ],
  model_target_datasets: [{ uuid: "dataset-id", dataset_type_name: "ADVANCED" }],
};

test("databases, targets, credentials and datasets are added at the start", async () => {
  await using servers = await start(SEED);
  expect(servers.seeded).toEqual(["shop / ä", "empty"]);
  const shop = servers.findCloudDatabase("shop / ä");
  expect(shop).toMatchObject({ serverAccessKey: "access", serverSecretKey: "secret" });
  expect(shop?.targets).toMatchObject([
    { name: "poster", width: 1.5, status: "success", applicationMetadata: "YQ==", currentMonthRecos: 3 },
    { name: "sign", activeFlag: false, status: "processing" },
  ]);
  const get = async (path: string) => (await fetch(servers.urls.manager + path)).json();
  expect(await get("/vumark_databases")).toMatchObject([
    { database_name: "labels", vumark_targets: [{ name: "label", target_id: "label-id" }] },
  ]);
  expect(await get("/oauth2_client_credentials")).toEqual(SEED.oauth2_client_credentials);
  expect(await get("/model_target_datasets")).toMatchObject(SEED.model_target_datasets);
  expect(servers.requests.map(({ path }) => path)).not.toContain("/cloud_databases");
});

test.each<[string, unknown, RegExp]>([
  ["is not JSON", "{", /seed\.json: expected JSON; it ends too early, at line 1, column 2$/],
  ["is a list", [], /seed\.json: expected an object; got an array of 0$/],
  [
    "has an unknown list",
    { databases: [] },
    /seed\.json: databases: expected cloud_databases; got an unknown name$/,
  ],
  [
    "has a list of something else",
    { cloud_databases: [5] },
    /seed\.json: cloud_databases\[0\]: expected an object; got 5$/,
  ],
  [
    "has many wrong databases",
    { cloud_databases: Array.from({ length: 1000 }, () => 5) },
    /seed\.json: (cloud_databases\[\d\]: expected an object; got 5; ){5}and 995 more$/,
  ],
  [
    "has an unknown field",
    { cloud_databases: [{}, { request_qota: 5 }] },
    /seed\.json: cloud_databases\[1\]\.request_qota: expected request_quota; got an unknown name$/,
  ],
  [
    "has a field that the manager would ignore",
    {
      cloud_databases: [{ targets: [{ name: "a", width: 1, image: "images/poster.png", upload_date: "x" }] }],
    },
    /seed\.json: cloud_databases\[0\]\.targets\[0\]\.upload_date: expected .*; got an unknown name$/,
  ],
  [
    "has an unknown group of rate limits",
    { cloud_databases: [{ request_rate_limits: { get_targets: null } }] },
    /cloud_databases\[0\]\.request_rate_limits\.get_targets: expected get_target; got an unknown name$/,
  ],
  [
    "has an image that is not a path",
    { cloud_databases: [{ targets: [{ name: "a", width: 1, image: 5 }] }] },
    /targets\[0\]\.image: expected the path of an image file, relative to this file's folder; got 5$/,
  ],
  [
    "has no list",
    { cloud_databases: {} },
    /seed\.json: cloud_databases: expected a list of cloud databases; got an object$/,
  ],
  [
    "has a bad value",
    { cloud_databases: [{ request_quota: -1 }] },
    /seed\.json: cloud_databases\[0\]\.request_quota: expected a whole number, 0 or more; got -1$/,
  ],
  [
    "has a bad target",
    { cloud_databases: [{ targets: [{ name: "a", width: 0, image: "images/poster.png" }] }] },
    /seed\.json: cloud_databases\[0\]\.targets\[0\]\.width: expected a number above 0; got 0$/,
  ],
  [
    "has several bad values",
    { cloud_databases: [{ target_quota: -1 }], vumark_databases: [{ vumark_targets: [{}] }] },
    /\[0\]\.target_quota: expected .*; got -1; vumark_databases\[0\]\.vumark_targets\[0\]\.name: expected non-empty text; got nothing$/,
  ],
  [
    "is nested too deep",
    `{"model_target_datasets":[{"request_body":{"a":${"[".repeat(101)}${"]".repeat(101)}}}]}`,
    /seed\.json: model_target_datasets\[0\]\.request_body: expected an object, nested at most 100 deep; got an object$/,
  ],
  [
    "names an image that does not exist",
    { cloud_databases: [{ targets: [{ name: "a", width: 1, image: "images/nothing.png" }] }] },
    /\[0\]\.targets\[0\]\.image: expected the path of an image file, .*; got "images\/nothing\.png"$/,
  ],
  [
    "has two databases of one name",
    { cloud_databases: [{ database_name: "a" }, { database_name: "a" }] },
    /cloud_databases\[1\] was refused: All names must be unique/,
  ],
])("a file that %s is refused with the place of the error", async (_what, content, message) => {
  const starting = start(content);
  await expect(starting).rejects.toThrow(message);
  await expect(starting).rejects.toThrow(/^[^\n]*$/);
});

test("a conflict of secrets does not show them", async () => {
  const twice = { cloud_databases: [{ server_secret_key: "hush" }, { server_secret_key: "hush" }] };
  const error = await start(twice).catch(String);
  expect(error).toContain("server secret key …");
  expect(error).not.toContain("hush");
});

test("a secret of another type is not shown", async () => {
  const error = await start({ cloud_databases: [{ server_secret_key: 271828 }] }).catch(String);
  expect(error).toMatch(
    /cloud_databases\[0\]\.server_secret_key: expected a key of 1 to 4096 visible ASCII characters without ":"; got a value that is not shown$/,
  );
});

test("the error names a file that does not exist", async () => {
  await expect(startServers({ seedFile: join(folder, "nothing.json") })).rejects.toThrow(
    /nothing\.json: cannot be read: there is no such file \(ENOENT\)$/,
  );
});

test.each<[string, Result, string]>([
  ["no answer", { connectionError: { kind: "reset", message: "cut" } }, "was refused: "],
  ["no database", answered(201, []), "has no name in the manager's response"],
  ["another error", answered(500, { errors: 5 }), 'was refused: {"errors":5}'],
  ["errors of another form", answered(400, { errors: ["a", "b"] }), "was refused: a; b"],
])("the error names the place when the manager gives %s", async (_what, outcome, message) => {
  const seeding = seedFrom(await seedFile({ cloud_databases: [{}] }), async () => outcome);
  await expect(seeding).rejects.toThrow(
    new InvalidSeedError(`${join(folder, "seed.json")}: cloud_databases[0] ${message}`),
  );
});

function answered(status: number, content: unknown): Result {
  return { response: { status, headers: [], body: Buffer.from(JSON.stringify(content)) } };
}
