import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { DEFAULT_URLS, REAL_PROFILE } from "../emulator/profiles.ts";
import { systemRandom } from "../emulator/random.ts";
import { messageOf, show } from "../emulator/text.ts";
import { MissingSchemeError, parseBaseUrl } from "../schema/base-url.ts";
import { wireClient } from "../verify/client.ts";
import type { Verified } from "../verify/exchanges.ts";
import { FACT_APIS, type Fact, KEY_PAIRS, type Keys, KNOWN_BY, variableOf } from "../verify/fact.ts";
import { FACTS } from "../verify/plan.ts";
import { type Recording, readRecording } from "../verify/recording.ts";
import { flag, type readOptions, readProfile, type Terminal, text, UsageError } from "./arguments.ts";

export const OPTIONS = {
  "target-url": text,
  "query-url": text,
  "model-target-url": text,
  "manager-url": text,
  keys: text,
  profile: text,
  write: flag,
  spend: flag,
  holds: flag,
  ids: text,
  "dry-run": flag,
  only: text,
  api: text,
  "known-by": text,
  json: flag,
  junit: flag,
  markdown: flag,
  record: text,
  replay: text,
  compare: text,
  "timeout-seconds": text,
  "wait-seconds": text,
} as const;

export type Values = ReturnType<typeof readOptions<typeof OPTIONS>>["values"];

/** What the options say about a run. */
export type Settings = Omit<Verified, "clock" | "stopped" | "closed">;

/** The facts that the options choose. */
export function chosen({ only, api, "known-by": knownBy }: Values): readonly Fact[] {
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
    throw new UsageError(
      only === undefined
        ? "no fact is chosen: none is of these APIs and known by these ways (--api, --known-by)"
        : `--only: expected ids, or parts of them with *, as --dry-run lists them; no fact is chosen by ${show(only)}`,
    );
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

export function settingsOf(values: Values, { environment }: Terminal): Settings {
  const profile = readProfile(values.profile ?? REAL_PROFILE);
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
    prefix: `verify-${systemRandom.hex(8)}-`,
  };
}

const baseUrl = (option: string, given: string): string => {
  try {
    return parseBaseUrl(option, given).href.replace(/\/$/, "");
  } catch (error) {
    const message = messageOf(error);
    throw new UsageError(
      error instanceof MissingSchemeError ? `--${option}: ${message}` : message.replace(/^Invalid /, "--"),
    );
  }
};

function seconds(option: string, given: string | undefined, otherwise: number): number {
  const value = Number(given ?? otherwise);
  if (value > 0 && value <= 86_400) return value;
  throw new UsageError(`--${option}: expected a number of seconds above 0; got ${show(given)}`);
}

/** An empty value counts as none. */
const keysIn = (values: Readonly<Record<string, string | undefined>>): Keys =>
  Object.fromEntries(KEY_PAIRS.flat().map((name) => [name, values[variableOf(name)] || undefined]));

function readKeys(file: string): Readonly<Record<string, string | undefined>> {
  try {
    return parseEnv(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`--keys: ${messageOf(error)}`);
  }
}

export function recordingIn(option: "compare" | "replay", file: string): Recording {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`--${option}: ${messageOf(error)}`);
  }
  try {
    return readRecording(text);
  } catch (error) {
    throw new UsageError(
      `--${option}: expected a file that --record wrote; got ${show(file)}: ${messageOf(error)}`,
    );
  }
}
