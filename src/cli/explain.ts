import { show } from "../core/general/text.ts";
import { isCauseCode } from "../core/schema/causes/causes.ts";
import { describeCode, listCodes } from "../core/schema/causes/description.ts";
import { CODES } from "../core/schema/causes/rooms.ts";
import { nearest } from "../core/schema/zod/problems.ts";
import { type ExitCode, readOptions, type Terminal, UsageError } from "./arguments.ts";

/** `mock-cloud-reco explain`: prints what a code means, or all codes. */
export async function explain(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { positionals } = readOptions("explain", args, {}, 1);
  const [code] = positionals;
  if (code !== undefined && !isCauseCode(code)) {
    const meant = nearest(code, CODES);
    throw new UsageError(
      `no cause has the code ${show(code)}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    );
  }
  terminal.print(code === undefined ? listCodes() : describeCode(code));
  return 0;
}
