import { parse } from "junit2json";
import { describe, expect, test } from "vitest";
import type { Fact } from "../../src/verify/fact.ts";
import { FACTS } from "../../src/verify/plan.ts";
import { type Findings, junitReport, textReport } from "../../src/verify/report.ts";

const [holding, second, notTried] = FACTS.filter(
  ({ known }) => known.by === "observed",
) as unknown as readonly [Fact, Fact, Fact];
const differing: Fact = { ...second, sentence: 'A sentence with "quotes" & <brackets>.' };
/** What a service may send back, and XML cannot contain as it is. */
const HOSTILE = 'a "quote", <tag/>, & ]]> \u0000\u000b\ud800 and \u{1f600}';
const findings: Findings = {
  profile: "vuforia",
  outcomes: [
    { fact: holding, result: "holds" },
    {
      fact: differing,
      result: "differs",
      differences: [
        { what: "status", expected: "200", got: "500" },
        { what: "body", expected: "{}", got: HOSTILE },
      ],
    },
    { fact: notTried, result: "notTried", why: `needs <more> & "more"` },
  ],
  left: [],
};
const changes = [{ id: "target-add", what: "body", before: "<old>", now: HOSTILE }];

describe("the JUnit report", () => {
  test("is read by a JUnit parser as what it says", async () => {
    const read = await parse(junitReport(findings));
    expect(read).toMatchObject({
      tests: 3,
      failures: 1,
      errors: 0,
      skipped: 1,
      testsuite: [{ name: "facts (vuforia)", tests: 3, failures: 1, errors: 0, skipped: 1 }],
    });
    const [suite] = Object(read).testsuite;
    expect(suite.testcase).toEqual([
      { classname: holding.api, name: holding.id },
      {
        classname: differing.api,
        name: differing.id,
        failure: [
          {
            message: differing.sentence,
            inner: expect.stringMatching(/^status: expected "200"; got "500"\nbody:/),
          },
        ],
      },
      { classname: notTried.api, name: notTried.id, skipped: [{ message: `needs <more> & "more"` }] },
    ]);
  });

  test("has what changed since a recording as failures", async () => {
    const { tests, failures, testsuite } = Object(await parse(junitReport({ ...findings, changes })));
    expect({ tests, failures }).toEqual({ tests: 4, failures: 2 });
    expect(testsuite[1]).toMatchObject({
      name: "changes since the recording",
      tests: 1,
      failures: 1,
      testcase: [{ classname: "changed", name: "target-add body" }],
    });
  });
});

describe("the report for a terminal", () => {
  test("counts what holds, shows differences side by side, and says what could not be tried and why", () => {
    const text = textReport(findings);
    expect(text).toMatch(/^facts +hold +differ +not tried$/m);
    expect(text).toMatch(/^all +1 +1 +1$/m);
    expect(text).toContain("\nHOLDS  1 (--holds lists them)\n");
    expect(text).toContain(`\nDIFFERS  ${differing.id}  (observed 2026-09)\n  ${differing.sentence}\n`);
    expect(text).toMatch(/^ +expected +got\n +status +"200" +"500"\n +body +"\{\}" +"a /m);
    expect(text).toContain(`\nNOT TRIED  1: needs <more> & "more"\n  ${notTried.id}\n`);
  });

  test("shows long bodies from a little before where they differ", () => {
    const start = `{"id":"<id>","text":"${"a".repeat(300)}`;
    const body = {
      what: "body",
      expected: `${start}b"}`,
      got: `${start.replace("<id>", "0".repeat(32))}c"}`,
    };
    const [one] = textReport({
      ...findings,
      outcomes: [{ fact: differing, result: "differs", differences: [body] }],
    }).match(/^ +body.*$/m) ?? [""];
    const same = "a".repeat(40);
    expect(one.trim()).toBe(String.raw`body  …"${same}b\"}"  …"${same}c\"}"`);
  });

  test("lists what holds, if asked", () => {
    expect(textReport(findings, true)).toContain(`\nHOLDS  ${holding.id}  observed 2026-09\n`);
  });
});
