import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { text as sources } from "./source-files.ts";

const page = readFileSync(new URL("../../.github/PATCHES.md", import.meta.url), "utf8");
const rows = [...page.matchAll(/^\| (.+) \| `(\S+\.ts)` \| (.+) \| `(\S+)` \|$/gm)].map(
  ([, property = "", file = "", , testFile = ""]) => ({ property, file: `intercept/${file}`, testFile }),
);
/** What a file gives to `replace`, where it names the property there. */
const patched = [...sources].flatMap(([file, content]) =>
  [...content.matchAll(/(?<![.\w])replace\((?:[^()"]|\([^()]*\))+, "(\w+)"/g)].map(([, name = ""]) => ({
    file,
    name,
  })),
);

describe("the page of patches", () => {
  it("has a row for each property that is replaced by its name", () => {
    expect(patched.length).toBeGreaterThan(15);
    const missing = patched.filter(
      ({ file, name }) => !rows.some((row) => row.file === file && row.property.includes(name)),
    );
    expect(missing).toEqual([]);
  });

  it("has a row for each file that replaces properties", () => {
    const files = [...sources].filter(([, content]) => /from "[./]+\/replace\.ts"/.test(content));
    const using = files.filter(([, content]) => /\breplace\(/.test(content)).map(([file]) => file);
    expect([...new Set(rows.map(({ file }) => file))]).toEqual(expect.arrayContaining(using));
  });

  it.each(rows)("names a file and a test that exist: $property", ({ file, testFile }) => {
    expect(sources.has(file)).toBe(true);
    expect(existsSync(new URL(`../intercept/${testFile}.test.ts`, import.meta.url))).toBe(true);
  });
});
