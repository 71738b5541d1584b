import { readSharedSettings } from "../server/settings.ts";
import { type Servers, startServers } from "../server/start-servers.ts";
import { readOptions, readPort } from "./arguments.ts";
import { HELP } from "./help.ts";
import { release } from "./release.ts";
import type { ExitCode, Terminal } from "./terminal.ts";

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

/** `mock-cloud-reco serve`: all three servers, until the process is asked to stop. */
export async function serve(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values } = readOptions(args, {
    "target-port": text,
    "query-port": text,
    "manager-port": text,
    host: text,
    seed: text,
    json: flag,
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
  const { host, seedFile, tls, corsOrigin, options, logLevel } = readSharedSettings(terminal.environment);
  const seed = values.seed ?? seedFile;
  const servers = await startServers(
    {
      ...options,
      host: values.host ?? host,
      ports,
      logLevel,
      ...(seed !== undefined && { seedFile: seed }),
      ...(tls !== undefined && { tls }),
      ...(corsOrigin !== undefined && { corsOrigin }),
    },
    (line) => terminal.complain(line),
  );
  // Before it says that it runs: who reads that may ask it to stop at once.
  const stop = terminal.stopRequested();
  terminal.print(values.json === true ? asJson(servers) : asText(servers));
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

function asText(servers: Servers): string {
  const { urls } = servers;
  const database = firstDatabase(servers);
  return `mock-cloud-reco ${release}

target API         ${urls.target}
query API          ${urls.query}
target manager     ${urls.manager}

database           ${database.databaseName}
server access key  ${database.serverAccessKey}
server secret key  ${database.serverSecretKey}
client access key  ${database.clientAccessKey}
client secret key  ${database.clientSecretKey}

Ctrl+C stops the servers. Their state is in memory.
`;
}
