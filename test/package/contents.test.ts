import { readdir, readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";
import { filesOfPackage, inConsumer } from "./run.ts";

const installed = inConsumer("node_modules/mock-cloud-reco");

it("contains only the necessary files, in less than 2 MB", async () => {
  let bytes = 0;
  for (const file of await filesOfPackage()) bytes += (await stat(join(installed, file))).size;
  expect(bytes).toBeLessThan(2_000_000);
  expect((await readdir(installed)).sort()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "dist",
    "examples",
    "llms.txt",
    "package.json",
  ]);
});

it("contains every file that package.json refers to", async () => {
  const { exports, bin = {} } = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  const named = JSON.stringify([exports, bin]).match(/\.\/[^"]+\.\w+/g) ?? [];
  const require = createRequire(join(installed, "package.json"));
  expect(named.length).toBeGreaterThan(4);
  for (const path of named)
    expect((await stat(require.resolve(join(installed, path)))).isFile(), path).toBe(true);
});

it("declares nothing in terms of a bundled package or of its own internals", async () => {
  const declarations = (await readdir(join(installed, "dist"))).filter((file) => /\.d\.[cm]ts$/.test(file));
  expect(declarations.length).toBeGreaterThan(10);
  for (const file of declarations)
    expect(await readFile(join(installed, "dist", file), "utf8"), file).not.toMatch(
      /\bzod\b|ZodMini|lru-cache|EmulatorParts|MemoryStore|ResolvedOptions/,
    );
});
