/*
 * npm run data-set -- TARGETS PHOTOGRAPHS CSV: measures `featureMatcher` on pictures of your own. TARGETS and PHOTOGRAPHS are folders
 * of images. Each row of the CSV file has the names of a photograph and of a target that it shows, without the target if it shows
 * none, and, if they are known, x and y in pixels of the target's corners, clockwise from its top left.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { featureMatcher, MockCloudReco, perfectRater } from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import sharp from "sharp";
import { median } from "./measure.ts";

/** What a data set's photographs show. */
interface Row {
  readonly photograph: string;
  /** Undefined for a photograph that shows no target. */
  readonly target: string | undefined;
  /** In pixels; empty if they are not known. */
  readonly corners: readonly number[];
}

/** What was found in a data set. */
export interface DataSetResult {
  /** Rows with a target, and how many of those were found. */
  readonly sightings: number;
  readonly found: number;
  /** Photographs and targets that they do not show, but match. */
  readonly wrong: readonly (readonly [photograph: string, target: string])[];
  /** The mean distance of the corners from those of the row, in pixels, of each that was found. */
  readonly cornerErrors: readonly number[];
  /** How long each query took. */
  readonly milliseconds: readonly number[];
}

/** @throws Error naming the row or file that is wrong. */
export async function measureDataSet(
  targets: string,
  photographs: string,
  csv: string,
): Promise<DataSetResult> {
  const rows = parseRows(await readFile(csv, "utf8"));
  await using mock = new MockCloudReco({ targetRater: perfectRater, queryMatcher: featureMatcher });
  const keys = mock.addCloudDatabase({ targetQuota: 1_000_000 });
  const names = new Map<string, string>();
  for (const [index, file] of (await readdir(targets)).entries()) {
    const { image } = await read(join(targets, file));
    names.set((await mock.addTarget(keys, { name: `${index}`, image, processed: true })).targetId, file);
  }
  const known = [...names.values()];
  const unknown = rows.find(({ target }) => target !== undefined && !known.includes(target));
  if (unknown) throw new Error(`${csv} has the target ${unknown.target}, which is not in ${targets}`);
  const client = new VuforiaClient(keys);
  const wrong: [string, string][] = [];
  const [cornerErrors, milliseconds]: [number[], number[]] = [[], []];
  let found = 0;
  for (const photograph of new Set(rows.map((row) => row.photograph))) {
    const { image, width, height } = await read(join(photographs, photograph));
    const start = performance.now();
    await client.find(image);
    milliseconds.push(performance.now() - start);
    for (const { targetId, outline = [], matched } of mock.requests.at(-1)?.considered ?? []) {
      if (!matched) continue;
      const target = names.get(targetId) ?? "";
      const row = rows.find((row) => row.photograph === photograph && row.target === target);
      if (row === undefined) {
        wrong.push([photograph, target]);
        continue;
      }
      found += 1;
      const distances = outline.map(([x, y], index) => {
        const [cornerX = 0, cornerY = 0] = row.corners.slice(2 * index);
        return Math.hypot(x * width - cornerX, y * height - cornerY);
      });
      if (row.corners.length > 0) cornerErrors.push(distances.reduce((a, b) => a + b, 0) / distances.length);
    }
  }
  const sightings = rows.filter(({ target }) => target !== undefined).length;
  return { sightings, found, wrong, cornerErrors, milliseconds };
}

function parseRows(csv: string): Row[] {
  return csv.split(/\r?\n/).flatMap((line, index) => {
    const [photograph = "", target = "", ...numbers] = line.split(",").map((field) => field.trim());
    const corners = numbers.filter((field) => field !== "").map(Number);
    if (photograph === "") return [];
    if (![0, 8].includes(corners.length) || corners.some(Number.isNaN))
      throw new Error(`line ${index + 1}: expected a photograph, a target and 0 or 8 numbers; got ${line}`);
    return [{ photograph, target: target === "" ? undefined : target, corners }];
  });
}

/** Longer side, in pixels, to which larger pictures are scaled: the service takes files of 2 MB. */
const MOST_PIXELS = 1600;

/** A picture as the service takes it, and its size in the file. */
async function read(file: string) {
  const picture = sharp(file).autoOrient();
  const { autoOrient } = await sharp(file).metadata();
  const image = await picture
    .resize(MOST_PIXELS, MOST_PIXELS, { fit: "inside", withoutEnlargement: true })
    .flatten()
    .jpeg({ quality: 90 })
    .toBuffer();
  return { image, width: autoOrient.width, height: autoOrient.height };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [targets, photographs, csv] = process.argv.slice(2);
  if (targets === undefined || photographs === undefined || csv === undefined)
    throw new Error(
      "expected three arguments: TARGETS PHOTOGRAPHS CSV; see the start of test/bench/data-set.ts",
    );
  const { sightings, found, wrong, cornerErrors, milliseconds } = await measureDataSet(
    targets,
    photographs,
    csv,
  );
  console.log(
    `found ${found} of ${sightings}; ${wrong.length} wrong matches among ${milliseconds.length} photographs`,
  );
  for (const [photograph, target] of wrong) console.log(`wrong: ${photograph} matches ${target}`);
  if (cornerErrors.length > 0)
    console.log(
      `mean corner error: median ${median(cornerErrors).toFixed(1)}, most ${Math.max(...cornerErrors).toFixed(1)} pixels`,
    );
  console.log(
    `a query: median ${median(milliseconds).toFixed(0)}, most ${Math.max(...milliseconds).toFixed(0)} ms`,
  );
}
