import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Outcome } from "../../src/http/outcome.ts";
import { startServers } from "../../src/server/index.ts";
import { InvalidSeedError, seedFrom } from "../../src/server/seed-file.ts";
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

test("databases, targets, credentials and datasets are there from the start", async () => {
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
  expect((await servers.requests()).map(({ path }) => path)).not.toContain("/cloud_databases");
});

test.each<[string, unknown, RegExp]>([
  ["is not JSON", "{", /seed\.json: .*JSON/],
  ["is a list", [], /seed\.json: accepted is a JSON object with cloud_databases, /],
  [
    "has an unknown list",
    { databases: [] },
    /seed\.json: databases is unknown; accepted are cloud_databases, /,
  ],
  [
    "has a list of something else",
    { cloud_databases: [5] },
    /seed\.json: cloud_databases\[0\] is no object$/,
  ],
  [
    "has an image that is no path",
    { cloud_databases: [{ targets: [{ name: "a", width: 1, image: 5 }] }] },
    /targets\[0\]\.image is 5; accepted is the path of an image file/,
  ],
  ["has no list", { cloud_databases: {} }, /seed\.json: cloud_databases is no list/],
  [
    "has a bad value",
    { cloud_databases: [{ request_quota: -1 }] },
    /cloud_databases\[0\] is not accepted: .*request_quota.*; accepted is /,
  ],
  [
    "has a bad target",
    { cloud_databases: [{ targets: [{ name: "a", width: 0, image: "images/poster.png" }] }] },
    /cloud_databases\[0\]\.targets\[0\] is not accepted: .*width.*; accepted is /,
  ],
  [
    "names an image that is not there",
    { cloud_databases: [{ targets: [{ name: "a", width: 1, image: "images/nothing.png" }] }] },
    /cloud_databases\[0\]\.targets\[0\]\.image is "images\/nothing\.png"; accepted is the path of an image file/,
  ],
  [
    "has two databases of one name",
    { cloud_databases: [{ database_name: "a" }, { database_name: "a" }] },
    /cloud_databases\[1\] is not accepted: All names must be unique/,
  ],
])("a file that %s is refused with its place", async (_what, content, message) => {
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

test("a file that is not there is named", async () => {
  await expect(startServers({ seedFile: join(folder, "nothing.json") })).rejects.toThrow(
    /nothing\.json: .*ENOENT/,
  );
});

test.each<[string, Outcome, string]>([
  ["no answer", { connectionError: { kind: "reset", message: "cut" } }, "is not accepted: "],
  ["no database", answered(201, []), "was answered without a name"],
  ["another error", answered(500, { errors: 5 }), 'is not accepted: {"errors":5}'],
  ["errors of another form", answered(400, { errors: ["a", "b"] }), "is not accepted: a; b"],
])("of a manager that gives %s the place is told", async (_what, outcome, message) => {
  const seeding = seedFrom(await seedFile({ cloud_databases: [{}] }), async () => outcome);
  await expect(seeding).rejects.toThrow(
    new InvalidSeedError(`${join(folder, "seed.json")}: cloud_databases[0] ${message}`),
  );
});

function answered(status: number, content: unknown): Outcome {
  return { response: { status, headers: [], body: Buffer.from(JSON.stringify(content)) } };
}
