import { MissingSchemeError } from "../base-url.ts";
import { InvalidOptionError } from "../option-values.ts";
import { messageOf } from "../runtime/message-of.ts";
import { InvalidSeedError } from "../server/seed-file.ts";
import { InvalidSettingsError, ROLES } from "../server/settings.ts";
import { healthcheck } from "./healthcheck.ts";
import { HELP } from "./help.ts";
import { release } from "./release.ts";
import { serve } from "./serve.ts";
import { singleServer } from "./single-server.ts";
import { type ExitCode, type Terminal, UsageError } from "./terminal.ts";

/** The user's own mistakes, which need no stack. */
const MISTAKES = [
  UsageError,
  InvalidSettingsError,
  InvalidSeedError,
  InvalidOptionError,
  MissingSchemeError,
] as const;

/** Runs the command `mock-cloud-reco` with these arguments. */
export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [command, ...rest] = args;
  try {
    return await runCommand(command, rest, terminal);
  } catch (error) {
    for (const line of messageOf(error).split("\n")) terminal.complain(`mock-cloud-reco: ${line}\n`);
    if (error instanceof UsageError) terminal.complain("See: mock-cloud-reco --help\n");
    return MISTAKES.some((mistake) => error instanceof mistake) ? 2 : 1;
  }
}

async function runCommand(
  command: string | undefined,
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const role = ROLES.find((known) => known === command);
  if (role !== undefined) return singleServer(role, args, terminal);
  switch (command) {
    case "serve":
      return serve(args, terminal);
    case "healthcheck":
      return healthcheck(args, terminal);
    case "--version":
    case "-v":
      terminal.print(`${release}\n`);
      return 0;
    case "--help":
    case "-h":
    case "help":
      terminal.print(HELP.general);
      return 0;
    case undefined:
      terminal.complain(HELP.general);
      return 2;
    default:
      throw new UsageError(
        `there is no command "${command}"; there are serve, ${ROLES.join(", ")}, healthcheck`,
      );
  }
}
