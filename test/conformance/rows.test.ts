import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { query } from "../../src/core/apis/query/operations.ts";
import { reportTable } from "../../src/core/apis/reports/checks.ts";
import { targetTable } from "../../src/core/apis/target/checks.ts";
import { instanceTable } from "../../src/core/apis/vumark/checks.ts";
import { RESULT_CODES } from "../../src/core/schema/protocol.ts";
import { KNOWN_BY } from "./engine/fact.ts";
import { placeholder } from "./engine/situation.ts";
import { FACTS } from "./facts.ts";
import { knownPage } from "./known-page.ts";
import { ANSWERS, GROUPS, parseGroups, ROUTES, refusalsOf } from "./rows.ts";

describe("the rows", () => {
  it("have an id and a sentence each", () => {
    const ids = FACTS.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const { sentence } of FACTS) expect(sentence).toMatch(/^[A-Z].{20,}\.$/s);
  });

  it("name every check of the target and the query API, in order", () => {
    const checks = Object.keys(refusalsOf("target"));
    for (const { checks: all } of [targetTable, instanceTable, reportTable]) {
      // Instances and reports have further checks after these, which are rows of their own.
      const own = all.slice(0, 1 + all.findLastIndex(({ name }) => checks.includes(name)));
      expect(checks.filter((check) => own.some(({ name }) => name === check))).toEqual([
        ...new Set(own.map(({ name }) => name)),
      ]);
    }
    expect(Object.keys(refusalsOf("query"))).toEqual(query.checks.map(({ name }) => name));
  });

  it("use every route and every named answer", () => {
    const text = JSON.stringify(GROUPS) + JSON.stringify(ANSWERS.named);
    const isUsed = (name: string) => text.includes(`"${name}"`);
    expect(Object.keys(ROUTES).filter((name) => !isUsed(name))).toEqual([]);
    const inRows = JSON.stringify(GROUPS);
    const ofAnswers = JSON.stringify(ANSWERS.named);
    const names = Object.keys(ANSWERS.named);
    const unused = names.filter((name) => !inRows.includes(`"${name}"`) && !ofAnswers.includes(`:"${name}"`));
    expect(unused).toEqual([]);
  });
});

const row = { id: "target-any", route: "summary", with: "a change", get: "Fail 400" };
const read = (own: object) => () =>
  parseGroups("file", [{ api: "target", checks: { served: [{ ...row, ...own }] } }]);

describe("a row", () => {
  it.each([
    [{ observed: "test_add_target::test_missing @2026-09" }],
    [{ documented: "Web API, limits" }],
    [{ specified: "row 12" }],
    [{ assumed: "never attempted" }],
    [{ assumed: "never attempted: it costs a training" }],
    [{ assumed: "temporarily unverifiable: the test is skipped" }],
    [{ assumed: "inherently unverifiable: only the vendor suspends" }],
    [{ assumed: "similar: test_update_target::test_name" }],
    [{}],
  ])("may say %j", (own) => {
    expect(read(own)).not.toThrow();
  });

  it.each([
    [{ observed: "" }, "expected a public source and its date"],
    [{ observed: "test_add_target::test_missing" }, "expected a public source and its date"],
    [{ observed: "@2026-09" }, "expected a public source and its date"],
    [{ assumed: "nobody knows" }, "expected why"],
    [{ assumed: "similar:" }, "expected why"],
    [{ observed: "a test @2026-09", assumed: "never attempted" }, "expected one of observed"],
    [{ known: "observed" }, 'Unrecognized key: "known"'],
    [{ send: { header: {} } }, 'Unrecognized key: "header"'],
    [{ get: { status: 400, bodies: "" } }, "get"],
    [{ says: "is refused" }, "expected with, or says"],
    [{ id: "Target" }, "id"],
  ])("may not say %j", (own, why) => {
    expect(read(own)).toThrow(why);
  });

  it("that says nothing is assumed, because nobody attempted it", () => {
    const [silent] = GROUPS.flatMap(({ checks }) => Object.values(checks).flat()).filter(
      (one) => !KNOWN_BY.some((kind) => kind in one),
    );
    expect(FACTS.find(({ id }) => id === silent?.id)?.known).toEqual({
      by: "assumed",
      how: "never attempted",
    });
  });
});

it("no row has a character that public tests do not send", () => {
  expect(GROUPS.length).toBeGreaterThan(10);
  expect(JSON.stringify(GROUPS)).not.toMatch(/\uffff|\\uffff/);
});

describe("README.md", () => {
  const readme = readFileSync(new URL("README.md", import.meta.url), "utf8");

  it("counts the rows by API and by how they are known", () => {
    const cells = (values: readonly (string | number)[]) => `| ${values.join(" | ")} |`;
    const counts = (own: typeof FACTS) => [
      ...KNOWN_BY.map((by) => own.filter(({ known }) => known.by === by).length),
      own.length,
    ];
    const lines = [
      ["API", ...KNOWN_BY, "all"],
      ["---", ...KNOWN_BY.map(() => "---"), "---"],
      ...["target", "query", "model-target"].map((api) => [
        api,
        ...counts(FACTS.filter((fact) => fact.api === api)),
      ]),
      ["all", ...counts(FACTS)],
    ].map(cells);
    expect(/<!-- counts -->\n([\s\S]*?)<!-- \/counts -->/.exec(readme)?.[1]).toBe(`${lines.join("\n")}\n`);
  });

  it("describes every key of a row, every value and every placeholder", () => {
    const rows = GROUPS.flatMap(({ checks, orders = [] }) => [...Object.values(checks).flat(), ...orders]);
    const made = rows.map((one) => ("says" in one ? { ...one, says: "", with: "" } : one));
    const used = JSON.stringify([made, ROUTES]).match(/\$[a-z0-9]+|\{(?:[a-z_]+[}+-]|added\.)/g) ?? [];
    const own = rows.flatMap((one) => ("values" in one ? Object.keys(one.values ?? {}) : []));
    const undescribed = used.filter(
      (one) => !readme.includes(one) && !own.includes(one.replaceAll(/[{}]/g, "")),
    );
    const keys = rows.flatMap((one) => [...Object.keys(one), ...Object.keys(one.send ?? {})]);
    const unnamed = keys.filter((key) => !readme.includes(`\`${key}\``));
    expect([...new Set([...undescribed, ...unnamed])]).toEqual([]);
  });
});

it.each(["README.md", "examples/behaviour/README.md"])("%s counts the rows by how they are known", (file) => {
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8").replaceAll(/\s+/g, " ");
  const [, all, observed, documented, assumed] =
    /Each of (\d+) facts .*?(\d+) were observed .*?(\d+) are documented, and (\d+) are assumed/.exec(text) ??
    [];
  const counts = { observed, documented, specified: "0", assumed };
  const expected = KNOWN_BY.map((by) => [by, String(FACTS.filter(({ known }) => known.by === by).length)]);
  expect([all, counts]).toEqual([String(FACTS.length), Object.fromEntries(expected)]);
});

it("a page lists each row by how it is known: run this test with -u to write it", async () => {
  const page = fileURLToPath(new URL("../../examples/behaviour/how-it-is-known.md", import.meta.url));
  await expect(knownPage()).toMatchFileSnapshot(page);
});

/** Codes that a mock's option makes instances fail with: test/protocol/vumark/instance.test.ts. */
const CONFIGURED = ["QuotaExceeded", "LicenseCheckFailed", "AuthorizationFailed"];

/** The codes and statuses that facts say a request is answered with; another test shows that the facts hold. */
const answered = new Set(
  (["neutral", "vuforia"] as const).flatMap((profile) =>
    FACTS.flatMap(({ expected }) => {
      const { body, status } = expected(placeholder({ profile, keys: {}, prefix: "" }, new Date()));
      const code = /"result_code":"(\w+)"/.exec(body)?.[1];
      return code === undefined ? [] : [`${code} ${status}`];
    }),
  ),
);

describe("result codes", () => {
  it("every result code is one with which a fact's request is answered, with its usual status", () => {
    const codes = Object.entries(RESULT_CODES).filter(([code]) => !CONFIGURED.includes(code));
    const unanswered = codes
      .filter(([code, { status }]) => !answered.has(`${code} ${status}`))
      .map(([code]) => code);
    expect(unanswered, "add a row to test/conformance/rows whose request is answered with the code").toEqual(
      [],
    );
  });

  it("facts name no other result codes", () => {
    const codes = new Set([...answered].map((one) => one.split(" ")[0]));
    const unknown = [...codes].filter((code) => !(code !== undefined && code in RESULT_CODES));
    expect(unknown, "add the code to RESULT_CODES of src/core/schema/protocol.ts").toEqual([]);
  });
});
