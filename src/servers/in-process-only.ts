import type { MockCloudRecoOptions } from "../mock/options.ts";
import { InvalidOptionError } from "../schema/kernel/problems.ts";

/** Options that only a mock in process supports. */
export const IN_PROCESS_ONLY = [
  "cloudQueryFailure",
  "modelTargetFailure",
  "modelTargetGenerationFailure",
  "modelTargetGenerationWarning",
  "instanceGenerationFailure",
  "delay",
  "targetUrl",
  "queryUrl",
  "modelTargetUrl",
  "managerUrl",
  "unhandledRequests",
] as const satisfies readonly (keyof MockCloudRecoOptions)[];

/** Options that take functions in process, but names on servers. */
const NAMED_ON_SERVERS = ["queryMatcher", "duplicatesMatcher", "targetRater"] as const;

const HINT = "works in process only, with new MockCloudReco()";

/** @throws InvalidOptionError naming the first option that servers do not support. */
export function refuseInProcessOnly(options: object): void {
  for (const name of IN_PROCESS_ONLY) {
    if (Reflect.get(options, name) !== undefined) {
      throw new InvalidOptionError(
        `options.${name}`,
        "an option that servers do not support",
        `nothing, because it ${HINT}`,
      );
    }
  }
  for (const name of NAMED_ON_SERVERS) {
    if (typeof Reflect.get(options, name) === "function") {
      throw new InvalidOptionError(`options.${name}`, "a function", `a name, because a function ${HINT}`);
    }
  }
}

/** The environment variable that an option would have if servers supported it. */
export const settingName = (option: string): string =>
  option.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** A line for each environment variable that names an option which servers do not support. */
export function inProcessOnlySettings(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const failures = IN_PROCESS_ONLY.filter((name) => /failure|warning/i.test(name));
  return failures
    .map(settingName)
    .filter((name) => (environment[name] ?? "") !== "")
    .map((name) => `${name}: servers do not support this; it ${HINT}`);
}
