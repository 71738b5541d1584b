import {
  type CloudDatabaseFields,
  type DatabaseChanges,
  ManualClock,
  MockCloudReco,
  type MockCloudRecoOptions,
  type RecognitionCountChanges,
  type VuMarkDatabaseFields,
} from "mock-cloud-reco";
import { describe } from "vitest";

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

/** A refused request, as the service explains it. */
export interface Refused {
  readonly refusedBy?: string | undefined;
  readonly reason?: string | undefined;
}

/** One emulator, however it is reached. Tests speak to its URLs with real clients. */
export interface ServiceUnderTest extends AsyncDisposable {
  readonly urls: Readonly<Record<"target" | "query" | "modelTarget" | "manager", string>>;
  /** The emulator's clock; starts at the present moment in whole seconds. */
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
}

/** Options that every backend has; what is in process only is tested with `MockCloudReco` itself. */
export type BackendOptions = Omit<MockCloudRecoOptions, "clock" | "unhandledRequests">;

export interface Backend {
  readonly name: string;
  /** Real sockets: Node's own HTTP parser stands before the emulator. */
  readonly overSockets: boolean;
  open(options?: BackendOptions): Promise<ServiceUnderTest>;
}

const wholeSecondsNow = (): Date => new Date(Math.floor(Date.now() / 1000) * 1000);

const nockBackend: Backend = {
  name: "nock",
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
      [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose](),
    };
  },
};

const backends: readonly Backend[] = [nockBackend];

/** Runs the same tests on every backend. */
export function describeBackends(name: string, define: (backend: Backend) => void): void {
  describe.each(backends.map((backend) => ({ backend, name: backend.name })))(
    `${name} ($name)`,
    ({ backend }) => {
      define(backend);
    },
  );
}
