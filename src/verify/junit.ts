import { xmlText } from "../emulator/xml.ts";
import { type Findings, sides } from "./report.ts";

interface Case {
  readonly className: string;
  readonly name: string;
  readonly skipped?: string;
  readonly failure?: { readonly message: string; readonly lines: readonly string[] };
}

const casesOf = ({ outcomes }: Findings): readonly Case[] =>
  outcomes.map((outcome) => {
    const { api: className, id: name, sentence: message } = outcome.fact;
    if (outcome.result === "holds") return { className, name };
    if (outcome.result === "untried") return { className, name, skipped: outcome.why };
    const lines = outcome.differences.map((one) => {
      const [expected, got] = sides(one);
      return `${one.what}: expected ${expected}; got ${got}`;
    });
    return { className, name, failure: { message, lines } };
  });

/** A failed case for each point that changed since the recording. */
const changesOf = ({ changes = [] }: Findings): readonly Case[] =>
  changes.map(({ id, what, before, now }) => {
    const [was, is] = sides({ what, expected: before, got: now });
    const message = `the ${what} changed since the recording`;
    return {
      className: "changed",
      name: `${id} ${what}`,
      failure: { message, lines: [`before ${was}; now ${is}`] },
    };
  });

const written = ({ className, name, skipped, failure }: Case): string => {
  const open = `    <testcase classname="${className}" name="${xmlText(name)}"`;
  if (skipped !== undefined) return `${open}><skipped message="${xmlText(skipped)}"/></testcase>`;
  if (failure === undefined) return `${open}/>`;
  const { message, lines } = failure;
  return `${open}><failure message="${xmlText(message)}">${xmlText(lines.join("\n"))}</failure></testcase>`;
};

const counts = (cases: readonly Case[]): string => {
  const failed = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter((one) => one.skipped !== undefined).length;
  return `tests="${cases.length}" failures="${failed}" errors="0" skipped="${skipped}"`;
};

const suite = (name: string, cases: readonly Case[]): readonly string[] => [
  `  <testsuite name="${name}" ${counts(cases)}>`,
  ...cases.map(written),
  "  </testsuite>",
];

/** For continuous integration. */
export function junitReport(findings: Findings): string {
  const [facts, changes] = [casesOf(findings), changesOf(findings)];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts([...facts, ...changes])}>`,
    ...suite(`facts (${findings.profile})`, facts),
    ...(findings.changes === undefined ? [] : suite("changes since the recording", changes)),
    "</testsuites>",
    "",
  ].join("\n");
}
