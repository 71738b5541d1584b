import type { Reporter } from "vitest/node";
import { ALL } from "./combinations.ts";

const SKIPPED = "Skipped: ";
/** Vitest loads set-ups of projects into the process of the reporters, but apart from them. */
const BY_SET_UPS = "SKIPPED_BY_SET_UPS";

/**
 * Says what is skipped because a program is missing.
 *
 * @throws Error in CI, where nothing may be skipped (`FAIL_ON_SKIPPED`).
 */
export function sayWhatIsSkipped(message: string): void {
  if (process.env.FAIL_ON_SKIPPED !== undefined) throw new Error(message);
  const { VITEST_WORKER_ID: worker, [BY_SET_UPS]: before = "" } = process.env;
  if (worker === undefined) process.env[BY_SET_UPS] = `${before}${message}\n`;
  else console.log(SKIPPED + message);
}

/** Whether {@link sayWhatIsSkipped} printed it: {@link SkippedTests} does so once, at the end. */
export const saysWhatIsSkipped = (printed: string): boolean => printed.startsWith(SKIPPED);

/** Names in one line what was skipped: for want of programs, or of time. */
export class SkippedTests implements Reporter {
  readonly #said = new Set<string>();

  onUserConsoleLog({ content }: { readonly content: string }): void {
    for (const line of content.split("\n").filter(saysWhatIsSkipped))
      this.#said.add(line.slice(SKIPPED.length));
  }

  onTestRunEnd(): void {
    const bySetUps = (process.env[BY_SET_UPS] ?? "").split("\n").filter((message) => message !== "");
    const selected = ALL ? [] : ["most combinations, repetitions and soaks (`ALL_COMBINATIONS=1` tries all)"];
    const all = [...new Set([...selected, ...bySetUps, ...this.#said])];
    if (all.length > 0) console.log(`${SKIPPED}${all.join("; ")}.`);
  }
}
