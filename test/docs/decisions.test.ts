import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { text as sources } from "./source-files.ts";

const folder = new URL("../../.github/decisions/", import.meta.url);
const index = readFileSync(new URL("README.md", folder), "utf8");
const decisions = readdirSync(folder).filter((name) => name !== "README.md");
const named = new Set(
  [...sources.values()].flatMap((code) =>
    [...code.matchAll(/[Dd]ecision (\d{4})/g)].map(([, number]) => number),
  ),
);

describe.each(decisions)("the decision %s", (name) => {
  const text = readFileSync(new URL(name, folder), "utf8");

  it("says in at most 40 lines what was decided, why, and what would change it", () => {
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
    expect(text.match(/^## .*/gm)).toEqual(["## Decision", "## Why", "## What would change it"]);
    expect(text).toMatch(new RegExp(`^# ${Number(name.slice(0, 4))}\\. `));
  });

  it("is listed, and named by a comment at its place", () => {
    expect(index).toContain(`| [${name.slice(0, 4)}](${name}) |`);
    expect([...named]).toContain(name.slice(0, 4));
  });
});

it("is there for every decision that a comment names", () => {
  expect([...named].sort()).toEqual(decisions.map((name) => name.slice(0, 4)).sort());
});
