import { release, version } from "../emulator/package.ts";
import { messageOf } from "../emulator/text.ts";
import { ROLES } from "../mock/option.ts";
import { MissingSchemeError } from "../schema/base-url.ts";
import { InvalidOptionError } from "../schema/kernel/problems.ts";
import { StateFileError } from "../servers/kept-state.ts";
import { InvalidSeedError } from "../servers/seed-file.ts";
import { InvalidSettingsError } from "../servers/settings.ts";
import { StateRefusedError } from "../servers/shared-manager.ts";
import { type Terminal, UsageError } from "./arguments.ts";
import { exec } from "./exec.ts";
import { HELP } from "./help.ts";
import { healthcheck, printOpenApi, printPicture } from "./print.ts";
import { serve, singleServer } from "./serve.ts";

/** Mistakes of the user: exit code 2. */
const MISTAKES = [
  UsageError,
  InvalidSettingsError,
  InvalidSeedError,
  StateFileError,
  StateRefusedError,
  InvalidOptionError,
  MissingSchemeError,
] as const;

/** Runs `mock-cloud-reco` with these arguments. Returns its exit code. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
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
): Promise<number> {
  const role = ROLES.find((known) => known === command);
  if (role !== undefined) return singleServer(role, args, terminal);
  switch (command) {
    case "serve":
      return serve(args, terminal);
    case "exec":
      return exec(args, terminal);
    case "openapi":
      return printOpenApi(args, terminal);
    case "picture":
      return printPicture(args, terminal);
    case "healthcheck":
      return healthcheck(args, terminal);
    case "verify":
      // Loaded only when it is used.
      return (await import("./verify.ts")).verify(args, terminal);
    case "--version":
    case "-v":
      terminal.print(`${release} (npm: ${version})\n`);
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
        `unknown command "${command}"; expected serve, exec, ${ROLES.join(", ")}, openapi, picture, healthcheck or verify`,
      );
  }
}
