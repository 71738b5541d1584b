import { readFileSync, writeFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { systemClock } from "../emulator/clock.ts";
import { DEFAULT_URLS, PROFILE_NAMES, REAL_PROFILE } from "../emulator/profiles.ts";
import { createRandom } from "../emulator/random.ts";
import { messageOf, show } from "../emulator/text.ts";
import { parseBaseUrl } from "../schema/base-url.ts";
import { wireClient } from "../verify/client.ts";
import { FACT_APIS, type Fact, type Keys, KNOWN_BY } from "../verify/fact.ts";
import { FACTS } from "../verify/facts.ts";
import { junitReport } from "../verify/junit.ts";
import { placeholder, type Verified, whyNot } from "../verify/plan.ts";
import { compare, type Recording, record } from "../verify/recording.ts";
import { redacted, redactor } from "../verify/redact.ts";
import { type Findings, jsonReport, markdownReport, shownKnown, textReport } from "../verify/report.ts";
import { type Outcome, Run } from "../verify/run.ts";
import { type ExitCode, readOptions, type Terminal, UsageError } from "./arguments.ts";
import { HELP } from "./help.ts";
import { progressOf } from "./output.ts";

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

const OPTIONS = {
  "target-url": text,
  "query-url": text,
  "model-target-url": text,
  "manager-url": text,
  keys: text,
  profile: text,
  write: flag,
  spend: flag,
  holds: flag,
  "dry-run": flag,
  only: text,
  api: text,
  "known-by": text,
  json: flag,
  junit: flag,
  markdown: flag,
  save: text,
  compare: text,
  "timeout-seconds": text,
  "wait-seconds": text,
  help: { ...flag, short: "h" },
} as const;

type Values = ReturnType<typeof readOptions<typeof OPTIONS>>["values"];

/** `mock-cloud-reco verify`: tries the facts at a service, and says which hold there. */
export async function verify(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values } = readOptions(args, OPTIONS);
  if (values.help === true) {
    terminal.print(HELP.verify);
    return 0;
  }
  const facts = chosen(values);
  const earlier = values.compare === undefined ? undefined : readRecording(values.compare);
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
  const { findings, recording, isStopped } = await tried(facts, settings, terminal);
  const changes = earlier === undefined ? undefined : compare(earlier, recording);
  if (values.save !== undefined) writeFileSync(values.save, `${JSON.stringify(recording, null, 1)}\n`);
  terminal.print(reporterFor(values)({ ...findings, changes }));
  const differs = findings.outcomes.some(({ result }) => result === "differs");
  return differs || isStopped || findings.left.length > 0 || (changes?.length ?? 0) > 0 ? 1 : 0;
}

type Settings = Omit<Verified, "clock" | "isStopped">;

/** Tries the facts one after the other, and cleans up whatever happens. */
async function tried(facts: readonly Fact[], settings: Settings, terminal: Terminal) {
  let isStopped = false;
  const stop = terminal.stopRequested().then(() => {
    isStopped = true;
  });
  const clock = {
    now: () => systemClock.now(),
    sleep: (seconds: number) => {
      const waited = new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000));
      // Once it was stopped, only the cleaning up waits.
      return isStopped ? waited : Promise.race([waited, stop]);
    },
  };
  const run = new Run({ ...settings, clock, isStopped: () => isStopped });
  const progress = progressOf("facts", terminal.showProgress);
  const outcomes: Outcome[] = [];
  let left: readonly string[] = [];
  try {
    for (const [index, fact] of facts.entries()) {
      progress(index, facts.length);
      outcomes.push(await run.try(fact));
    }
  } finally {
    left = await run.close();
    progress(facts.length, facts.length);
  }
  const hide = redactor(run.secrets);
  const findings: Findings = {
    profile: settings.profile,
    outcomes: outcomes.map((outcome) => redacted(outcome, hide)),
    left: left.map(hide),
  };
  return { findings, recording: record(settings.profile, outcomes, hide), isStopped };
}

/** The facts that the options choose. */
function chosen({ only, api, "known-by": knownBy }: Values): readonly Fact[] {
  const apis = listed("api", api, FACT_APIS);
  const ways = listed("known-by", knownBy, KNOWN_BY);
  const patterns = only?.split(",").map(
    (one) =>
      new RegExp(
        `^${one
          .trim()
          .replaceAll(/[^\w*-]/g, "")
          .replaceAll("*", ".*")}$`,
      ),
  );
  const facts = FACTS.filter(
    ({ id, api: own, known }) =>
      apis.includes(own) && ways.includes(known.by) && patterns?.some((one) => one.test(id)) !== false,
  );
  if (facts.length === 0)
    throw new UsageError("no fact is chosen; expected ids, or parts of them with *, as --dry-run lists them");
  return facts;
}

function listed<const Name extends string>(
  option: string,
  given: string | undefined,
  names: readonly Name[],
): readonly Name[] {
  if (given === undefined) return names;
  return given.split(",").map((one) => {
    const known = names.find((name) => name === one.trim());
    if (known === undefined)
      throw new UsageError(`--${option}: expected ${names.join(", ")}; got ${show(one)}`);
    return known;
  });
}

function settingsOf(values: Values, { environment }: Terminal): Settings {
  const given = values.profile ?? REAL_PROFILE;
  const profile = PROFILE_NAMES.find((name) => name === given);
  if (profile === undefined) {
    throw new UsageError(`--profile: expected ${PROFILE_NAMES.join(" or ")}; got ${show(given)}`);
  }
  const target = baseUrl("target-url", values["target-url"] ?? DEFAULT_URLS.target);
  const manager = values["manager-url"];
  return {
    urls: {
      target,
      query: baseUrl("query-url", values["query-url"] ?? DEFAULT_URLS.query),
      modelTarget: baseUrl("model-target-url", values["model-target-url"] ?? target),
      ...(manager !== undefined && { manager: baseUrl("manager-url", manager) }),
    },
    keys: keysIn(values.keys === undefined ? environment : readKeys(values.keys)),
    profile,
    write: values.write === true,
    spend: values.spend === true,
    send: wireClient(seconds("timeout-seconds", values["timeout-seconds"], 30)),
    waitSeconds: seconds("wait-seconds", values["wait-seconds"], 600),
    prefix: `verify-${createRandom().hex(8)}-`,
  };
}

const baseUrl = (option: string, given: string): string => {
  try {
    return parseBaseUrl(option, given).href.replace(/\/$/, "");
  } catch (error) {
    throw new UsageError(`--${messageOf(error)}`);
  }
};

function seconds(option: string, given: string | undefined, otherwise: number): number {
  const value = Number(given ?? otherwise);
  if (value > 0 && value <= 86_400) return value;
  throw new UsageError(`--${option}: expected a number of seconds above 0; got ${show(given)}`);
}

const keysIn = (values: Readonly<Record<string, string | undefined>>): Keys => {
  const key = (name: string) => (values[name] === "" ? undefined : values[name]);
  return {
    serverAccessKey: key("SERVER_ACCESS_KEY"),
    serverSecretKey: key("SERVER_SECRET_KEY"),
    clientAccessKey: key("CLIENT_ACCESS_KEY"),
    clientSecretKey: key("CLIENT_SECRET_KEY"),
    modelTargetClientId: key("MODEL_TARGET_CLIENT_ID"),
    modelTargetClientSecret: key("MODEL_TARGET_CLIENT_SECRET"),
    modelTargetUsername: key("MODEL_TARGET_USERNAME"),
    modelTargetPassword: key("MODEL_TARGET_PASSWORD"),
  };
};

function readKeys(file: string): Readonly<Record<string, string | undefined>> {
  try {
    return parseEnv(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`--keys: ${messageOf(error)}`);
  }
}

function readRecording(file: string): Recording {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`--compare: ${messageOf(error)}`);
  }
  try {
    const saved: Recording = JSON.parse(text);
    if (saved.version === 1) return saved;
  } catch {
    // Without the parser's message, which quotes the file: it may be that of the keys.
  }
  throw new UsageError(`--compare: expected a file that --save wrote; got ${show(file)}`);
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
