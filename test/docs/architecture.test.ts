import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { files, imports, internal, source, text } from "./source-files.ts";

const page = readFileSync(fileURLToPath(new URL("../../.github/ARCHITECTURE.md", import.meta.url)), "utf8");

/** The folders that each folder of src may import from, as the page's table says. */
const IMPORTS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...page.matchAll(/^\| `([^`]+)` \| .+\. \| (.+) \|$/gm)].map(([, folder = "", from = ""]) => [
    folder,
    [...from.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  ]),
);

/** A room of the core, or the folder. */
const part = (file: string): string => /^core\/[^/]+/.exec(file)?.[0] ?? file.split("/", 1)[0] ?? file;
const isInCore = (file: string): boolean => file.startsWith("core/");
/** The files that import a package whose name matches, or load it when they need it. */
const usersOf = (pattern: RegExp): string[] =>
  [...text.keys()].filter((file) => {
    const loaded = [...(text.get(file) ?? "").matchAll(/\bload(?:Module|OnceInProcess)\("([^"]+)"\)/g)].map(
      ([, name = ""]) => name,
    );
    return [...(imports.get(file) ?? []), ...loaded].some((name) => pattern.test(name));
  });
const filesWith = (pattern: RegExp): string[] =>
  [...text].filter(([, content]) => pattern.test(content)).map(([file]) => file);
const outside = (found: string[], ...allowed: string[]): string[] =>
  found.filter((file) => !allowed.some((place) => file === place || file.startsWith(`${place}/`)));

/** The names of what a node calls, in order. */
function calledIn(node: ts.Node): readonly string[] {
  const names: string[] = [];
  const visit = (each: ts.Node): void => {
    if (ts.isCatchClause(each)) return;
    ts.forEachChild(each, visit);
    if (!ts.isCallExpression(each)) return;
    const { expression: callee } = each;
    names.push(ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText());
  };
  visit(node);
  return names;
}

describe("the drawing of a request's life", () => {
  const drawing = /## The life of a request[\s\S]*?```\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  const [steps = "", ...exits] = drawing.split("\n");
  const content = text.get("core/emulator/emulator.ts") ?? "";
  const file = ts.createSourceFile("emulator.ts", content, ts.ScriptTarget.Latest, true);

  it("has every step of the emulator's function, in order", () => {
    const [handle = "", ...drawn] = steps.split(" ─> ");
    const life = file.statements
      .filter(ts.isClassDeclaration)
      .flatMap(({ members }) => members.filter(ts.isMethodDeclaration))
      .find(({ name }) => name.getText() === handle);
    const called = life === undefined ? [] : calledIn(life);
    expect(drawn.pop()).toBe("transport");
    expect(called.filter((name) => drawn.includes(name))).toEqual(drawn);
  });

  it("names functions where a request leaves early", () => {
    const named = exits.flatMap((line) => /[├└] (?:operation\.)?(\w+):/.exec(line)?.[1] ?? []);
    expect(calledIn(file)).toEqual(expect.arrayContaining(named));
    expect(named).toEqual(["runChecks", "handle", "refuseUnserved", "refuseEarly"]);
  });
});

describe("the architecture", () => {
  it("has one kind of store: only a mock uses it at once, and nothing asks whether a value is a promise", () => {
    const rooms = /^core\/(store|apis|emulator)\//;
    const asking = filesWith(/\binstanceof Promise\b|\bMaybePromise\b|\bwhenDone\b/);
    expect(asking.filter((file) => rooms.test(file))).toEqual([]);
    const users = filesWith(/\b(runNow|readNow)\b/);
    expect(users).toContain("core/store/memory-store.ts");
    expect(outside(users, "mock", "core/store/memory-store.ts")).toEqual([]);
    expect(outside(filesWith(/\binterface Version\b|\btype Version\b/), "redis")).toEqual([]);
  });

  it("knows every folder, and finds the imports", () => {
    const folders = new Set(files.filter((file) => file !== "index.ts").map(part));
    expect([...folders].sort()).toEqual(Object.keys(IMPORTS).sort());
    expect(internal.length).toBeGreaterThan(files.length);
  });

  it("has no folder of one file", () => {
    const entries = readdirSync(source, { recursive: true, withFileTypes: true });
    const inFolder = (folder: string) => entries.filter(({ parentPath }) => parentPath === folder);
    const folders = entries
      .filter((entry) => entry.isDirectory())
      .map(({ parentPath, name }) => join(parentPath, name));
    const single = folders.filter((folder) => inFolder(folder).length < 2);
    expect(single, "move the file one folder up").toEqual([]);
  });

  it("has only imports between folders that are allowed", () => {
    const between = internal.filter(({ file, to }) => file !== "index.ts" && part(file) !== part(to));
    const refused = between
      .filter(({ file, to }) => IMPORTS[part(file)]?.includes(part(to)) !== true)
      .map(
        ({ file, to }) =>
          `${file} imports ${to}, but ${part(file)} may import only ${IMPORTS[part(file)]?.join(", ") || "nothing"}: ` +
          "move the function, or change the table in ARCHITECTURE.md",
      );
    expect(refused).toEqual([]);
  });

  it("has a core that imports nothing from outside of it", () => {
    const leaving = internal.filter(({ file, to }) => isInCore(file) && !isInCore(to));
    const advice =
      "src/core imports nothing from outside: declare what it needs as an interface in src/core, and pass it in";
    expect(leaving, advice).toEqual([]);
  });

  it("allows no import between folders that does not exist", () => {
    const used = new Set(internal.map(({ file, to }) => `${part(file)} imports ${part(to)}`));
    const allowed = Object.entries(IMPORTS).flatMap(([from, all]) =>
      all.map((to) => `${from} imports ${to}`),
    );
    const unused = allowed.filter((one) => !used.has(one));
    expect(unused, "remove them from the table in ARCHITECTURE.md").toEqual([]);
  });

  it("has no API that imports another API", () => {
    const api = (file: string) => file.split("/")[2];
    expect(
      internal.filter(
        ({ file, to }) =>
          file !== "core/apis/index.ts" &&
          part(file) === "core/apis" &&
          part(to) === "core/apis" &&
          !["signed", "explanations", "services.ts", "control.ts"].includes(api(to) ?? "") &&
          api(file) !== api(to),
      ),
    ).toEqual([]);
  });

  it("exports at most 77 names", () => {
    const names = [...(text.get("index.ts") ?? "").matchAll(/\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
      list.split(",").filter((name) => name.trim() !== ""),
    );
    expect(names).toContain(" MockCloudReco ");
    expect(names.length).toBeLessThanOrEqual(77);
  });

  it("has no cycles of files, and none of folders", () => {
    const folders = internal
      .map(({ file, to }) => ({ file: part(file), to: part(to) }))
      .filter(({ file, to }) => file !== "index.ts" && file !== to);
    for (const imports of [internal, folders]) {
      const edges = new Map<string, string[]>();
      for (const { file, to } of imports) edges.set(file, [...(edges.get(file) ?? []), to]);
      const done = new Set<string>();
      const visit = (at: string, path: readonly string[]): void => {
        expect(path, `a cycle: ${[...path, at].join(" → ")}`).not.toContain(at);
        if (done.has(at)) return;
        for (const next of edges.get(at) ?? []) visit(next, [...path, at]);
        done.add(at);
      };
      for (const at of edges.keys()) visit(at, []);
    }
  });

  it("keeps each heavy or special dependency in one place", () => {
    const places: readonly (readonly [dependency: RegExp, ...places: string[]])[] = [
      [/^nock$/, "intercept/nock"],
      [/^sharp$/, "core/images/decode.ts"],
      [/^image-ssim$/, "core/images/matching/definition.ts"],
      [/^busboy$/, "core/emulator/multipart.ts"],
      [/^fflate$/, "core/apis/model-target/responses.ts"],
      [/^iovalkey$/, "redis"],
      [/^node:https?$/, "core/http", "servers", "intercept", "cli"],
    ];
    for (const [dependency, ...allowed] of places) {
      const users = usersOf(dependency);
      expect(users, `${dependency} is used nowhere: remove its row`).not.toEqual([]);
      const advice = `${dependency} belongs into ${allowed.join(", ")}: call a function there, or add a place to this row`;
      expect(outside(users, ...allowed), advice).toEqual([]);
    }
  });

  it("reads zod's internals in one place, as zod 4.6 has them", () => {
    expect(filesWith(/\._zod\b/)).toEqual(["core/schema/zod/values.ts"]);
    expect(z.core.version).toMatchObject({ major: 4, minor: 6 });
    const fields = z.strictObject({ name: z.optional(z.string()) });
    expect(fields._zod.def).toMatchObject({
      type: "object",
      shape: { name: { _zod: { def: { type: "optional" } } } },
    });
    expect(z.lazy(() => fields)._zod.def).toMatchObject({ type: "lazy", getter: expect.any(Function) });
  });

  it("reads the time in the clock only, and draws randomness in one place", () => {
    // It quotes code for clients.
    const advising = "core/schema/causes/headers.ts";
    expect(outside(filesWith(/Date\.now\(|new Date\(\)/), "core/emulator/clock.ts", advising)).toEqual([]);
    expect(
      outside(filesWith(/Math\.random|randomUUID|randomBytes|randomFill/), "core/emulator/random.ts"),
    ).toEqual([]);
  });

  it("names providers' headers and parameters in the profiles only", () => {
    const names = ["x-cloud-region", "x-proxy-", "X-Storage-", "x-aws-region", "x-envoy-", "X-Amz-"];
    for (const name of names)
      expect([name, filesWith(new RegExp(name, "i"))]).toEqual([name, ["core/emulator/profiles.ts"]]);
    expect(
      outside(
        filesWith(/["']vuforia["']|["']neutral["']/),
        "core/emulator/profiles.ts",
        "options",
        "servers",
      ),
    ).toEqual([]);
  });
});
