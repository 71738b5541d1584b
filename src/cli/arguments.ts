import { type ParseArgsConfig, parseArgs } from "node:util";
import { PROFILE_NAMES, type ProfileName } from "../core/emulator/profiles.ts";
import { whyUnwritten } from "../core/general/file-errors.ts";
import { messageOf, show } from "../core/general/text.ts";
import { nearest } from "../core/schema/zod/problems.ts";
import { IN_PROCESS_ONLY } from "../options/options.ts";
import type { Environment } from "../options/setting-names.ts";
import { HELP } from "./help.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

const kebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const valueFlag = { type: "string" } as const;
export const flag = { type: "boolean" } as const;

/** @throws UsageError naming the invalid option; HelpAsked. */
export function readOptions<const T extends Options>(
  command: keyof typeof HELP,
  args: readonly string[],
  own: T,
  words = 0,
) {
  const options = { ...own, help: { ...flag, short: "h" } } as const;
  const inProcess = IN_PROCESS_ONLY.map(kebabCase)
    .filter((name) => !(name in options))
    .map((name) => `--${name}`)
    .find((name) => args.some((arg) => arg === name || arg.startsWith(`${name}=`)));
  if (inProcess !== undefined) {
    throw new UsageError(`${inProcess}: available in process only, with new MockCloudReco()`);
  }
  const parsed = parsedBy(args, options, words);
  if (parsed.positionals.length > words) throw new UsageError(`unexpected "${parsed.positionals[words]}"`);
  if ("help" in parsed.values) throw new HelpAsked(HELP[command]());
  return parsed;
}

function parsedBy<const T extends Options>(args: readonly string[], options: T, words: number) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: words > 0 });
  } catch (error) {
    const [known, unknown] = /^Unknown option '--?([^'=]+)'/.exec(messageOf(error)) ?? [];
    if (known === undefined || unknown === undefined) throw new UsageError(messageOf(error));
    const meant = meantBy(unknown, Object.keys(options));
    throw new UsageError(meant === "" ? known : `${known}; did you mean ${meant}?`);
  }
}

const MOST_MEANT = 3;

/** The nearest option; otherwise those with all of the unknown one's words, or only such words. */
function meantBy(unknown: string, names: readonly string[]): string {
  const words = (name: string) => new Set(name.split("-"));
  const best = nearest(unknown, names);
  const alike = names.filter((name) => {
    const [given, known] = [words(unknown), words(name)];
    return [...given].every((word) => known.has(word)) || [...known].every((word) => given.has(word));
  });
  const meant = best === undefined ? alike.slice(0, MOST_MEANT) : [best];
  return meant
    .map((name) => `--${name}`)
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1");
}

export interface Terminal {
  readonly environment: Environment;
  /** Standard output. */
  print(output: string | Uint8Array): void;
  /** Standard error. */
  complain(text: string): void;
  /** Standard error, when it is a terminal. */
  readonly showProgress?: ((text: string) => void) | undefined;
  openBrowser(url: string): void;
  stopRequested(): Promise<void>;
}

/** 0: stopped, healthy, right, or every fact holds. 1: failed, not healthy, or something differs. 2: invalid option, setting or seed file. */
export type ExitCode = 0 | 1 | 2;

/** An invalid command line; the message is for the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The user wants to read the message. */
export class HelpAsked extends Error {
  override readonly name = "HelpAsked";
}

export function readProfile(given: string): ProfileName {
  const profile = PROFILE_NAMES.find((name) => name === given);
  if (profile !== undefined) return profile;
  throw new UsageError(`--profile: expected ${PROFILE_NAMES.join(" or ")}; got ${show(given)}`);
}

export const unwritable = (option: string, path: string, error: unknown): UsageError =>
  new UsageError(`--${option}: ${show(path)} cannot be written: ${whyUnwritten(error)}`);
