import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { FACT_APIS, KNOWN_BY } from "../../src/verify/fact.ts";
import { FACTS } from "../../src/verify/plan.ts";
import { readRecording, replay } from "../../src/verify/recording.ts";
import { start } from "../cli/command.ts";
import { codeBlocks } from "../support/code-blocks.ts";

const guide = readFileSync(new URL("../../examples/verify/README.md", import.meta.url), "utf8");

it("the guide counts the facts by API and by how they are known", () => {
  const row = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  const counts = (own: typeof FACTS) => [
    ...KNOWN_BY.map((by) => own.filter(({ known }) => known.by === by).length),
    own.length,
  ];
  const rows = [
    ["API", ...KNOWN_BY, "all"],
    ["---", ...KNOWN_BY.map(() => "---"), "---"],
    ...FACT_APIS.map((api) => [api, ...counts(FACTS.filter((fact) => fact.api === api))]),
    ["all", ...counts(FACTS)],
  ].map(row);
  expect(/<!-- counts -->\n([\s\S]*?)<!-- \/counts -->/.exec(guide)?.[1]).toBe(`${rows.join("\n")}\n`);
});

it("the guide names facts that exist", () => {
  const named = [...guide.matchAll(/`((?:target|query|model-target)-[a-z0-9-]+-?\*?)`/g)].map(
    ([, id = ""]) => id,
  );
  expect(named.length).toBeGreaterThan(15);
  const isKnown = (id: string) =>
    FACTS.some((fact) => (id.endsWith("*") ? fact.id.startsWith(id.slice(0, -1)) : fact.id === id));
  expect(named.filter((id) => !isKnown(id))).toEqual([]);
});

it("the facts that are worth a look are assumed, and the guide names every assumed fact", () => {
  const [, section = ""] = guide.split("## Worth a look");
  const patterns = [...section.matchAll(/`((?:target|query|model-target)-[a-z0-9-]+-?\*?)`/g)].map(
    ([, id = ""]) => new RegExp(`^${id.replace("*", ".*")}$`),
  );
  const isNamed = (id: string) => patterns.some((one) => one.test(id));
  const assumed = FACTS.filter(({ known }) => known.by === "assumed").map(({ id }) => id);
  expect(assumed.filter((id) => !isNamed(id))).toEqual([]);
  for (const one of patterns)
    expect(
      assumed.filter((id) => one.test(id)),
      String(one),
    ).not.toEqual([]);
});

it("the guide's recording is one, and its fact holds", () => {
  const block = codeBlocks(guide).find(({ text }) => text.includes('"format"'));
  const text = block?.text ?? "";
  const recording = readRecording(text);
  const outcomes = replay(FACTS, recording).filter(({ fact }) => fact.id in recording.facts);
  expect(outcomes.map(({ fact, result }) => [fact.id, result])).toEqual([
    ["target-3-no-authorization", "holds"],
  ]);
  expect(() => readRecording(text.replace('"version": 1', '"version": 2'))).toThrow(
    "it has version 2; expected version 1",
  );
});

it("the guide's commands are accepted", async () => {
  const [block] = codeBlocks(guide);
  const lines = (block?.text ?? "").split("\n");
  expect(lines).toHaveLength(5);
  for (const line of lines) {
    const [npx, name, ...args] = line.replaceAll("'", "").split(" ");
    expect([npx, name]).toEqual(["npx", "mock-cloud-reco"]);
    expect((await start([...args, "--dry-run"]).finished).code, line).toBe(0);
  }
});
