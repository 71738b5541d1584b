import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createVitest } from "vitest/node";
import { FACT_APIS, KNOWN_BY, PROFILE_NAMES } from "../engine/fact.ts";
import { FACTS } from "../facts.ts";
import type { VerifySettings } from "./verify-settings.ts";

/** `npm run verify -- --target-url URL …`: tries the rows at a service, with Vitest's reporters. README.md describes the options. */

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const OPTIONS = {
  "target-url": text,
  "query-url": text,
  "model-target-url": text,
  "manager-url": text,
  profile: text,
  write: flag,
  spend: flag,
  only: text,
  api: text,
  "known-by": text,
  "timeout-seconds": text,
  "wait-seconds": text,
  evidence: text,
  reporter: { ...text, multiple: true },
  "output-file": text,
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"];

function urlOf(name: string, given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const extra = url && url.search + url.hash + url.username + url.password;
  if (url === undefined || !/^https?:$/.test(url.protocol) || extra !== "")
    throw new Error(`--${name}: expected an http or https URL without query and credentials`);
  return url.href.replace(/\/+$/, "");
}

/** Returns one of some names. */
function named<const Name extends string>(option: string, given: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === given.trim());
  if (found === undefined) throw new Error(`--${option}: expected ${names.join(", ")}; got ${given}`);
  return found;
}

function seconds(option: string, given: string): number {
  const value = Number(given);
  if (value > 0 && value <= 86_400) return value;
  throw new Error(`--${option}: expected a number of seconds above 0; got ${given}`);
}

/** The ids of the facts that the options choose. */
function chosen({ only, api, "known-by": knownBy }: Values): readonly string[] {
  const apis = api?.split(",").map((one) => named("api", one, FACT_APIS)) ?? FACT_APIS;
  const ways = knownBy?.split(",").map((one) => named("known-by", one, KNOWN_BY)) ?? KNOWN_BY;
  const patterns = (only ?? "*")
    .split(",")
    .map((one) => new RegExp(`^${one.replaceAll(/[^\w*-]/g, "").replaceAll("*", ".*")}$`));
  const ids = FACTS.filter(
    (fact) =>
      apis.includes(fact.api) && ways.includes(fact.known.by) && patterns.some((one) => one.test(fact.id)),
  ).map(({ id }) => id);
  if (ids.length === 0) throw new Error("no fact is chosen: change --only, --api or --known-by");
  return ids;
}

/** The URLs of the options, or if none names the service, those that `serve --env` wrote. */
function withUrls(values: Values): Values {
  const { VUFORIA_TARGET_URL, VUFORIA_QUERY_URL, VUFORIA_MANAGER_URL } = process.env;
  if (values["target-url"] !== undefined) return values;
  return {
    ...(VUFORIA_TARGET_URL && { "target-url": VUFORIA_TARGET_URL }),
    ...(VUFORIA_QUERY_URL && { "query-url": VUFORIA_QUERY_URL }),
    ...(VUFORIA_MANAGER_URL && { "manager-url": VUFORIA_MANAGER_URL }),
    ...values,
  };
}

function settingsOf(given: Values): VerifySettings {
  const values = withUrls(given);
  const target = values["target-url"];
  if (target === undefined) throw new Error("--target-url is missing: name the service");
  const url = (name: "target-url" | "query-url" | "model-target-url") => urlOf(name, values[name] ?? target);
  const manager = values["manager-url"];
  return {
    urls: {
      ...{ target: url("target-url"), query: url("query-url"), modelTarget: url("model-target-url") },
      ...(manager !== undefined && { manager: urlOf("manager-url", manager) }),
    },
    profile: named("profile", values.profile ?? "vuforia", PROFILE_NAMES),
    isProfileChosen: values.profile !== undefined,
    write: values.write === true,
    spend: values.spend === true,
    facts: chosen(values),
    timeoutSeconds: seconds("timeout-seconds", values["timeout-seconds"] ?? "30"),
    waitSeconds: seconds("wait-seconds", values["wait-seconds"] ?? "600"),
    evidence: values.evidence === undefined ? undefined : resolve(values.evidence),
  };
}

const { values } = parseArgs({ options: OPTIONS });
const vitest = await createVitest("test", {
  config: fileURLToPath(new URL("verify.config.ts", import.meta.url)),
  watch: false,
  provide: { verify: settingsOf(values) },
  reporters: values.reporter ?? ["verbose"],
  ...(values["output-file"] !== undefined && { outputFile: values["output-file"] }),
});
// Vitest would end at once. This skips the rows that are left, and then what was added is removed.
let isStopped = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.removeAllListeners(signal);
  process.on(signal, () => {
    isStopped = true;
    void vitest.cancelCurrentRun("keyboard-input");
  });
}
const { unhandledErrors, testModules } = await vitest.start();
const isGood = unhandledErrors.length === 0 && testModules.every((module) => module.ok());
await vitest.close();
process.exitCode = isGood && !isStopped ? 0 : 1;
