import { HIDDEN } from "../emulator/masking.ts";
import type { ProfileName } from "../emulator/profiles.ts";
import { asciiJson, xmlText } from "../emulator/text.ts";
import { type Fact, KNOWN_BY, type Known } from "./fact.ts";
import type { Change } from "./recording.ts";
import type { Outcome } from "./run.ts";
import { type Difference, divergence } from "./template.ts";

/** Everything that a run has to say. */
export interface Findings {
  readonly profile: ProfileName;
  /** Secrets are hidden in them. */
  readonly outcomes: readonly Outcome[];
  /** What the run added and could not remove. */
  readonly left: readonly string[];
  /** What the user should do first. */
  readonly advice?: string | undefined;
  /** Against an earlier run, if there is one. */
  readonly changes?: readonly Change[] | undefined;
}

const RESULTS = ["holds", "differs", "notTried"] as const;

type OutcomeOf<Result> = Extract<Outcome, { result: Result }>;
const of = <Result extends Outcome["result"]>(outcomes: readonly Outcome[], result: Result) =>
  outcomes.filter((one): one is OutcomeOf<Result> => one.result === result);

export const shownKnown = ({ by, date }: Known): string => (date === undefined ? by : `${by} ${date}`);
const count = (outcomes: readonly Outcome[], result: Outcome["result"]): number =>
  of(outcomes, result).length;

/** Facts that could not be tried, by reason. */
function byReason(outcomes: readonly Outcome[]): readonly (readonly [why: string, ids: readonly string[]])[] {
  const reasons = new Map<string, string[]>();
  for (const { fact, why } of of(outcomes, "notTried"))
    reasons.set(why, [...(reasons.get(why) ?? []), fact.id]);
  return [...reasons];
}

const MOST_IDS = 3;
/** Some of many ids; all of them belong in a file. */
const someOf = (ids: readonly string[]): string =>
  `${ids.slice(0, MOST_IDS).join(", ")}${ids.length > MOST_IDS ? `, and ${ids.length - MOST_IDS} more` : ""}`;

/** Every fact's id after its result, a line each. */
export const idLines = ({ outcomes }: Findings): string =>
  outcomes.map(({ fact, result }) => `${result} ${fact.id}\n`).join("");

const table = (rows: readonly (readonly string[])[]): string[] => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
};

function counted({ outcomes }: Findings): string[][] {
  const lines = KNOWN_BY.map((by) => {
    const own = outcomes.filter(({ fact }) => fact.known.by === by);
    return [by, ...RESULTS.map((result) => String(count(own, result)))];
  });
  const all = ["all", ...RESULTS.map((result) => String(count(outcomes, result)))];
  return [["facts", "hold", "differ", "not tried"], ...lines, all];
}

/** Both sides of a difference, from a little before where they part. */
export function sides({ expected, got }: Difference): readonly [expected: string, got: string] {
  const [inExpected, inGot] = divergence(expected, got);
  return [quoted(expected, inExpected), quoted(got, inGot)];
}

const sidesOf = ({ what, before, now }: Change) => sides({ what, expected: before, got: now });

/** For a terminal; lists the facts that hold too, if asked. */
export function textReport(findings: Findings, listsHolding = false): string {
  const { outcomes, left, changes, advice } = findings;
  const holding = of(outcomes, "holds");
  const held = listsHolding
    ? ["", ...table(holding.map(({ fact }) => ["HOLDS", fact.id, shownKnown(fact.known)]))]
    : ["", `HOLDS  ${holding.length} (--holds lists them)`];
  const differing = of(outcomes, "differs").flatMap(({ fact, differences }) => [
    "",
    `DIFFERS  ${fact.id}  (${shownKnown(fact.known)})`,
    `  ${fact.sentence}`,
    ...table([["  ", "expected", "got"], ...differences.map((one) => [`  ${one.what}`, ...sides(one)])]),
  ]);
  const notTried = byReason(outcomes).flatMap(([why, ids]) => [
    "",
    `NOT TRIED  ${ids.length}: ${why}`,
    `  ${someOf(ids)}`,
  ]);
  const isShortened = byReason(outcomes).some(([, ids]) => ids.length > MOST_IDS);
  const changed = (changes ?? []).map(
    (change) => `  ${change.id}: ${change.what}: ${sidesOf(change).join(" → ")}`,
  );
  return [
    ...(advice === undefined ? [] : [advice, ""]),
    ...table(counted(findings)),
    ...(holding.length === 0 ? [] : held),
    ...differing,
    ...notTried,
    ...(isShortened ? ["", "--ids FILE writes the ids of all facts to a file."] : []),
    ...(changes === undefined ? [] : ["", `CHANGED since the recording: ${changed.length}`, ...changed]),
    ...(left.length === 0 ? [] : ["", "NOT REMOVED", ...left.map((one) => `  ${one}`)]),
    "",
  ].join("\n");
}

const LONGEST = 160;
/** How much of what is equal is shown before a difference. */
const LEAD = 40;

export const quoted = (text: string, at = 0): string => {
  const start = at > LEAD && text.length > LONGEST ? at - LEAD : 0;
  const json = JSON.stringify(text.slice(start));
  const shown = `${start === 0 ? "" : "…"}${json.slice(0, LONGEST)}`;
  return json.length <= LONGEST ? shown : `${shown}… (${text.length} characters)`;
};

const plainFact = ({ id, api, sentence, known }: Fact) => ({ id, api, sentence, known });

/** For programs. */
export function jsonReport({ profile, outcomes, left, changes, advice }: Findings): string {
  const facts = outcomes.map((outcome) => ({
    ...plainFact(outcome.fact),
    result: outcome.result,
    ...(outcome.result === "differs" && { differences: outcome.differences }),
    ...(outcome.result === "notTried" && { why: outcome.why }),
  }));
  const counts = Object.fromEntries(RESULTS.map((result) => [result, count(outcomes, result)]));
  return `${JSON.stringify({ version: 1, profile, ...(advice !== undefined && { advice }), counts, facts, notRemoved: left, ...(changes !== undefined && { changes }) }, null, 2)}\n`;
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/[\r\n]+/g, " ");
const code = (shown: string): string => `\`${cell(shown).replaceAll("`", "'")}\``;

/** For an issue, or the summary of a job. */
export function markdownReport(findings: Findings): string {
  const { outcomes, changes, left, advice } = findings;
  const rows = (lines: readonly (readonly string[])[]) => lines.map((line) => `| ${line.join(" | ")} |`);
  const [head = [], ...body] = counted(findings);
  const differing = of(outcomes, "differs").flatMap(({ fact, differences }) =>
    differences.map((one) => [fact.id, shownKnown(fact.known), one.what, ...sides(one).map(code)]),
  );
  const section = (title: string, header: readonly string[], lines: readonly (readonly string[])[]) =>
    lines.length === 0 ? [] : ["", `## ${title}`, "", ...rows([header, header.map(() => "---"), ...lines])];
  return [
    ...(advice === undefined ? [] : [advice, ""]),
    ...rows([head, head.map(() => "---"), ...body]),
    ...section("Differs", ["fact", "known", "what", "expected", "got"], differing),
    ...section(
      "Changed since the recording",
      ["fact", "what", "before", "now"],
      (changes ?? []).map((change) => [change.id, change.what, ...sidesOf(change).map(code)]),
    ),
    ...section(
      "Not tried",
      ["why", "facts"],
      byReason(outcomes).map(([why, ids]) => [cell(why), someOf(ids)]),
    ),
    ...section(
      "Not removed",
      ["what"],
      left.map((one) => [cell(one)]),
    ),
    "",
  ].join("\n");
}

const testCase = (className: string, name: string, inside?: string): string => {
  const open = `    <testcase classname="${className}" name="${xmlText(name)}"`;
  return inside === undefined ? `${open}/>` : `${open}>${inside}</testcase>`;
};
const failure = (message: string, lines: readonly string[]): string =>
  `<failure message="${xmlText(message)}">${xmlText(lines.join("\n"))}</failure>`;

const caseOf = (outcome: Outcome): string => {
  const { api, id, sentence } = outcome.fact;
  if (outcome.result === "holds") return testCase(api, id);
  if (outcome.result === "notTried") return testCase(api, id, `<skipped message="${xmlText(outcome.why)}"/>`);
  const lines = outcome.differences.map((one) => {
    const [expected, got] = sides(one);
    return `${one.what}: expected ${expected}; got ${got}`;
  });
  return testCase(api, id, failure(sentence, lines));
};

/** A failed case for each point that changed since the recording. */
const caseOfChange = (change: Change): string => {
  const { id, what } = change;
  const [was, is] = sidesOf(change);
  const message = `the ${what} changed since the recording`;
  return testCase("changed", `${id} ${what}`, failure(message, [`before ${was}; now ${is}`]));
};

const totals = (tests: number, failures: number, skipped: number): string =>
  `tests="${tests}" failures="${failures}" errors="0" skipped="${skipped}"`;

/** For continuous integration. */
export function junitReport({ profile, outcomes, changes }: Findings): string {
  const changed = (changes ?? []).map(caseOfChange);
  const [differing, notTried] = [count(outcomes, "differs"), count(outcomes, "notTried")];
  const all = totals(outcomes.length + changed.length, differing + changed.length, notTried);
  const suite = (name: string, counts: string, cases: readonly string[]) => [
    `  <testsuite name="${name}" ${counts}>`,
    ...cases,
    "  </testsuite>",
  ];
  const ofChanges = suite("changes since the recording", totals(changed.length, changed.length, 0), changed);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${all}>`,
    ...suite(`facts (${profile})`, totals(outcomes.length, differing, notTried), outcomes.map(caseOf)),
    ...(changes === undefined ? [] : ofChanges),
    "</testsuites>",
    "",
  ].join("\n");
}

/** Secrets that services make: tokens, credentials, and what signs the URL of a report, whose scope is none. */
const SENT_BACK =
  /("(?:access_token|client_secret)":\s*"|[?&](?:[\w-]+-)?(?:Security-Token|Signature)=)[^"&\s]*|([?&](?:[\w-]+-)?Credential=)[^"&\s%/]*/gi;

/** A run of base64, as it is or within JSON or a URL. */
const BASE64 = /(?:[\w+/-]|\\\/|%2[BbFf]){12,}(?:=|%3[Dd]){0,2}/g;

/** Whether base64 has a secret in it, wherever the base64 begins in a run of its characters. */
function holds(run: string, secrets: readonly string[]): boolean {
  const plain = run.replaceAll("\\/", "/").replaceAll(/%2b/gi, "+").replaceAll(/%2f/gi, "/");
  return [0, 1, 2, 3].some((start) => {
    const text = Buffer.from(plain.slice(start), "base64").toString();
    return secrets.some((secret) => text.includes(secret));
  });
}

/** How a secret may come back: as it is, or as a part of JSON, of XML, of a URL or of a form. */
const formsOf = (secret: string): readonly string[] => {
  const encoded = [
    encodeURIComponent(secret),
    encodeURI(secret),
    new URLSearchParams([["", secret]]).toString().slice(1),
  ];
  const inLowerCase = encoded.map((form) => form.replaceAll(/%[0-9A-F]{2}/g, (part) => part.toLowerCase()));
  const json = [JSON.stringify(secret), asciiJson(secret)].map((form) => form.slice(1, -1));
  return [
    secret,
    ...json,
    ...json.map((form) => form.replaceAll("/", "\\/")),
    xmlText(secret),
    ...encoded,
    ...inLowerCase,
  ];
};

/** A function that hides these secrets, and tokens, wherever they occur in a text, in base64 too. */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  const all = [...secrets].filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
  const forms = [...new Set(all.flatMap(formsOf))];
  return (text) => {
    let hidden = text.replaceAll(SENT_BACK, `$1$2${HIDDEN}`);
    for (const form of forms) hidden = hidden.replaceAll(form, HIDDEN);
    return hidden.replaceAll(BASE64, (run) => (holds(run, all) ? HIDDEN : run));
  };
}

/** An outcome whose report has no secrets. */
export function redacted(outcome: Outcome, hide: (text: string) => string): Outcome {
  if (outcome.result === "notTried") return { ...outcome, why: hide(outcome.why) };
  if (outcome.result === "holds") return outcome;
  return {
    ...outcome,
    differences: outcome.differences.map(({ what, expected, got }) => ({
      what: hide(what),
      expected: hide(expected),
      got: hide(got),
    })),
  };
}
