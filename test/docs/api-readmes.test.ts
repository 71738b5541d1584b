import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { APIS } from "../../src/apis/index.ts";
import type { ApiOperation } from "../../src/core/operation.ts";
import { profiles } from "../../src/core/profiles.ts";
import { responsesUnder } from "../../src/core/response.ts";
import { RESULT_CODES } from "../../src/core/result-codes.ts";

const operationsNamed = (...names: string[]): readonly ApiOperation[] =>
  APIS.flatMap(({ operations }) => operations).filter(({ name }) => names.includes(name));
const operationsOf = (api: string): readonly ApiOperation[] =>
  APIS.filter(({ name }) => name === api).flatMap(({ operations }) => operations);

const INSTANCES = ["generateInstance"];
const REPORTS = ["requestReport", "downloadReport"];

/** By folder of src/apis: the operations that its README tells of. */
const FOLDERS: Readonly<Record<string, readonly ApiOperation[]>> = {
  target: operationsOf("target").filter(({ name }) => ![...INSTANCES, ...REPORTS].includes(name)),
  query: operationsOf("query"),
  "model-target": operationsOf("modelTarget"),
  vumark: operationsNamed(...INSTANCES),
  reports: operationsNamed(...REPORTS),
};

/** What the checks of these operations may answer, by name, in order; `page` stands for what has no result code. */
function rowsOf(operations: readonly ApiOperation[]): Map<string, Set<string>> {
  const rows = new Map<string, Set<string>>();
  for (const { checks } of operations) {
    for (const { name, refusals } of checks) {
      const answers = Object.values(profiles).flatMap((profile) => responsesUnder(refusals, profile));
      const row = rows.get(name) ?? new Set();
      for (const { resultCode, status } of answers)
        row.add(resultCode === undefined ? `${status}` : `${resultCode} ${status}`);
      rows.set(name, row);
    }
  }
  return rows;
}

const readme = (folder: string): string =>
  readFileSync(fileURLToPath(new URL(`../../src/apis/${folder}/README.md`, import.meta.url)), "utf8");
const cellsOf = (text: string, shape: RegExp): string[][] =>
  text
    .split("\n")
    .filter((line) => shape.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

describe.each(Object.entries(FOLDERS))("src/apis/%s/README.md", (folder, operations) => {
  it("has every check with what it may answer", () => {
    const listed = cellsOf(readme(folder), /^\| `\w+` \|/).map(([name = "", answers = ""]) => [
      name.replaceAll("`", ""),
      answers,
    ]);
    const declared = [...rowsOf(operations)].map(([name, answers]) => [name, [...answers].join(", ")]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(declared));
    for (const { checks } of operations) {
      const own = new Set(checks.map(({ name }) => name));
      expect(listed.map(([name = ""]) => name).filter((name) => own.has(name))).toEqual([...own]);
    }
  });
});

describe("result codes", () => {
  it("are all answers of operations or checks, and no others are", () => {
    const declared = [...operationsOf("target"), ...operationsOf("query")].flatMap((operation) => {
      const { responses, checks } = operation;
      return Object.values(profiles).flatMap((profile) =>
        [responses, ...checks.map(({ refusals }) => refusals)].flatMap((each) =>
          responsesUnder(each, profile),
        ),
      );
    });
    const codes = new Set(declared.flatMap(({ resultCode }) => resultCode ?? []));
    expect([...codes].sort()).toEqual(Object.keys(RESULT_CODES).sort());
  });
});
