import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { source, target, text } from "./source-files.ts";

/** Tests that import modules of src: its pure functions, or what no client can reach. */
const MOST_TESTS_REACHING = 63;
/** Helpers, programs and benchmarks that do. None of the conformance suite does, because it tries any service. */
const MOST_HELPERS_REACHING = 30;
const REACHING =
  "Test behaviour through the package's exports. If a pure function, or what no client can reach, is better tested by import, " +
  "raise the number by one, and say why in the commit";

/** What the package exports. Programs that are bundled import it by its path. */
const ENTRIES =
  /^(?:index|servers\/index|openapi\/index|testing\/(?:assert|jest|msw|node-test|playwright|vitest))\.ts$/;

describe("the tests", () => {
  const root = fileURLToPath(new URL("..", import.meta.url));
  // `test/matrix` is a package of its own, with a great many files installed.
  const all = readdirSync(root)
    .filter((folder) => folder !== "matrix")
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) =>
        join(folder, file),
      ),
    )
    .filter((file) => file.endsWith(".ts"));
  const isTest = (file: string): boolean => file.endsWith(".test.ts");
  /** What a file imports of `src`: the module, and the names. */
  const reachedBy = (file: string) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/^import ([^;]*?) from "([^"]+)";/gm)]
      .map(([, names = "", specifier = ""]) => ({
        file,
        names,
        module: relative(source, resolve(root, dirname(file), specifier)),
      }))
      .filter(({ module }) => text.has(module));
  const reached = all.filter(isTest).flatMap(reachedBy);

  it("have a row for each folder on the map in CONTRIBUTING", () => {
    const contributing = readFileSync(join(root, "../.github/CONTRIBUTING.md"), "utf8");
    const rows = [...contributing.matchAll(/^\| `(\w+)` \| [^|]+ \|$/gm)].map(([, folder]) => folder);
    const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(rows).toEqual(folders.map(({ name }) => name).sort());
  });

  it("import from the package what it exports", () => {
    const exported = ["index.ts", "servers/index.ts"].flatMap((entry) =>
      [...(text.get(entry) ?? "").matchAll(/export (type )?\{([^}]*)\} from "([^"]+)"/g)].flatMap(
        ([, onlyType, list = "", specifier = ""]) =>
          list
            .split(",")
            .map((name) => name.trim())
            // A class that is exported as a type only is no value for them.
            .filter((name) => name !== "" && onlyType === undefined && !name.startsWith("type "))
            .map((name) => `${target(entry, specifier)} ${name}`),
      ),
    );
    const named = reached.flatMap(({ file, names, module }) =>
      [...names.matchAll(/\w+/g)].map(([name]) => ({ file, name: `${module} ${name}` })),
    );
    expect(exported).toContain("core/emulator/clock.ts ManualClock");
    expect(reached.filter(({ module }) => ENTRIES.test(module))).toEqual([]);
    expect(named.filter(({ name }) => exported.includes(name))).toEqual([]);
  });

  it("reach into src in few files", () => {
    const files = [...new Set(reached.map(({ file }) => file))];
    expect(files.length, `${REACHING}:\n${files.join("\n")}`).toBeLessThanOrEqual(MOST_TESTS_REACHING);
  });

  it("have few helpers that reach into src, and none of them in the conformance suite", () => {
    const helpers = all.filter((file) => !isTest(file));
    const reaching = helpers.filter((file) => reachedBy(file).some(({ module }) => !ENTRIES.test(module)));
    expect(reaching.length, `${REACHING}:\n${reaching.join("\n")}`).toBeLessThanOrEqual(
      MOST_HELPERS_REACHING,
    );
    expect(reaching.filter((file) => file.startsWith("conformance/"))).toEqual([]);
  });

  it("of the emulator and of any service share the engine of the conformance suite, and nothing of each other", () => {
    const parts = ["emulator", "verify"].map((part) =>
      all.filter((file) => file.startsWith(`conformance/${part}/`)),
    );
    expect(parts.map(({ length }) => length > 1)).toEqual([true, true]);
    const naming = all.filter(
      (file) =>
        file.startsWith("conformance/") &&
        /from "\.\.?\/(emulator|verify)\//.test(readFileSync(join(root, file), "utf8")),
    );
    expect(naming, "move what both need into conformance/engine").toEqual([]);
  });
});
