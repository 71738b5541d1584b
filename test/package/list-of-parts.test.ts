import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import * as z from "zod";
import { billOfMaterials } from "../../.ci/stage.ts";
import { inConsumer } from "./run.ts";

const BUNDLED = [
  "@preact/signals",
  "@preact/signals-core",
  "cross-spawn",
  "date-fns",
  "isexe",
  "lru-cache",
  "path-key",
  "preact",
  "shebang-command",
  "shebang-regex",
  "which",
  "zod",
];
const bill = z.object({
  bomFormat: z.literal("CycloneDX"),
  metadata: z.object({ component: z.object({ name: z.literal("mock-cloud-reco") }) }),
  components: z.array(
    z.object({ name: z.string(), version: z.string(), purl: z.string().startsWith("pkg:npm/") }),
  ),
});

it("lists what is installed with the package and what is bundled, and nothing that only its development needs", async () => {
  const packages = inject("bundled");
  expect(packages).toEqual(BUNDLED);
  const folder = inConsumer("node_modules/mock-cloud-reco");
  const names = bill.parse(await billOfMaterials(folder, packages)).components.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([...BUNDLED, "busboy", "detect-libc", "fflate", "image-ssim", "nock", "sharp"]),
  );
  expect(names.filter((name) => /vitest|biome|typescript|playwright|jest|tsdown|esbuild/.test(name))).toEqual(
    [],
  );
});

it("has the licence of each bundled package, and of the model that rates images", async () => {
  const files = await readdir(join(inConsumer("node_modules/mock-cloud-reco"), "dist"));
  expect(files.filter((name) => name.startsWith("LICENSE-"))).toEqual(
    [...BUNDLED, "opencv"].map((name) => `LICENSE-${name.replace("@", "").replace("/", "-")}`).sort(),
  );
});
