import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { profiles } from "../../src/core/profiles.ts";

/** The folders that each folder of src may import from. */
const IMPORTS: Readonly<Record<string, readonly string[]>> = {
  schema: [],
  core: ["schema"],
  images: ["core"],
  store: ["core", "schema"],
  apis: ["core", "images", "schema", "store"],
  openapi: ["apis", "core", "schema"],
  transports: ["core", "schema"],
  mock: ["apis", "core", "images", "schema", "store", "transports"],
  testing: ["index.ts"],
  servers: ["apis", "core", "images", "mock", "openapi", "schema", "store", "transports"],
  verify: ["apis", "core"],
  cli: ["core", "mock", "openapi", "schema", "servers", "verify"],
  ui: ["mock", "servers"],
};

const source = fileURLToPath(new URL("../../src", import.meta.url));
const files = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => relative(source, join(entry.parentPath, entry.name)))
  .sort();
const text = new Map(files.map((file) => [file, readFileSync(join(source, file), "utf8")]));
const imports = new Map(
  [...text].map(([file, content]) => [
    file,
    ts.preProcessFile(content, true, true).importedFiles.map(({ fileName }) => fileName),
  ]),
);

const part = (file: string): string => file.split("/", 1)[0] ?? file;
const target = (file: string, specifier: string): string =>
  relative(source, resolve(source, dirname(file), specifier));
/** Loaded only when it is called: a mock whose page is not opened has no server. */
const LOADED_LATER = [{ file: "mock/pages.ts", to: "servers/page/serve-page.ts" }];
const internal = [...imports].flatMap(([file, specifiers]) =>
  specifiers
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => ({ file, to: target(file, specifier) }))
    .filter(({ to }) => !to.startsWith(".."))
    .filter(({ file, to }) => !LOADED_LATER.some((later) => later.file === file && later.to === to)),
);
const importersOf = (pattern: RegExp): string[] =>
  [...imports]
    .filter(([, specifiers]) => specifiers.some((specifier) => pattern.test(specifier)))
    .map(([file]) => file);
const filesWith = (pattern: RegExp): string[] =>
  [...text].filter(([, content]) => pattern.test(content)).map(([file]) => file);
const outside = (found: string[], ...allowed: string[]): string[] =>
  found.filter((file) => !allowed.some((place) => file === place || file.startsWith(`${place}/`)));

describe("the architecture", () => {
  it("knows every folder, and finds the imports", () => {
    const folders = new Set(files.filter((file) => file !== "index.ts").map(part));
    expect([...folders].sort()).toEqual(Object.keys(IMPORTS).sort());
    expect(internal.length).toBeGreaterThan(files.length);
  });

  it("has only imports between folders that are allowed", () => {
    const between = internal.filter(({ file, to }) => file !== "index.ts" && part(file) !== part(to));
    expect(between.filter(({ file, to }) => IMPORTS[part(file)]?.includes(part(to)) !== true)).toEqual([]);
  });

  it("allows no import between folders that does not exist", () => {
    const used = new Set(internal.map(({ file, to }) => `${part(file)} imports ${part(to)}`));
    const allowed = Object.entries(IMPORTS).flatMap(([from, all]) =>
      all.map((to) => `${from} imports ${to}`),
    );
    expect(allowed.filter((one) => !used.has(one))).toEqual([]);
  });

  it("has no API that imports another API", () => {
    const api = (file: string) => file.split("/")[1];
    expect(
      internal.filter(
        ({ file, to }) =>
          file !== "apis/index.ts" &&
          part(file) === "apis" &&
          part(to) === "apis" &&
          api(to) !== "shared" &&
          api(file) !== api(to),
      ),
    ).toEqual([]);
  });

  it("has no cycles", () => {
    const edges = new Map<string, string[]>();
    for (const { file, to } of internal) edges.set(file, [...(edges.get(file) ?? []), to]);
    const done = new Set<string>();
    const visit = (file: string, path: readonly string[]): void => {
      expect(path, `a cycle: ${[...path, file].join(" → ")}`).not.toContain(file);
      if (done.has(file)) return;
      for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
  });

  it("keeps each heavy or special dependency in one place", () => {
    expect(outside(importersOf(/^nock$/), "transports")).toEqual([]);
    expect(outside(importersOf(/^undici$/), "transports")).toEqual([]);
    expect(outside(importersOf(/^sharp$/), "images/decode.ts")).toEqual([]);
    expect(
      outside(
        importersOf(/^node:https?$/),
        "servers",
        "transports",
        "store/manager/remote-store.ts",
        "cli",
        "verify",
      ),
    ).toEqual([]);
  });

  it("reads the time in the clock only, and draws randomness in one place", () => {
    // It quotes code for clients.
    const advising = "apis/shared/date-explanation.ts";
    expect(outside(filesWith(/Date\.now\(|new Date\(\)/), "core/clock.ts", advising)).toEqual([]);
    expect(outside(filesWith(/Math\.random|randomUUID|randomBytes|randomFill/), "core/random.ts")).toEqual(
      [],
    );
  });

  it("names providers' headers and parameters in the profiles only", () => {
    const names = Object.values(profiles).flatMap((profile) => [
      profile.regionHeader,
      profile.upstreamTimeHeader,
      profile.rateLimitedHeader,
      profile.reportParameterPrefix,
    ]);
    const pattern = new RegExp(names.join("|"), "i");
    expect(filesWith(pattern)).toEqual(["core/profiles.ts"]);
    expect(
      outside(filesWith(/["']vuforia["']|["']neutral["']/), "core/profiles.ts", "mock/options.ts", "servers"),
    ).toEqual([]);
  });
});
