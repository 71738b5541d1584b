import { type ParseArgsConfig, parseArgs } from "node:util";
import { messageOf } from "../runtime/message-of.ts";
import { IN_PROCESS_ONLY } from "../server/in-process-only.ts";
import { UsageError } from "./terminal.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

const kebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/**
 * Reads a command's options.
 *
 * @throws UsageError naming what is wrong.
 */
export function readOptions<const T extends Options>(
  args: readonly string[],
  options: T,
  { words = 0 }: { readonly words?: number } = {},
) {
  const inProcess = IN_PROCESS_ONLY.map((name) => `--${kebabCase(name)}`).find((name) =>
    args.some((arg) => arg === name || arg.startsWith(`${name}=`)),
  );
  if (inProcess !== undefined) {
    throw new UsageError(`${inProcess}: servers do not have this; new MockCloudReco() has it in process`);
  }
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: words > 0 });
    if (parsed.positionals.length > words) throw new UsageError(`unexpected "${parsed.positionals[words]}"`);
    return parsed;
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** @throws UsageError when it is no port. */
export function readPort(option: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d{1,5}$/.test(given) && Number(given) <= 65535) return Number(given);
  throw new UsageError(
    `--${option}: got ${JSON.stringify(given)}; accepted is a whole number from 0 to 65535`,
  );
}
