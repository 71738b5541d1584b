import { startOneServer } from "../server/one-server.ts";
import { type Environment, type Role, readSettings } from "../server/settings.ts";
import { readOptions, readPort } from "./arguments.ts";
import { HELP } from "./help.ts";
import { type ExitCode, type Terminal, UsageError } from "./terminal.ts";

const text = { type: "string" } as const;

/** `mock-cloud-reco target-manager`, `target-api`, `query`: one server, until the process is asked to stop. */
export async function singleServer(
  role: Role,
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { values } = readOptions(args, {
    port: text,
    host: text,
    seed: text,
    help: { type: "boolean", short: "h" },
  });
  if (values.help === true) {
    terminal.print(HELP[role]);
    return 0;
  }
  if (values.seed !== undefined && role !== "target-manager") {
    throw new UsageError("--seed: only the target manager has state; give it to that server");
  }
  readPort("port", values.port);
  const environment: Environment = {
    ...terminal.environment,
    ...(values.port !== undefined && { PORT: values.port }),
    ...(values.host !== undefined && { HOST: values.host }),
    ...(values.seed !== undefined && { SEED_FILE: values.seed }),
  };
  const settings = readSettings(role, environment);
  const server = await startOneServer(role, settings, (line) => terminal.complain(line));
  // Before it says that it runs: who reads that may ask it to stop at once.
  const stop = terminal.stopRequested();
  terminal.print(`${role} ${server.url}\n`);
  await stop;
  await server.close();
  return 0;
}
