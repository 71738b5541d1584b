import { type CauseCode, rowOf } from "./causes.ts";
import { ROOMS } from "./rooms.ts";

/** A code for people: what happened, what to change, and a request that gets it. */
export function describeCode(code: CauseCode): string {
  const { happened, change, example } = rowOf(code);
  return `${code}\n\n${happened}\n${change}\n\nFor example:\n${example.replace(/^/gm, "  ").trimEnd()}\n`;
}

/** All codes, by API. */
export const listCodes = (): string =>
  ROOMS.map(([title, rows]) => {
    const lines = Object.entries(rows).map(([code, { happened }]) => `  ${code.padEnd(26)} ${happened}`);
    return `${title}\n${lines.join("\n")}\n`;
  }).join("\n");
