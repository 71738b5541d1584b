import type { MockCloudRecoOptions } from "../mock/options.ts";
import { InvalidOptionError } from "../schema/kernel/problems.ts";

/** What a mock in process has and servers do not. */
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

/** Options whose functions are in process only; servers have some of them by name. */
const NAMED_ON_SERVERS = ["queryMatcher", "duplicatesMatcher", "targetRater"] as const;

const HINT = "new MockCloudReco() has it in process";

/** @throws InvalidOptionError naming the first option that servers do not have. */
export function refuseInProcessOnly(options: object): void {
  for (const name of IN_PROCESS_ONLY) {
    if (Reflect.get(options, name) !== undefined) {
      throw new InvalidOptionError(
        `options.${name}`,
        "an option that servers do not have",
        `nothing: ${HINT}`,
      );
    }
  }
  for (const name of NAMED_ON_SERVERS) {
    if (typeof Reflect.get(options, name) === "function") {
      throw new InvalidOptionError(
        `options.${name}`,
        "a function, which servers do not have",
        `one of their names: ${HINT}`,
      );
    }
  }
}

/** The environment variable that would be the option's, if servers had it. */
export const settingName = (option: string): string =>
  option.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();

/** What to say about environment variables for options that servers do not have. */
export function inProcessOnlySettings(
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const failures = IN_PROCESS_ONLY.filter((name) => /failure|warning/i.test(name));
  return failures
    .map(settingName)
    .filter((name) => (environment[name] ?? "") !== "")
    .map((name) => `${name}: servers do not have this; ${HINT}`);
}
