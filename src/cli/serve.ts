import { constants, promises } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { createRandom } from "../core/emulator/random.ts";
import { realTimers } from "../core/general/real-timers.ts";
import { codeOf } from "../core/general/text.ts";
import { visible } from "../core/general/visible.ts";
import { type CloudDatabase, newCloudDatabase } from "../core/schema/cloud-database.ts";
import { nextDatabaseName } from "../core/schema/protocol.ts";
import { withoutUndefined } from "../core/schema/zod/record.ts";
import * as changes from "../core/store/changes.ts";
import * as reads from "../core/store/reads.ts";
import { flagsOf } from "../options/command-settings.ts";
import { ROLES, type Role } from "../options/option.ts";
import type { Environment } from "../options/setting-names.ts";
import { type Flags, readSettings, readSharedSettings } from "../options/settings.ts";
import { type Launched, launchServer, launchServers, managerOf } from "../servers/launch.ts";
import { warningLog } from "../servers/log.ts";
import type { Manager } from "../servers/target-manager.ts";
import { warmUpBriefly, warmUpSoon } from "../servers/warm-up.ts";
import {
  type ExitCode,
  flag,
  readOptions,
  type Terminal,
  UsageError,
  unwritable,
  valueFlag,
} from "./arguments.ts";
import { writeEnvLines } from "./env-lines.ts";
import { logOf, startProgressOf } from "./output.ts";
import { release } from "./release.ts";

const SERVERS_FLAGS = {
  "target-host": valueFlag,
  "query-host": valueFlag,
  "manager-host": valueFlag,
  "tls-ca": valueFlag,
} as const;

export const serversFlags = (command: "serve" | "exec") => ({ ...flagsOf(command), ...SERVERS_FLAGS });

interface Started extends Launched<Manager> {
  readonly database: CloudDatabase;
  readonly ui: boolean;
  /** The place of the state, for a person. */
  readonly place: string;
}

/** Starts all three servers. The caller stops them. Throws UsageError and the errors of settings and servers. */
export async function startAll(
  command: "serve" | "exec",
  values: Flags & Readonly<Partial<Record<keyof typeof SERVERS_FLAGS, string>>>,
  terminal: Terminal,
  opensPage = false,
): Promise<Started> {
  const { state, options, logFormat, targetPort, queryPort, managerPort, warnings, ...settings } =
    readSharedSettings(terminal.environment, values, command);
  const ports = withoutUndefined({ target: targetPort, query: queryPort, manager: managerPort });
  const hosts = withoutUndefined({
    // As in settings, an empty value counts as none.
    target: values["target-host"] || undefined,
    query: values["query-host"] || undefined,
    manager: values["manager-host"] || undefined,
  });
  const { stateFile, ui } = settings;
  if (opensPage && !ui) throw new UsageError("--open: with --no-ui there is no page to open");
  const authorityFile = values["tls-ca"];
  if (authorityFile !== undefined && settings.tls === undefined)
    throw new UsageError("--tls-ca: the servers use plain HTTP; add --tls-generate");
  const log = logOf(terminal, logFormat);
  warnings.forEach(warningLog(settings.logLevel, log));
  const launched = await launchServers(
    { ...options, ...withoutUndefined(settings), hosts, ports },
    managerOf(state),
    log,
    command,
    startProgressOf(terminal.showProgress),
  );
  try {
    const database = await firstDatabase(launched);
    if (authorityFile !== undefined && launched.certificate !== undefined)
      await writeOutput("tls-ca", authorityFile, launched.certificate, PUBLIC);
    const place = stateFile ?? (state === undefined ? "memory" : state.stateUrl.host);
    return { ...launched, database, ui, place };
  } catch (error) {
    await launched.servers.close();
    throw error;
  }
}

/** Variables with the servers' URLs and the keys of the first database. */
export function connectionVariables({ servers, database }: Started): Readonly<Record<string, string>> {
  return {
    VUFORIA_TARGET_URL: servers.target.url,
    VUFORIA_QUERY_URL: servers.query.url,
    VUFORIA_MANAGER_URL: servers.manager.url,
    VUFORIA_SERVER_ACCESS_KEY: database.serverAccessKey,
    VUFORIA_SERVER_SECRET_KEY: database.serverSecretKey,
    VUFORIA_CLIENT_ACCESS_KEY: database.clientAccessKey,
    VUFORIA_CLIENT_SECRET_KEY: database.clientSecretKey,
  };
}

/** Modes of certificates, and of files that only this user may read. */
const PUBLIC = 0o644;
const SECRET = 0o600;

const { O_WRONLY, O_CREAT, O_TRUNC, O_NONBLOCK = 0 } = constants;
const FIFO_MILLISECONDS = 50;

/** Gives a regular file this mode even if it exists. `stop` ends the wait for a reader of a FIFO. */
async function writeOutput(
  option: string,
  path: string,
  content: string,
  mode: number,
  stop?: Promise<void>,
): Promise<void> {
  try {
    const file = await openOutput(path, mode, stop);
    try {
      if ((await file?.stat())?.isFile() === true) await file?.chmod(mode);
      await file?.writeFile(content);
    } finally {
      await file?.close();
    }
  } catch (error) {
    throw unwritable(option, path, error);
  }
}

/** Opens a FIFO once it has a reader; undefined if the process has to stop before. */
async function openOutput(path: string, mode: number, stop?: Promise<void>): Promise<FileHandle | undefined> {
  let isStopped = false;
  void stop?.then(() => {
    isStopped = true;
  });
  while (!isStopped) {
    try {
      // Otherwise the process could not end before a FIFO is read.
      return await promises.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK, mode);
    } catch (error) {
      if (codeOf(error) !== "ENXIO") throw error;
    }
    await new Promise((resolve) => realTimers.setTimeout(resolve, FIFO_MILLISECONDS));
  }
  return undefined;
}

/** `mock-cloud-reco serve`: all three servers, until the process is told to stop. */
export async function serve(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const options = { ...serversFlags("serve"), env: valueFlag, json: flag, open: flag };
  const { values } = readOptions("serve", args, options);
  const started = await startAll("serve", values, terminal, values.open === true);
  let endWarmUp = () => {};
  try {
    await warmUpBriefly(started.options);
    // Before printing: a reader of the output may stop the process at once.
    const stop = terminal.stopRequested();
    if (values.env !== undefined)
      await writeOutput("env", values.env, writeEnvLines(connectionVariables(started)), SECRET, stop);
    terminal.print(values.json === true ? asJson(started) : asText(started, terminal.environment));
    if (values.open === true) terminal.openBrowser(pageUrl(started));
    endWarmUp = warmUpSoon(started.options);
    await stop;
  } finally {
    endWarmUp();
    await started.servers.close();
  }
  return 0;
}

async function firstDatabase({ servers, options }: Launched<Manager>): Promise<CloudDatabase> {
  const { store } = servers.manager;
  const [database] = await store.read(reads.cloudDatabases);
  if (database !== undefined) return database;
  const random = createRandom(options.seed);
  const draw = async () => {
    const present = [
      ...(await store.read(reads.cloudDatabases)),
      ...(await store.read(reads.vuMarkDatabases)),
    ];
    return newCloudDatabase({ databaseName: nextDatabaseName(present) }, random, options.answerOptions);
  };
  let added = await draw();
  while ((await store.run(changes.createDatabase(added))) !== undefined) added = await draw();
  return added;
}

function asJson({ servers, certificate, database }: Started): string {
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
  return `${visible(JSON.stringify(content))}\n`;
}

const pageUrl = ({ servers }: Launched<Manager>): string => `${servers.manager.url}/`;

/** Tells clients how to go without the proxy of this environment, which does not reach this machine. */
function proxyAdvice(environment: Environment, url: string): string {
  const hasProxy = Object.entries(environment).some(
    ([name, value]) => /^(https?|all)_proxy$/i.test(name) && value !== undefined && value !== "",
  );
  return hasProxy ? `for clients        NO_PROXY=${new URL(url).hostname} (they have a proxy)\n` : "";
}

function asText(started: Started, environment: Environment): string {
  const { database, ui, place } = started;
  const { target, query, manager } = started.servers;
  return `mock-cloud-reco ${release}

target API         ${target.url}
query API          ${query.url}
target manager     ${manager.url}
${ui ? `web page           ${pageUrl(started)}\n` : ""}${proxyAdvice(environment, target.url)}
database           ${visible(database.databaseName)}
server access key  ${database.serverAccessKey}
server secret key  ${database.serverSecretKey}
client access key  ${database.clientAccessKey}
client secret key  ${database.clientSecretKey}

Press Ctrl+C to stop the servers. Their state is kept in ${visible(place)}.
`;
}

/** `mock-cloud-reco target-manager`, `target-api`, `query`: one server, until the process is told to stop. */
export const singleServer =
  (role: Role) =>
  async (args: readonly string[], terminal: Terminal): Promise<ExitCode> => {
    // All roles' options, to name the role of an option.
    const flags: ReturnType<typeof flagsOf> = Object.assign({}, ...ROLES.map(flagsOf));
    const { values } = readOptions(role, args, flags);
    const foreign = Object.keys(values).find((name) => !(name in flagsOf(role)));
    if (foreign !== undefined) {
      const others = ROLES.filter((other) => foreign in flagsOf(other));
      throw new UsageError(`--${foreign}: not an option of ${role}, only of ${others.join(" and ")}`);
    }
    const settings = readSettings(role, terminal.environment, values);
    const log = logOf(terminal, settings.logFormat);
    const server = await launchServer(role, settings, log, startProgressOf(terminal.showProgress));
    // Before printing, as in `serve`.
    const stop = terminal.stopRequested();
    terminal.print(`${role} ${server.url}\n`);
    await stop;
    await server.close();
    return 0;
  };
