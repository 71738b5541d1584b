import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { APIS } from "../../src/core/apis/index.ts";
import type { ApiOperation } from "../../src/core/emulator/operation.ts";
import { PROFILE_NAMES, profiles } from "../../src/core/emulator/profiles.ts";
import { responsesUnder } from "../../src/core/emulator/response.ts";
import { RESULT_CODES } from "../../src/core/schema/protocol.ts";
import { placeholder } from "../conformance/engine/situation.ts";
import { FACTS } from "../conformance/facts.ts";

const operationsNamed = (...names: string[]): readonly ApiOperation[] =>
  Object.values(APIS)
    .flatMap(({ operations }) => operations)
    .filter(({ name }) => names.includes(name));
const operationsOf = (api: keyof typeof APIS): readonly ApiOperation[] => APIS[api].operations;

const INSTANCES = ["generateInstance"];
const REPORTS = ["requestReport", "downloadReport"];

/** By folder of src/core/apis: the operations that its README describes. */
const FOLDERS: Readonly<Record<string, readonly ApiOperation[]>> = {
  target: operationsOf("target").filter(({ name }) => ![...INSTANCES, ...REPORTS].includes(name)),
  query: operationsOf("query"),
  "model-target": operationsOf("modelTarget"),
  vumark: operationsNamed(...INSTANCES),
  reports: operationsNamed(...REPORTS),
};

/** The responses of these operations' checks, by name, in order. */
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

const textOf = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), "utf8");
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

describe.each(Object.entries(FOLDERS))("src/core/apis/%s/README.md", (folder, operations) => {
  it("has every check with what it may answer", () => {
    const listed = cellsOf(textOf(`src/core/apis/${folder}/README.md`), /^\| `\w+` \|/).map(
      ([name = "", answers = ""]) => [name.replaceAll("`", ""), answers],
    );
    const declared = [...rowsOf(operations)].map(([name, answers]) => [name, [...answers].join(", ")]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(declared));
    for (const { checks } of operations) {
      const own = new Set(checks.map(({ name }) => name));
      expect(listed.map(([name = ""]) => name).filter((name) => own.has(name))).toEqual([...own]);
    }
  });
});

/** What facts say that a check answers: a code and a status, or a status. */
const shownByFacts = new Set(
  PROFILE_NAMES.flatMap((profile) =>
    FACTS.flatMap(({ check, expected }) => {
      const { status, body } = expected(placeholder({ profile, keys: {}, prefix: "" }, new Date()));
      const code = /"(?:result_code|code|error)":"(\w+)"/.exec(body)?.[1];
      return check === undefined ? [] : [`${check}: ${code === undefined ? "" : `${code} `}${status}`];
    }),
  ),
);
/** No request exceeds the allowance, which is configured. */
const NO_FACT = ": TRAINING_ALLOWANCE_EXCEEDED 422";

it("the tables of checks say what facts show, and nothing else", () => {
  const listed = Object.keys(FOLDERS).flatMap((folder) =>
    cellsOf(textOf(`src/core/apis/${folder}/README.md`), /^\| `\w+` \|/).flatMap(
      ([name = "", answers = ""]) =>
        answers.split(", ").map((answer) => `${name.replaceAll("`", "")}: ${answer}`),
    ),
  );
  const known = listed.filter((one) => !one.endsWith(NO_FACT));
  expect(known.length).toBeLessThan(listed.length);
  expect([...new Set(known)].sort()).toEqual([...shownByFacts].sort());
});

it("no test names a check: a new name changes rows and these tables only", () => {
  const tests = fileURLToPath(new URL("..", import.meta.url));
  const files = readdirSync(tests, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.includes("node_modules"),
  );
  const names = Object.values(FOLDERS).flatMap((operations) => [...rowsOf(operations).keys()]);
  // In quotes, or before its reason.
  const named = new RegExp(`(?:["'\`}^]|\\n)(?:${[...new Set(names)].join("|")})(?:["'\`]|: )`);
  expect(named.test(`"${names[0]}"`)).toBe(true);
  const naming = files.filter((file) => named.test(readFileSync(join(tests, file), "utf8")));
  expect(naming, "state the reason, the status or the code instead").toEqual([]);
});

/** Every response of the target and query APIs that names a result code. */
const withResultCode = [...operationsOf("target"), ...operationsOf("query")].flatMap(
  ({ responses, checks }) =>
    Object.values(profiles).flatMap((profile) =>
      [responses, ...checks.map(({ refusals }) => refusals)].flatMap((declared) =>
        responsesUnder(declared, profile).filter(({ resultCode }) => resultCode !== undefined),
      ),
    ),
);
const statusesOf = (code: string): readonly number[] =>
  [
    ...new Set(withResultCode.filter(({ resultCode }) => resultCode === code).map(({ status }) => status)),
  ].sort();

describe("result codes", () => {
  it("are all declared by operations or checks, and no others are", () => {
    const codes = new Set(withResultCode.map(({ resultCode }) => resultCode));
    expect([...codes].sort()).toEqual(Object.keys(RESULT_CODES).sort());
  });

  it("are in the guide's table, with every status that is declared and the meaning", () => {
    const table = /<!-- result-codes -->\n([\s\S]*?)<!-- \/result-codes -->/.exec(
      textOf("examples/reference/README.md"),
    )?.[1];
    const rows = Object.entries(RESULT_CODES).map(
      ([code, { meaning }]) => `| \`${code}\` | ${statusesOf(code).join(", ")} | ${meaning} |`,
    );
    expect(table).toBe(["| code | status | meaning |", "| --- | --- | --- |", ...rows, ""].join("\n"));
  });
});
