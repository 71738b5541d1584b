import { NotPermittedError } from "../core/general/permissions.ts";
import { messageOf } from "../core/general/text.ts";
import { visible } from "../core/general/visible.ts";
import { MissingSchemeError } from "../core/schema/base-url.ts";
import { InvalidOptionError } from "../core/schema/zod/problems.ts";
import { ROLES } from "../options/option.ts";
import { InvalidSettingsError } from "../options/settings.ts";
import { InvalidSeedError } from "../servers/invalid-seed-error.ts";
import { StateFileError } from "../servers/persisted-state.ts";
import { StateRefusedError } from "../servers/shared-manager.ts";
import { HelpAsked, type Terminal, UsageError } from "./arguments.ts";
import { HELP } from "./help.ts";
import { release, version } from "./release.ts";
import { serve, singleServer } from "./serve.ts";

/** Mistakes of the user: exit code 2. Loaded only when a command fails. */
const mistakes = () => [
  UsageError,
  InvalidSettingsError,
  InvalidSeedError,
  StateFileError,
  StateRefusedError,
  InvalidOptionError,
  MissingSchemeError,
  NotPermittedError,
];

type RunCommand = (args: readonly string[], terminal: Terminal) => Promise<number>;

const printing =
  (text: () => string): RunCommand =>
  async (_args, terminal) => {
    terminal.print(text());
    return 0;
  };
const printVersion = printing(() => `${release} (npm: ${version})\n`);

const COMMANDS = new Map<string, RunCommand>([
  ["serve", serve],
  ...ROLES.map((role): [string, RunCommand] => [role, singleServer(role)]),
  // Loaded only when they are used.
  ["exec", async (args, terminal) => (await import("./exec.ts")).exec(args, terminal)],
  ["openapi", async (args, terminal) => (await import("./print.ts")).printOpenApi(args, terminal)],
  ["picture", async (args, terminal) => (await import("./print.ts")).printPicture(args, terminal)],
  ["healthcheck", async (args, terminal) => (await import("./print.ts")).healthcheck(args, terminal)],
  ["sign", async (args, terminal) => (await import("./sign.ts")).sign(args, terminal)],
  ["explain", async (args, terminal) => (await import("./explain.ts")).explain(args, terminal)],
  ...["--version", "-v"].map((name): [string, RunCommand] => [name, printVersion]),
  ...["--help", "-h", "help"].map((name): [string, RunCommand] => [name, printing(HELP.general)]),
]);

/** Runs `mock-cloud-reco` with these arguments. Returns its exit code. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined) {
    terminal.complain(HELP.general());
    return 2;
  }
  try {
    const command = COMMANDS.get(name);
    if (command !== undefined) return await command(rest, terminal);
    throw new UsageError(
      `unknown command "${name}"; expected serve, exec, ${ROLES.join(", ")}, openapi, picture, sign, explain or healthcheck`,
    );
  } catch (error) {
    if (error instanceof HelpAsked) {
      terminal.print(error.message);
      return 0;
    }
    for (const line of messageOf(error).split("\n")) terminal.complain(`mock-cloud-reco: ${visible(line)}\n`);
    if (error instanceof UsageError) terminal.complain("See: mock-cloud-reco --help\n");
    return mistakes().some((mistake) => error instanceof mistake) ? 2 : 1;
  }
}
