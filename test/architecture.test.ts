import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { profiles } from "../src/profiles.ts";

/** Who may import whom: a file imports from its own layer and those above it in this list. */
const LAYERS: readonly (readonly string[])[] = [
  ["runtime", "profiles.ts"],
  ["domain", "http"],
  ["responses", "signing.ts", "images", "store"],
  ["services.ts"],
  ["guards"],
  ["apis"],
  ["faults"],
  ["emulator.ts", "unserved-reason.ts", "openapi"],
  ["interception"],
  [
    "added-database.ts",
    "added-target.ts",
    "base-url.ts",
    "option-values.ts",
    "options.ts",
    "database-fields.ts",
    "mock-database.ts",
    "fault-fields.ts",
    "request-filter.ts",
    "runs.ts",
    "world.ts",
    "intercepted-hosts.ts",
    "mock-cloud-reco.ts",
  ],
  ["server", "cli", "index.ts"],
  ["testing"],
];

const source = fileURLToPath(new URL("../src", import.meta.url));
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
const layerOf = (file: string): number => LAYERS.findIndex((layer) => layer.includes(part(file)));
const target = (file: string, specifier: string): string =>
  relative(source, resolve(source, dirname(file), specifier));
const internal = [...imports].flatMap(([file, specifiers]) =>
  specifiers
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => ({ file, to: target(file, specifier) })),
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
  it("has a layer for every file, and finds its imports", () => {
    expect(files.filter((file) => layerOf(file) === -1)).toEqual([]);
    expect(internal.length).toBeGreaterThan(files.length);
  });

  it("imports from the same layer or a lower one only", () => {
    expect(internal.filter(({ file, to }) => layerOf(to) > layerOf(file))).toEqual([]);
  });

  it("has no API that imports another", () => {
    const api = (file: string) => file.split("/")[1];
    expect(
      internal.filter(
        ({ file, to }) => part(file) === "apis" && part(to) === "apis" && api(file) !== api(to),
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
    expect(outside(importersOf(/^nock$/), "interception")).toEqual([]);
    expect(outside(importersOf(/^undici$/), "interception")).toEqual([]);
    expect(outside(importersOf(/^sharp$/), "images/decode.ts")).toEqual([]);
    expect(
      outside(importersOf(/^node:https?$/), "server", "interception", "store/remote-store.ts", "cli"),
    ).toEqual([]);
  });

  it("reads the time in the clock only, and draws randomness in one place", () => {
    expect(outside(filesWith(/Date\.now\(|new Date\(\)/), "runtime/clock.ts")).toEqual([]);
    expect(outside(filesWith(/Math\.random|randomUUID|randomBytes|randomFill/), "runtime/random.ts")).toEqual(
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
    expect(filesWith(pattern)).toEqual(["profiles.ts"]);
    expect(
      outside(filesWith(/["']vuforia["']|["']neutral["']/), "profiles.ts", "options.ts", "server"),
    ).toEqual([]);
  });
});
