import { createRandom } from "../emulator/random.ts";
import { release } from "../emulator/version.ts";
import type { Role } from "../mock/option.ts";
import { type CloudDatabase, newCloudDatabase, newCloudDatabaseFields } from "../schema/cloud-database.ts";
import { checked } from "../schema/kernel/problems.ts";
import { nextDatabaseName } from "../schema/page.ts";
import { withoutUndefined } from "../schema/without-undefined.ts";
import {
  startOneServer,
  startThreeOnRedis,
  startThreeServers,
  type ThreeServers,
  type ThreeServersSetup,
} from "../servers/launch.ts";
import { FLAGS, readSettings, readSharedSettings, withFlags } from "../servers/settings.ts";
import { type Launched, launchServers } from "../servers/start-servers.ts";
import type { Manager } from "../servers/target-manager.ts";
import { type ExitCode, readOptions, readPort, type Terminal, UsageError } from "./arguments.ts";
import { HELP } from "./help.ts";
import { startProgressOf } from "./output.ts";

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const { port: _port, ...SHARED_FLAGS } = FLAGS;

/** `mock-cloud-reco serve`: all three servers, until the process is told to stop. */
export async function serve(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values } = readOptions(args, {
    "target-port": text,
    "query-port": text,
    "manager-port": text,
    ...SHARED_FLAGS,
    json: flag,
    open: flag,
    "no-ui": flag,
    help: { ...flag, short: "h" },
  });
  if (values.help === true) {
    terminal.print(HELP.serve);
    return 0;
  }
  const ports = {
    target: readPort("target-port", values["target-port"]) ?? 0,
    query: readPort("query-port", values["query-port"]) ?? 0,
    manager: readPort("manager-port", values["manager-port"]) ?? 0,
  };
  const { state, options, ...settings } = readSharedSettings(withFlags(terminal.environment, values));
  const { stateFile } = settings;
  const ui = settings.ui && values["no-ui"] !== true;
  if (values.open === true && !ui) throw new UsageError("--open: with --no-ui there is no page to open");
  const launch = <Running extends Manager>(
    start: (setup: ThreeServersSetup<Running>) => Promise<ThreeServers<Running>>,
  ) =>
    launchServers(
      { ...options, ...withoutUndefined(settings), ports, ui },
      start,
      (line) => terminal.complain(line),
      startProgressOf(terminal.showProgress),
    );
  const launched: Launched<Manager> = await (state === undefined
    ? launch(startThreeServers)
    : launch((setup) => startThreeOnRedis(setup, state)));
  try {
    const database = await firstDatabase(launched);
    // Before printing: whoever reads the output may stop the process at once.
    const stop = terminal.stopRequested();
    const place = stateFile ?? (state === undefined ? "memory" : state.stateUrl.host);
    terminal.print(values.json === true ? asJson(launched, database) : asText(launched, database, ui, place));
    if (values.open === true) terminal.openBrowser(pageUrl(launched));
    await stop;
  } finally {
    await launched.servers.close();
  }
  return 0;
}

/** The first database of the state or the seed file, or a new one. */
async function firstDatabase({ servers, seeded, options }: Launched<Manager>): Promise<CloudDatabase> {
  const { store } = servers.manager;
  const database = await store.findDatabaseByName(seeded[0] ?? "");
  if (database?.kind === "cloud") return database;
  const random = createRandom(options.seed);
  const draw = async () => {
    const present = [...(await store.listCloudDatabases()), ...(await store.listVuMarkDatabases())];
    const given = checked("database", newCloudDatabaseFields, { databaseName: nextDatabaseName(present) });
    return newCloudDatabase(given, random, options.settings);
  };
  let added = await draw();
  while ((await store.createDatabase(added)) !== undefined) added = await draw();
  return added;
}

function asJson({ servers, certificate }: Launched<Manager>, database: CloudDatabase): string {
  const { target, query, manager } = servers;
  const content = {
    urls: { target: target.url, query: query.url, model_target: target.url, manager: manager.url },
    database: {
      database_id: database.databaseId,
      database_name: database.databaseName,
      server_access_key: database.serverAccessKey,
      server_secret_key: database.serverSecretKey,
      client_access_key: database.clientAccessKey,
      client_secret_key: database.clientSecretKey,
    },
    certificate: certificate ?? null,
  };
  return `${JSON.stringify(content)}\n`;
}

const pageUrl = ({ servers }: Launched<Manager>): string => `${servers.manager.url}/`;

function asText(launched: Launched<Manager>, database: CloudDatabase, ui: boolean, place: string): string {
  const { target, query, manager } = launched.servers;
  return `mock-cloud-reco ${release}

target API         ${target.url}
query API          ${query.url}
target manager     ${manager.url}
${ui ? `web page           ${pageUrl(launched)}\n` : ""}
database           ${database.databaseName}
server access key  ${database.serverAccessKey}
server secret key  ${database.serverSecretKey}
client access key  ${database.clientAccessKey}
client secret key  ${database.clientSecretKey}

Press Ctrl+C to stop the servers. Their state is kept in ${place}.
`;
}

/** `mock-cloud-reco target-manager`, `target-api`, `query`: one server, until the process is told to stop. */
export async function singleServer(
  role: Role,
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { values } = readOptions(args, {
    ...FLAGS,
    help: { type: "boolean", short: "h" },
  });
  if (values.help === true) {
    terminal.print(HELP[role]);
    return 0;
  }
  const ofManager = (["seed", "state"] as const).find((option) => values[option] !== undefined);
  if (ofManager !== undefined && role !== "target-manager") {
    throw new UsageError(
      `--${ofManager}: only the target manager has state; use this option with that server`,
    );
  }
  readPort("port", values.port);
  const settings = readSettings(role, withFlags(terminal.environment, values));
  const server = await startOneServer(
    role,
    settings,
    (line) => terminal.complain(line),
    startProgressOf(terminal.showProgress),
  );
  // Before printing: whoever reads the output may stop the process at once.
  const stop = terminal.stopRequested();
  terminal.print(`${role} ${server.url}\n`);
  await stop;
  await server.close();
  return 0;
}
