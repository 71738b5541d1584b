import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { measureDataSet } from "../bench/data-set.ts";

const PHOTOGRAPHS = "test/images/photographs";
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "data-set-"));
  for (const name of ["targets", "photographs"]) await mkdir(join(folder, name));
  for (const name of ["graf1", "leuvenA", "basketball1"])
    await copyFile(`${PHOTOGRAPHS}/${name}.jpg`, join(folder, "targets", `${name}.jpg`));
  for (const name of ["graf3", "leuvenB", "aloeL", "basketball2"])
    await copyFile(`${PHOTOGRAPHS}/${name}.jpg`, join(folder, "photographs", `${name}.jpg`));
});
afterAll(() => rm(folder, { recursive: true }));

const measure = async (...rows: readonly string[]) => {
  const csv = join(folder, "shows.csv");
  await writeFile(csv, rows.join("\n"));
  return measureDataSet(join(folder, "targets"), join(folder, "photographs"), csv);
};

/** The corners of graf1 in graf3, by the homography that was published with these pictures. */
const GRAF = "180.5, -61.6, 523.6, 119.3, 406.6, 529.8, 27.6, 462.0";

it("measures what is found in a data set, wrong matches, errors of corners and times", async () => {
  const result = await measure(
    `graf3.jpg, graf1.jpg, ${GRAF}`,
    "leuvenB.jpg, leuvenA.jpg",
    "aloeL.jpg, leuvenA.jpg",
    "aloeL.jpg, graf1.jpg",
    "basketball2.jpg,",
    "",
  );
  expect(result).toMatchObject({ sightings: 4, found: 2, wrong: [["basketball2.jpg", "basketball1.jpg"]] });
  expect(result.milliseconds).toHaveLength(4);
  expect(result.cornerErrors).toHaveLength(1);
  expect(result.cornerErrors[0]).toBeLessThan(3);
});

it("names the row or the target that is wrong", async () => {
  await expect(measure("graf3.jpg, graf1.jpg", "leuvenB.jpg, leuvenA.jpg, 1, 2")).rejects.toThrow(
    "line 2: expected a photograph, a target and 0 or 8 numbers; got leuvenB.jpg, leuvenA.jpg, 1, 2",
  );
  await expect(measure("graf3.jpg, other.jpg")).rejects.toThrow("has the target other.jpg, which is not in");
});
