import {
  type CloudDatabaseFields,
  type DatabaseChanges,
  type JournalEntry,
  ManualClock,
  MockCloudReco,
  type MockCloudRecoOptions,
  type RecognitionCountChanges,
  type VuMarkDatabaseFields,
} from "mock-cloud-reco";
import { describe } from "vitest";
import { resolveOptions } from "../../src/options/options.ts";
import { changing, IDLE_MILLISECONDS, urlsOf, wholeSecondsNow } from "./emulator-changes.ts";
import { startSeparateServers } from "./separate-servers.ts";

export interface ServerKeys {
  readonly databaseName: string;
  readonly serverAccessKey: string;
  readonly serverSecretKey: string;
}

export interface DatabaseKeys extends ServerKeys {
  readonly databaseId: string;
  readonly clientAccessKey: string;
  readonly clientSecretKey: string;
}

/** The journal's explanation of a request. */
export type Refused = Partial<JournalEntry>;

/** One emulator, in process or behind sockets. Tests send requests to its URLs with real clients. */
export interface ServiceUnderTest extends AsyncDisposable {
  readonly urls: Readonly<Record<"target" | "query" | "modelTarget" | "manager", string>>;
  /** Sends requests whose `Content-Length` is wrong, which clients in the same process refuse to send. */
  readonly fetch?: MockCloudReco["fetch"];
  /** The emulator's clock; starts at the current time in whole seconds. */
  readonly clock: ManualClock;
  addCloudDatabase(fields?: CloudDatabaseFields): Promise<DatabaseKeys>;
  addVuMarkDatabase(fields?: VuMarkDatabaseFields): Promise<ServerKeys>;
  updateDatabase(database: DatabaseKeys, changes: DatabaseChanges): Promise<void>;
  setRecognitionCounts(
    database: DatabaseKeys,
    targetId: string,
    counts: RecognitionCountChanges,
  ): Promise<void>;
  /** What the journal says about the latest request. */
  latest(): Promise<Refused>;
  /** All that the journal has. */
  requests(): Promise<readonly Refused[]>;
}

/** Options that every backend has. In-process options are tested with `MockCloudReco` itself. */
export type BackendOptions = Omit<MockCloudRecoOptions, "clock" | "intercept" | "unhandledRequests">;

export interface Backend {
  readonly name: string;
  /** Whether requests go through real sockets, and so through Node's HTTP parser. */
  readonly overSockets: boolean;
  open(options?: BackendOptions): Promise<ServiceUnderTest>;
}

const inProcessBackend: Backend = {
  name: "in process",
  overSockets: false,
  async open(options = {}) {
    const clock = new ManualClock(wholeSecondsNow());
    const mock = new MockCloudReco({ ...options, clock });
    const databases = new Map<string, ReturnType<MockCloudReco["addCloudDatabase"]>>();
    const known = ({ databaseName }: DatabaseKeys) => {
      const database = databases.get(databaseName);
      if (database === undefined) throw new Error(`no database ${databaseName}`);
      return database;
    };
    return {
      urls: mock.urls,
      fetch: mock.fetch,
      clock,
      async addCloudDatabase(fields) {
        const database = mock.addCloudDatabase(fields);
        databases.set(database.databaseName, database);
        return database;
      },
      addVuMarkDatabase: async (fields) => mock.addVuMarkDatabase(fields),
      updateDatabase: async (database, changes) => mock.updateDatabase(known(database), changes),
      setRecognitionCounts: async (database, targetId, counts) =>
        mock.setRecognitionCounts(known(database), targetId, counts),
      latest: async () => mock.requests.at(-1) ?? {},
      requests: async () => mock.requests,
      [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose](),
    };
  },
};

/**
 * Three servers that communicate over HTTP. Raters and matchers are functions here, unlike the options of servers, because these
 * tests are about the transport and the store.
 */
export const serversBackend: Backend = {
  name: "servers",
  overSockets: true,
  async open(options = {}) {
    const clock = new ManualClock(wholeSecondsNow());
    const resolved = (targetUrl: string) => resolveOptions({ targetUrl, ...options, clock });
    const listen = { host: "127.0.0.1", port: 0, limits: { idleMilliseconds: IDLE_MILLISECONDS } };
    const servers = await startSeparateServers({
      listen: { manager: listen, target: listen, query: listen },
      options: resolved,
    });
    return {
      urls: urlsOf(servers),
      clock,
      ...changing(servers.manager.store, resolved("http://localhost"), clock),
      latest: async () => (await servers.requests()).at(-1) ?? {},
      requests: () => servers.requests(),
      [Symbol.asyncDispose]: () => servers.close(0),
    };
  },
};

const backends: readonly Backend[] = [inProcessBackend, serversBackend];
/** Loaded only then: it says when there is no Redis. */
const onRedis = process.env.TEST_BACKEND === "redis" ? await import("./redis-backend.ts") : undefined;

/** Runs the same tests on every backend; only on Redis when `TEST_BACKEND` says so. */
export function describeBackends(name: string, define: (backend: Backend) => void): void {
  if (onRedis !== undefined) {
    onRedis.describeOnRedis(name, define);
    return;
  }
  describe.each(backends.map((backend) => ({ backend, name: backend.name })))(
    `${name} ($name)`,
    ({ backend }) => {
      define(backend);
    },
  );
}
