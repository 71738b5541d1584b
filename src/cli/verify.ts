import { writeFileSync } from "node:fs";
import { systemClock } from "../emulator/clock.ts";
import { profiles } from "../emulator/profiles.ts";
import { show } from "../emulator/text.ts";
import type { Fact } from "../verify/fact.ts";
import { placeholder, whyNot } from "../verify/plan.ts";
import { compare, record, replay } from "../verify/recording.ts";
import {
  type Findings,
  idLines,
  jsonReport,
  junitReport,
  markdownReport,
  redacted,
  redactor,
  shownKnown,
  textReport,
} from "../verify/report.ts";
import { type Outcome, Run } from "../verify/run.ts";
import { type ExitCode, readOptions, type Terminal, UsageError, unwritable } from "./arguments.ts";
import { progressOf } from "./output.ts";
import { chosen, OPTIONS, recordingIn, type Settings, settingsOf, type Values } from "./verify-options.ts";

/** `mock-cloud-reco verify`: tries the facts at a service, and says which hold there. */
export async function verify(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values } = readOptions("verify", args, OPTIONS);
  const facts = chosen(values);
  if (values.replay !== undefined) return replayed(facts, values.replay, values, terminal);
  const earlier = values.compare === undefined ? undefined : recordingIn("compare", values.compare);
  const settings = settingsOf(values, terminal);
  if (values["dry-run"] === true) {
    terminal.print(dryRun(facts, settings));
    return 0;
  }
  if (facts.every((fact) => whyNot(fact, settings) !== undefined)) {
    throw new UsageError(
      `nothing can be tried: ${[...new Set(facts.map((fact) => whyNot(fact, settings)))].join("; ")}`,
    );
  }
  // What the service answered would be lost.
  for (const option of ["record", "ids"] as const) write(option, values[option], "", "a");
  const isChosen = values.profile !== undefined;
  const { findings, recording, isStopped } = await tried(facts, settings, isChosen, terminal);
  const changes = earlier === undefined ? undefined : compare(earlier, recording);
  report({ ...findings, changes }, values, terminal);
  write("record", values.record, `${JSON.stringify(recording, null, 1)}\n`);
  const isGood = findings.outcomes.every(
    ({ fact, result }) =>
      result === "holds" || (result === "notTried" && whyNot(fact, settings) !== undefined),
  );
  return isGood && !isStopped && findings.left.length === 0 && (changes?.length ?? 0) === 0 ? 0 : 1;
}

/** What says something about a service. */
const OF_SERVICES = [
  "record",
  "compare",
  "write",
  "spend",
  "dry-run",
  "profile",
  "keys",
  "manager-url",
] as const;

/** Checks a recording instead of a service. */
function replayed(facts: readonly Fact[], file: string, values: Values, terminal: Terminal): ExitCode {
  const other = OF_SERVICES.find((name) => values[name] !== undefined);
  if (other !== undefined) throw new UsageError(`--replay: asks no service; expected no --${other}`);
  const recording = recordingIn("replay", file);
  const outcomes = replay(facts, recording);
  if (outcomes.every(({ result }) => result === "notTried"))
    throw new UsageError(`--replay: ${show(file)} has no response to any of the chosen facts`);
  report({ profile: recording.profile, outcomes, left: [] }, values, terminal);
  return outcomes.some(({ result }) => result === "differs") ? 1 : 0;
}

function report(findings: Findings, values: Values, terminal: Terminal): void {
  terminal.print(reporterFor(values)(findings));
  write("ids", values.ids, idLines(findings));
}

/** Writes the file of an option, if there is one; or, with the flag "a", only finds out whether it can be written. */
function write(
  option: "record" | "ids",
  path: string | undefined,
  content: string,
  flag: "w" | "a" = "w",
): void {
  if (path === undefined) return;
  try {
    writeFileSync(path, content, { flag, ...(option === "record" && { mode: 0o600 }) });
  } catch (error) {
    throw unwritable(option, path, error);
  }
}

/** How long what a stopped run added may take to be removed: altogether it ends within two seconds. */
const CLOSING_MILLISECONDS = 1200;
const PROGRESS_MILLISECONDS = 1000;

/** The times at which a run must stop, and end. */
function ending({ stopRequested }: Terminal) {
  const [stopped, closed] = [new AbortController(), new AbortController()];
  void stopRequested().then(() => {
    stopped.abort();
    setTimeout(() => closed.abort(), CLOSING_MILLISECONDS).unref();
  });
  const sleep = (seconds: number): Promise<void> =>
    new Promise((resolve) => {
      // Once it was stopped, only the cleaning up waits.
      const { signal } = stopped.signal.aborted ? closed : stopped;
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, signal.aborted ? 0 : seconds * 1000);
      signal.addEventListener("abort", end);
    });
  return { stopped: stopped.signal, closed: closed.signal, clock: { now: () => systemClock.now(), sleep } };
}

/** Tries the facts one after the other, and cleans up whatever happens. */
async function tried(facts: readonly Fact[], settings: Settings, isChosen: boolean, terminal: Terminal) {
  const end = ending(terminal);
  const run = new Run({ ...settings, ...end });
  const progress = progressOf("facts", terminal.showProgress);
  const outcomes: Outcome[] = [];
  let doing = "asking which profile this is";
  const timer = setInterval(() => progress(outcomes.length, facts.length, doing), PROGRESS_MILLISECONDS);
  let left: readonly string[] = [];
  let advice: string | undefined;
  try {
    advice = await otherProfile(run, facts, settings);
    for (const fact of facts) {
      doing = fact.id;
      progress(outcomes.length, facts.length, doing);
      const isOther = advice !== undefined && !isChosen;
      outcomes.push(
        isOther
          ? { fact, result: "notTried", why: "the service answers by another profile" }
          : await run.try(fact),
      );
    }
  } finally {
    doing = "removing what was added";
    left = await run.close();
    clearInterval(timer);
    progress(facts.length, facts.length);
  }
  const hide = redactor(run.secrets);
  const findings: Findings = {
    profile: settings.profile,
    outcomes: outcomes.map((outcome) => redacted(outcome, hide)),
    left: left.map(hide),
    advice,
  };
  const recording = record(settings.profile, end.clock.now(), outcomes, hide);
  return { findings, recording, isStopped: end.stopped.aborted };
}

/** What to do about a service that answers as another profile says: most facts would differ. */
async function otherProfile(
  run: Run,
  facts: readonly Fact[],
  settings: Settings,
): Promise<string | undefined> {
  const apis = facts.filter((fact) => whyNot(fact, settings) === undefined).map(({ api }) => api);
  const api = (["target", "query"] as const).find((one) => apis.includes(one));
  const other = api === undefined ? undefined : await run.otherProfile(api);
  return other === undefined
    ? undefined
    : `The service answers as the profile ${other} says (it sends ${profiles[other].regionHeader}): try --profile ${other}`;
}

const reporterFor = ({ json, junit, markdown, holds }: Values): ((findings: Findings) => string) => {
  if (json === true) return jsonReport;
  if (junit === true) return junitReport;
  if (markdown === true) return markdownReport;
  return (findings) => textReport(findings, holds === true);
};

/** What would be sent, and what would not be and why. */
function dryRun(facts: readonly Fact[], settings: Settings): string {
  const at = placeholder(settings, systemClock.now());
  const lines = facts.map((fact) => {
    const why = whyNot(fact, settings);
    const requests = [...(fact.before ?? []), fact.request].map((make) => {
      const { method, path } = make(at);
      return `${method} ${path}`;
    });
    const before = fact.uses === undefined ? [] : [`a target (${fact.uses})`];
    const what = why === undefined ? [...before, ...requests].join(", then ") : `not sent: ${why}`;
    return `${fact.id} (${shownKnown(fact.known)}): ${what}\n`;
  });
  return lines.join("");
}
