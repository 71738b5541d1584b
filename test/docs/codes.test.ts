import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { rowOf } from "../../src/core/schema/causes/causes.ts";
import { CODES, ROOMS } from "../../src/core/schema/causes/rooms.ts";

const page = fileURLToPath(new URL("../../examples/reference/CODES.md", import.meta.url));

/** A cell of a Markdown table. */
const cell = (text: string): string => text.replaceAll("<", "&lt;").replaceAll("|", "\\|");

/** The page of the reference. */
const codesPage = (): string =>
  [
    "# Codes of causes",
    "",
    "Each entry of `mock.requests` that has a `reason` has a `cause`: a code, and the facts that the sentence names. Codes are stable, sentences",
    "are not. `npx mock-cloud-reco explain date.skewed` prints one of these.",
    ...ROOMS.flatMap(([title, rows]) => [
      "",
      `## ${title}`,
      "",
      "| code | what happened | what to change | a request that gets it |",
      "| --- | --- | --- | --- |",
      ...Object.entries(rows).map(
        ([code, { happened, change, example }]) =>
          `| \`${code}\` | ${cell(happened)} | ${cell(change)} | ${exampleCell(example)} |`,
      ),
    ]),
    "",
  ].join("\n");

const exampleCell = (example: string): string =>
  example
    .split("\n")
    .filter((line) => line !== "")
    .map((line, _at, lines) =>
      lines.length === 1 && /[^A-Z] /.test(line) ? cell(line) : `\`${line.replaceAll("|", "\\|")}\``,
    )
    .join("<br>");

/** Tests of causes: a table of what produces each, and tests of what needs a setting of its own. */
const tests = [
  ...readdirSync(new URL("../causes/", import.meta.url)).map((name) => `causes/${name}`),
  "images/decoder-failures.test.ts",
  "intercept/socks.test.ts",
  "protocol/decided-by-the-store.test.ts",
  "runners/explain-served.test.ts",
  "servers/overload.test.ts",
  "servers/three-servers.test.ts",
].map((name) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8"));

/** As a string, or in brackets in a pattern. */
const names = (test: string, code: string): boolean =>
  test.includes(`"${code}"`) || test.includes(`\\[${code.replace(".", "\\.")}\\]`);

describe("the codes of causes", () => {
  it("are what the reference lists (`npx vitest run -u test/docs/codes.test.ts` writes it)", async () => {
    await expect(codesPage()).toMatchFileSnapshot(page);
  });

  it("have a subject and a predicate, in at most three words", () => {
    expect(CODES.filter((code) => !/^[a-z0-9]+(-[a-z0-9]+)?\.[a-z0-9]+(-[a-z0-9]+)?$/.test(code))).toEqual(
      [],
    );
    expect(CODES.filter((code) => code.split(/[.-]/).length > 3)).toEqual([]);
  });

  it("each occur in a test", () => {
    expect(CODES.filter((code) => !tests.some((test) => names(test, code)))).toEqual([]);
  });

  it("say in sentences what happened and what to change", () => {
    const sentences = CODES.flatMap((code) => [rowOf(code).happened, rowOf(code).change]);
    expect(sentences.filter((sentence) => !/^[A-Za-z`].*\.$/.test(sentence))).toEqual([]);
  });
});
