import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { FACTS } from "../../src/verify/plan.ts";
import { junitReport } from "../../src/verify/report.ts";

/** Its types would declare a browser's globals everywhere. */
interface Jsdom {
  readonly JSDOM: new (
    xml: string,
    options: { readonly contentType: "text/xml" },
  ) => {
    readonly window: {
      readonly document: {
        readonly documentElement: { readonly tagName: string };
        querySelector(selector: string): { readonly textContent: string } | null;
      };
    };
  };
}
const { JSDOM }: Jsdom = createRequire(import.meta.url)("jsdom");

/** What a service may send back, and XML cannot contain as it is. */
const HOSTILE = 'a "quote", <tag/>, & ]]> \u0000\u000b\ud800 and \u{1f600}';

test("the JUnit report is well-formed XML, whatever a service sent", () => {
  const [fact] = FACTS;
  if (fact === undefined) throw new Error("no facts");
  const differing = { ...fact, sentence: 'A sentence with "quotes" & <brackets>.' };
  const differences = [{ what: "body", expected: "{}", got: HOSTILE }];
  const xml = junitReport({
    profile: "vuforia",
    outcomes: [{ fact: differing, result: "differs", differences }],
    left: [],
  });
  const { document } = new JSDOM(xml, { contentType: "text/xml" }).window;
  expect(document.documentElement.tagName).toBe("testsuites");
  expect(document.querySelector("parsererror")).toBeNull();
  expect(document.querySelector("failure")?.textContent).toContain(
    `got ${JSON.stringify(HOSTILE).slice(0, 20)}`,
  );
});
