/*
 * npm run scenes -- [--seed N] [--scenes N] [--only CONDITION,…] [--entry FILE …] [--why]: how many pictures `featureMatcher` finds among
 * 500 targets, in scenes that are drawn from a seed, by condition and by kind. Each entry, `dist/index.cjs` of a built checkout, sees
 * the same scenes; without one, this checkout is built. What is drawn is kept in a temporary folder.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { pngOf } from "../../support/photographs.ts";
import { BUILT_ENTRY, build } from "../built-package.ts";
import { CONDITIONS, drawn, nameOf, sceneOf, TARGETS } from "./conditions.ts";

type Package = typeof import("../../../src/index.ts");

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    scenes: { type: "string", default: "60" },
    only: { type: "string" },
    entry: { type: "string", multiple: true },
    why: { type: "boolean", default: false },
  },
});
const [seed, scenes] = [Number(values.seed), Number(values.scenes)];
const names = Object.keys(CONDITIONS).filter((name) => values.only?.split(",").includes(name) ?? true);
if (names.length === 0)
  throw new Error(`expected one of these conditions: ${Object.keys(CONDITIONS).join(", ")}`);

const sources = ["pictures.ts", "camera.ts", "conditions.ts", "../../support/structured-pictures.ts"];
const version = createHash("sha256");
for (const file of sources) version.update(readFileSync(fileURLToPath(new URL(file, import.meta.url))));
const folder = join(tmpdir(), `scenes-${seed}-${version.digest("hex").slice(0, 12)}`);
mkdirSync(folder, { recursive: true });

/** What is drawn once is read later. */
async function kept(name: string, make: () => Promise<Buffer>): Promise<Buffer> {
  const file = join(folder, name.replaceAll(/[^\w-]/g, "_"));
  if (existsSync(file)) return readFileSync(file);
  const made = await make();
  writeFileSync(`${file}.${process.pid}`, made);
  renameSync(`${file}.${process.pid}`, file);
  return made;
}

/** A database with all targets, and the names of those that a query finds in a photograph. */
async function started({
  MockCloudReco,
  featureMatcher,
  perfectRater,
  authorizationHeader,
  rfc1123Date,
}: Package) {
  const mock = new MockCloudReco({ targetRater: perfectRater, queryMatcher: featureMatcher });
  const keys = mock.addCloudDatabase({ targetQuota: 1_000_000 });
  const ids = new Map<string, string>();
  for (const target of TARGETS) {
    const [name, image] = [
      nameOf(target),
      await kept(nameOf(target), async () => pngOf(await drawn(target, seed))),
    ];
    ids.set((await mock.addTarget(keys, { name, image, processed: true })).targetId, name);
  }
  return {
    async query(picture: Buffer) {
      const body = Buffer.concat([
        Buffer.from('--xx\r\nContent-Disposition: form-data; name="max_num_results"\r\n\r\n10\r\n'),
        Buffer.from('--xx\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\n\r\n'),
        picture,
        Buffer.from("\r\n--xx--\r\n"),
      ]);
      const [path, type, date] = ["/v1/query", "multipart/form-data", rfc1123Date()];
      const { clientAccessKey: accessKey, clientSecretKey: secretKey } = keys;
      const signed = { method: "POST", path, contentType: type, date, body, accessKey, secretKey };
      const headers = {
        date,
        authorization: authorizationHeader(signed),
        "content-type": `${type}; boundary=xx`,
      };
      const response = await mock.fetch(`${mock.urls.query}${path}`, { method: "POST", headers, body });
      const { results } = (await response.json()) as { results: readonly { readonly target_id: string }[] };
      const considered = mock.requests.at(-1)?.considered ?? [];
      mock.clearRequests();
      return {
        found: results.map(({ target_id }) => ids.get(target_id) ?? ""),
        whyOf: (name: string) =>
          considered.find((each) => ids.get(each.targetId) === name)?.why ?? "not near",
      };
    },
  };
}

class Counts {
  shown = 0;
  missed = 0;
  wrong = 0;
}

/** By condition, and by kind over all of them. */
async function look(entry: string): Promise<ReadonlyMap<string, Counts>> {
  const { query } = await started(createRequire(import.meta.url)(entry));
  const counts = new Map<string, Counts>();
  const count = (row: string, add: (counts: Counts) => void) => {
    const found = counts.get(row) ?? new Counts();
    counts.set(row, found);
    add(found);
  };
  await query(await kept("warm up", () => sceneOf("fold", 0, seed).take()));
  const before = process.cpuUsage();
  let queries = 0;
  for (const condition of names) {
    for (let index = 0; index < scenes; index++) {
      const { shown, isOfStrangers, take } = sceneOf(condition, index, seed);
      const start = process.cpuUsage();
      const photograph = await kept(`${condition} ${index}`, take);
      const { user, system } = process.cpuUsage(start);
      before.user += user;
      before.system += system;
      const { found, whyOf } = await query(photograph);
      queries += 1;
      for (const picture of shown) {
        const isMissed = !isOfStrangers && !found.includes(nameOf(picture));
        for (const row of [condition, ...(isOfStrangers ? [] : [`  of ${picture.kind}`])])
          count(row, (counts) => {
            counts.shown += 1;
            counts.missed += isMissed ? 1 : 0;
          });
        if (values.why && isMissed)
          console.log(`missed: ${condition} ${index}: ${nameOf(picture)}: ${whyOf(nameOf(picture))}`);
      }
      for (const name of found.filter((name) => !shown.some((picture) => nameOf(picture) === name))) {
        count(condition, (counts) => {
          counts.wrong += 1;
        });
        if (values.why) console.log(`wrong: ${condition} ${index}: ${name}: ${whyOf(name)}`);
      }
    }
  }
  const { user, system } = process.cpuUsage(before);
  console.log(`${entry}: ${((user + system) / 1000 / queries).toFixed(0)} ms of processor time a query`);
  return counts;
}

if (values.entry === undefined) build();
const entries = values.entry?.map((entry) => resolve(entry)) ?? [BUILT_ENTRY];
const results: ReadonlyMap<string, Counts>[] = [];
for (const entry of entries) results.push(await look(entry));
const rows = new Set(results.flatMap((result) => [...result.keys()]));
console.table(
  Object.fromEntries(
    [...rows].map((row) => [
      row,
      Object.fromEntries(
        results.flatMap((result, index) => {
          const { shown, missed, wrong } = result.get(row) ?? new Counts();
          const of = results.length === 1 ? "" : ` ${index + 1}`;
          return [
            [`shown${of}`, shown],
            [`missed${of}`, missed],
            [`wrong${of}`, wrong],
          ];
        }),
      ),
    ]),
  ),
);
process.exit();
