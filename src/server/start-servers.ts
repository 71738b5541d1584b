import { addedCloudDatabase, addedVuMarkDatabase } from "../added-database.ts";
import type { CloudDatabaseFields, VuMarkDatabaseFields } from "../database-fields.ts";
import { MockCloudDatabase, MockVuMarkDatabase } from "../mock-database.ts";
import { checkShape, oneOf, type Shape, someText, wholeNumber } from "../option-values.ts";
import { createRandom } from "../runtime/random.ts";
import type { SentEntry } from "../store/journal-codec.ts";
import { generateCertificate } from "./certificate.ts";
import type { TlsFiles } from "./http-server.ts";
import { refuseInProcessOnly } from "./in-process-only.ts";
import { LOG_LEVELS, type LogLevel, requestLog } from "./request-log.ts";
import { seedFrom } from "./seed-file.ts";
import { MATCHER_NAMES, RATER_NAMES, resolveServerOptions, type ServerOptions } from "./server-options.ts";
import { startThreeServers } from "./three-servers.ts";

/** Everything that can be chosen about the servers; every field is optional. Protocol section 11. */
export interface StartServersOptions extends ServerOptions {
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string;
  /** Ports; 0, the default: the system chooses. */
  readonly ports?: {
    /** Of the target API, OAuth 2.0 and Model Targets. */
    readonly target?: number;
    /** Of the query API. */
    readonly query?: number;
    /** Of the target manager. */
    readonly manager?: number;
  };
  /** A file of databases, targets and credentials to begin with. */
  readonly seedFile?: string;
  /** One JSON line per request on standard error. Default `silent`. */
  readonly logLevel?: LogLevel;
  /** `generated`: a self-signed certificate; or your own, as PEM text. Default: plain HTTP. */
  readonly tls?: "generated" | TlsFiles;
  /** Browsers may use the servers from pages of this origin; `*`: any. */
  readonly corsOrigin?: string;
}

/** Three servers that run in this process. */
export interface Servers extends AsyncDisposable {
  /** Base URLs of the four APIs, without a trailing slash. */
  readonly urls: Readonly<Record<"target" | "query" | "modelTarget" | "manager", string>>;
  /** What clients have to trust, as PEM text; undefined without TLS. */
  readonly certificate: string | undefined;
  /** Names of the cloud databases of the seed file, in order. */
  readonly seeded: readonly string[];
  /**
   * Adds a cloud database; what is not given is generated or has the default of protocol section 10.
   *
   * @throws InvalidOptionError naming a field that is not accepted; Error when a key, name or id is taken.
   */
  addCloudDatabase(fields?: CloudDatabaseFields): MockCloudDatabase;
  /**
   * Adds a VuMark database with its template targets (protocol section 6).
   *
   * @throws as {@link addCloudDatabase}.
   */
  addVuMarkDatabase(fields?: VuMarkDatabaseFields): MockVuMarkDatabase;
  /** The cloud database of that name. */
  findCloudDatabase(name: string): MockCloudDatabase | undefined;
  /** Every target, template target, report and dataset is past its processing time from now on. */
  finishProcessing(): void;
  /** Back to no state: no databases, datasets, credentials, reports, and the clock as it was. */
  reset(): void;
  /** Every request that reached one of the servers, oldest first; the latest 1000. */
  requests(): Promise<readonly SentEntry[]>;
  /** Lets running requests end, and stops. */
  close(): Promise<void>;
}

const port = wholeNumber(0, 65535);
const ownFields: Shape["fields"] = {
  host: someText,
  ports: { fields: { target: port, query: port, manager: port } },
  seedFile: someText,
  logLevel: oneOf(...LOG_LEVELS),
  tls: {
    accepted: '"generated", or an object with cert and key as PEM text',
    accepts: (value): value is unknown =>
      value === "generated" ||
      (typeof value === "object" &&
        value !== null &&
        ["cert", "key"].every((name) => typeof Reflect.get(value, name) === "string")),
  },
  corsOrigin: someText,
};
const namedFields: Shape["fields"] = {
  queryMatcher: oneOf(...MATCHER_NAMES),
  duplicatesMatcher: oneOf(...MATCHER_NAMES),
  targetRater: oneOf(...RATER_NAMES),
};

/**
 * Starts the target API, the query API and the target manager as real HTTP servers in this process, for clients in
 * other processes, browsers and languages. Protocol section 11.
 *
 * @param writeLog - takes the log's lines. Default: standard error.
 * @throws InvalidOptionError, MissingSchemeError naming the option, its value and what is accepted, also for what works
 * in process only; InvalidSeedError; what the system says when a port is taken.
 *
 * @example
 * await using servers = await startServers();
 * const database = servers.addCloudDatabase();
 * const client = new MyClient(servers.urls.target, database.serverAccessKey, database.serverSecretKey);
 */
export async function startServers(
  options: StartServersOptions = {},
  writeLog: (line: string) => void = (line) => void process.stderr.write(line),
): Promise<Servers> {
  refuseInProcessOnly(options);
  const { host = "127.0.0.1", ports = {}, seedFile, logLevel = "silent", tls, corsOrigin, ...rest } = options;
  const { queryMatcher, duplicatesMatcher, targetRater } = rest;
  checkShape("options", { host, ports, seedFile, logLevel, tls, corsOrigin }, { fields: ownFields });
  checkShape("options", { queryMatcher, duplicatesMatcher, targetRater }, { fields: namedFields });
  const resolved = (targetUrl: string) => resolveServerOptions(rest, targetUrl);
  const { settings } = resolved("http://localhost");
  const files = tls === "generated" ? generateCertificate([host]) : tls;
  const listen = (chosen = 0) => ({ host, port: chosen, tls: files, corsOrigin });
  let seeded: readonly string[] = [];
  const servers = await startThreeServers({
    listen: { manager: listen(ports.manager), target: listen(ports.target), query: listen(ports.query) },
    options: resolved,
    onEntry: (server, entry) => requestLog(server, logLevel, writeLog)(entry),
    whenManagerRuns: async (manager) => {
      if (seedFile !== undefined) seeded = await seedFrom(seedFile, manager.handleQuietly);
    },
  });
  const { store, clock } = servers.manager;
  const now = () => clock.now().getTime();
  const random = createRandom(options.seed);
  const close = () => servers.close();
  return {
    urls: {
      target: servers.target.url,
      modelTarget: servers.target.url,
      query: servers.query.url,
      manager: servers.manager.url,
    },
    certificate: files?.cert,
    seeded,
    addCloudDatabase: (fields = {}) => {
      const database = addedCloudDatabase(store, fields, random, settings.databaseDefaults);
      return new MockCloudDatabase(database, () => store, now);
    },
    addVuMarkDatabase: (fields = {}) =>
      new MockVuMarkDatabase(addedVuMarkDatabase(store, fields, random, now()), () => store),
    findCloudDatabase: (name) => {
      const database = store.findDatabaseByName(name);
      return database?.kind === "cloud" ? new MockCloudDatabase(database, () => store, now) : undefined;
    },
    finishProcessing: () => store.finishProcessing(),
    reset: () => {
      store.reset();
      clock.reset();
    },
    requests: () => servers.requests(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
