import { release } from "../core/version.ts";
import { startOneServer } from "../servers/launch.ts";
import type { Role } from "../servers/option-settings.ts";
import { readSettings, readSharedSettings } from "../servers/settings.ts";
import type { Environment } from "../servers/settings-reader.ts";
import { type Servers, startServers } from "../servers/start-servers.ts";
import { type ExitCode, readOptions, readPort, type Terminal, UsageError } from "./arguments.ts";
import { HELP } from "./help.ts";
import { progressOf } from "./progress.ts";

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

/** `mock-cloud-reco serve`: all three servers, until the process is told to stop. */
export async function serve(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values } = readOptions(args, {
    "target-port": text,
    "query-port": text,
    "manager-port": text,
    host: text,
    seed: text,
    state: text,
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
  const {
    host,
    seedFile,
    stateFile,
    tls,
    corsOrigin,
    managerCorsOrigin,
    allowedHosts,
    options,
    logLevel,
    ...settings
  } = readSharedSettings(terminal.environment);
  const ui = settings.ui && values["no-ui"] !== true;
  if (values.open === true && !ui) throw new UsageError("--open: with --no-ui there is no page to open");
  const seed = values.seed ?? seedFile;
  const state = values.state ?? stateFile;
  const servers = await startServers(
    {
      ...options,
      host: values.host ?? host,
      ports,
      logLevel,
      ui,
      ...(seed !== undefined && { seedFile: seed }),
      ...(state !== undefined && { stateFile: state }),
      ...(tls !== undefined && { tls }),
      ...(corsOrigin !== undefined && { corsOrigin }),
      ...(managerCorsOrigin !== undefined && { managerCorsOrigin }),
      ...(allowedHosts !== undefined && { allowedHosts }),
    },
    (line) => terminal.complain(line),
    progressOf("targets", terminal),
  );
  // Before printing: whoever reads the output may stop the process at once.
  const stop = terminal.stopRequested();
  terminal.print(values.json === true ? asJson(servers) : asText(servers, ui, state));
  if (values.open === true) terminal.openBrowser(pageUrl(servers));
  await stop;
  await servers.close();
  return 0;
}

/** The first database of the seed file, or a new one. */
function firstDatabase(servers: Servers) {
  const [seeded] = servers.seeded;
  const database = seeded === undefined ? undefined : servers.findCloudDatabase(seeded);
  return database ?? servers.addCloudDatabase();
}

function asJson(servers: Servers): string {
  const { target, query, modelTarget, manager } = servers.urls;
  const database = firstDatabase(servers);
  const content = {
    urls: { target, query, model_target: modelTarget, manager },
    database: {
      database_id: database.databaseId,
      database_name: database.databaseName,
      server_access_key: database.serverAccessKey,
      server_secret_key: database.serverSecretKey,
      client_access_key: database.clientAccessKey,
      client_secret_key: database.clientSecretKey,
    },
    certificate: servers.certificate ?? null,
  };
  return `${JSON.stringify(content)}\n`;
}

const pageUrl = ({ urls }: Servers): string => `${urls.manager}/`;

function asText(servers: Servers, ui: boolean, stateFile: string | undefined): string {
  const kept =
    stateFile === undefined ? "Their state is kept in memory." : `Their state is kept in ${stateFile}.`;
  const { urls } = servers;
  const database = firstDatabase(servers);
  return `mock-cloud-reco ${release}

target API         ${urls.target}
query API          ${urls.query}
target manager     ${urls.manager}
${ui ? `web page           ${pageUrl(servers)}\n` : ""}
database           ${database.databaseName}
server access key  ${database.serverAccessKey}
server secret key  ${database.serverSecretKey}
client access key  ${database.clientAccessKey}
client secret key  ${database.clientSecretKey}

Press Ctrl+C to stop the servers. ${kept}
`;
}

/** `mock-cloud-reco target-manager`, `target-api`, `query`: one server, until the process is told to stop. */
export async function singleServer(
  role: Role,
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { values } = readOptions(args, {
    port: text,
    host: text,
    seed: text,
    state: text,
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
  const environment: Environment = {
    ...terminal.environment,
    ...(values.port !== undefined && { PORT: values.port }),
    ...(values.host !== undefined && { HOST: values.host }),
    ...(values.seed !== undefined && { SEED_FILE: values.seed }),
    ...(values.state !== undefined && { STATE_FILE: values.state }),
  };
  const settings = readSettings(role, environment);
  const server = await startOneServer(
    role,
    settings,
    (line) => terminal.complain(line),
    progressOf("targets", terminal),
  );
  // Before printing: whoever reads the output may stop the process at once.
  const stop = terminal.stopRequested();
  terminal.print(`${role} ${server.url}\n`);
  await stop;
  await server.close();
  return 0;
}
