import type { Environment } from "../server/settings.ts";

/** What a command has of the process that it runs in. */
export interface Terminal {
  readonly environment: Environment;
  /** Standard output. */
  print(text: string): void;
  /** Standard error. */
  complain(text: string): void;
  /** Resolves when the process is asked to stop. */
  stopRequested(): Promise<void>;
}

/** 0: stopped, or healthy. 1: failed, or not healthy. 2: a wrong option, setting or seed file. */
export type ExitCode = 0 | 1 | 2;

/** Wrong words on the command line; the message is for the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
