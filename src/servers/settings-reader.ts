import type * as z from "zod/mini";
import { withoutCredentials } from "../schema/base-url.ts";
import { read } from "../schema/kernel/problems.ts";
import { wordsOf } from "../schema/kernel/values.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** How help describes a setting. */
export interface Setting {
  readonly name: string;
  readonly purpose: string;
  /** In words that complete "expected …". */
  readonly expected: string;
  /** The default, in words. */
  readonly unlessGiven: string;
}

/** Reads settings, collects their errors, and records each setting for help. An empty value counts as none. */
export class SettingsReader {
  readonly wrong: string[] = [];
  private readonly known = new Map<string, Setting>();

  constructor(private readonly environment: Environment) {}

  /** Every setting that was read, in order. */
  get settings(): readonly Setting[] {
    return [...this.known.values()];
  }

  /** @param unlessGiven - describes the default for help; the caller applies it. */
  read<T>(
    name: string,
    setting: z.ZodMiniType<T>,
    purpose: string,
    unlessGiven: string | number = "none",
  ): T | undefined {
    this.known.set(name, { name, purpose, expected: wordsOf(setting), unlessGiven: String(unlessGiven) });
    const given = this.environment[name] ?? "";
    if (given === "") return undefined;
    const reading = read(setting, given);
    if ("value" in reading) return reading.value;
    const got = /secret|password|state_url/i.test(name)
      ? "a value that is not shown"
      : JSON.stringify(withoutCredentials(given));
    this.wrong.push(`${name}: expected ${wordsOf(setting)}; got ${got}`);
    return undefined;
  }

  readOr<T>(name: string, setting: z.ZodMiniType<T>, purpose: string, unlessGiven: T): T {
    return this.read(name, setting, purpose, String(unlessGiven)) ?? unlessGiven;
  }

  /** Reports a setting as missing if it is not given. */
  require(name: string, setting: z.ZodMiniType): void {
    if ((this.environment[name] ?? "") === "")
      this.wrong.push(`${name}: expected ${wordsOf(setting)}; not given`);
  }
}
