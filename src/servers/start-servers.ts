import { ALL_SCOPES } from "../core/apis/model-target/checks.ts";
import type { ResolvedAnswerOptions } from "../core/apis/services.ts";
import type { JournalEntry } from "../core/emulator/journal.ts";
import { createRandom, type Random, unusedId } from "../core/emulator/random.ts";
import type { CloudDatabase, CloudDatabaseFields } from "../core/schema/cloud-database.ts";
import type { Fault } from "../core/schema/fault.ts";
import type { ClientCredential } from "../core/schema/model-target.ts";
import * as reads from "../core/store/reads.ts";
import { describeRequests } from "../explain/journal-text.ts";
import { EmulatorControl } from "../mock/emulator-control.ts";
import type { EmulatorParts } from "../mock/emulator-state.ts";
import { createFault, type FaultHandle, type MockCloudDatabase } from "../mock/handles.ts";
import { type Launched, launchServers, type ThreeServers } from "./launch.ts";
import type { StartProgress } from "./server.ts";
import { checkStartServersOptions, type StartServersOptions } from "./server-options.ts";
import { startTargetManager, type TargetManager } from "./target-manager.ts";

/**
 * One worker's or test's part of servers that others use too. A request belongs to it if it uses one of the database's keys, or
 * a token that was issued for its credential.
 *
 * @example
 * using own = servers.isolated({ targetQuota: 10 });
 * await new MyClient(own.database).addTarget("poster", image);
 * expect(own.requests).toMatchObject([{ operation: "addTarget", status: 201 }]);
 */
export class IsolatedDatabase implements Disposable {
  /** A database that no other test knows. */
  readonly database: MockCloudDatabase;
  /** A client for OAuth 2.0 and Model Targets. */
  readonly credential: ClientCredential;
  readonly #control: EmulatorControl;
  readonly #parts: EmulatorParts;
  readonly #stopListening: () => void;
  readonly #faults: FaultHandle[] = [];
  #entries: JournalEntry[] = [];
  #position: number;
  #generation: number;

  /** @internal */
  constructor(control: EmulatorControl, parts: EmulatorParts, database: MockCloudDatabase) {
    const { databaseName } = database;
    this.#control = control;
    this.#parts = parts;
    this.database = database;
    const { random } = parts;
    const taken = new Set(control.credentials.map(({ clientId }) => clientId));
    this.credential = {
      clientId: unusedId(random, (id) => taken.has(id)),
      clientSecret: random.hex(32),
      scopes: ALL_SCOPES,
      databaseName,
    };
    control.addCredential(this.credential);
    const { journal } = parts;
    this.#position = journal.position;
    this.#generation = journal.generation;
    this.#stopListening = journal.changed.on(() => this.#follow());
  }

  /** The requests that belong to this database, oldest first; by default, the latest 1000, whatever others send. */
  get requests(): readonly JournalEntry[] {
    return [...this.#entries];
  }

  /** Describes these requests as readable text, as `servers.explain()` does. */
  explain(): string {
    return describeRequests(this.#entries);
  }

  /** Makes requests fail, as `servers.addFault()` does, but only those that belong to this database, until it is removed. */
  addFault(fault: Omit<Fault, "database">): FaultHandle {
    const own = { ...fault, database: this.database.databaseName };
    const added = createFault(() => this.#parts.faults, own, this.addFault);
    this.#faults.push(added);
    return added;
  }

  /** Deletes the database, everything in it, its credentials and its faults. Does nothing when called again. */
  remove(): void {
    this.#stopListening();
    for (const fault of this.#faults) fault.remove();
    // Another worker may have a database with this name by now.
    const wasKept = this.#control.deleteDatabase(this.database);
    for (const { clientId, databaseName } of this.#control.credentials)
      if (clientId === this.credential.clientId || (wasKept && databaseName === this.database.databaseName))
        this.#control.deleteCredential(clientId);
  }

  /** Calls {@link remove} at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.remove();
  }

  #follow(): void {
    const { journal } = this.#parts;
    if (journal.generation !== this.#generation) {
      this.#generation = journal.generation;
      this.#position = 0;
      this.#entries = [];
    }
    const added = journal.after(this.#position);
    this.#position = journal.position;
    const own = added.filter(({ database }) => database === this.database.databaseName);
    this.#entries = [...this.#entries, ...own].slice(-journal.capacity);
  }
}

/**
 * Three servers that run in this process. {@link startServers} starts them.
 *
 * @example
 * await using servers = await startServers();
 * servers.addFault({ api: "query", response: { resultCode: "Busy", status: 503 }, times: 1 });
 */
export class Servers extends EmulatorControl implements AsyncDisposable {
  /** Base URLs of the four APIs, without a trailing slash. */
  readonly urls: Readonly<Record<"target" | "query" | "modelTarget" | "manager", string>>;
  /** The certificate that clients have to trust, as PEM text: that of the authority, if generated. Undefined without TLS. */
  readonly certificate: string | undefined;
  /** Names of the cloud databases of the state file or the seed file, in order. */
  readonly seeded: readonly string[];
  readonly #servers: ThreeServers;
  readonly #answerOptions: ResolvedAnswerOptions;
  readonly #random: Random;

  /** @internal */
  constructor(
    { servers, options: { answerOptions, seed }, certificate }: Launched<TargetManager>,
    present: readonly CloudDatabase[],
  ) {
    super();
    const { target, query, manager } = servers;
    this.urls = { target: target.url, modelTarget: target.url, query: query.url, manager: manager.url };
    this.certificate = certificate;
    this.seeded = present.map(({ databaseName }) => databaseName);
    this.#servers = servers;
    this.#answerOptions = answerOptions;
    this.#random = createRandom(seed);
  }

  /** The requests that reached the servers, oldest first; by default, the latest 1000. */
  get requests(): readonly JournalEntry[] {
    return this.parts.journal.entries;
  }

  /**
   * Adds a database for one worker or test, with its own view of the journal, so that many can use the same servers at once.
   *
   * @param fields - as for {@link addCloudDatabase}.
   * @throws the errors of {@link addCloudDatabase}.
   * @example using own = servers.isolated();
   */
  isolated(fields: CloudDatabaseFields = {}): IsolatedDatabase {
    return new IsolatedDatabase(this, this.parts, this.addCloudDatabase(fields));
  }

  /** Lets running requests finish, and stops the servers. */
  stop(): Promise<void> {
    return this.#servers.close();
  }

  /** Calls {@link stop} at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** The state that all methods act on. @internal */
  protected override get parts(): EmulatorParts {
    const { store, clock, faults, journal, consistency } = this.#servers.manager;
    return {
      store,
      clock,
      faults,
      journal,
      consistency,
      random: this.#random,
      answerOptions: this.#answerOptions,
    };
  }
}

/**
 * Starts the target API, the query API and the target manager as real HTTP servers in this process, for clients in
 * other processes, browsers and languages.
 *
 * @param writeLog - receives the log's lines. Default: standard error.
 * @param onProgress - called while the state file is read, and after each target of the seed file.
 * @throws InvalidOptionError, MissingSchemeError naming the option, its value and what was expected, also for options that
 * only work in process; InvalidSeedError; an error named `StateFileError` when the state file cannot be read or is in use; the system's error when a port is taken.
 *
 * @example
 * await using servers = await startServers();
 * const database = servers.addCloudDatabase();
 * const client = new MyClient(servers.urls.target, database.serverAccessKey, database.serverSecretKey);
 */
export async function startServers(
  options: StartServersOptions = {},
  writeLog: (line: string) => void = (line) => void process.stderr.write(line),
  onProgress?: StartProgress,
): Promise<Servers> {
  const log = { write: writeLog };
  const checked = checkStartServersOptions(options);
  const launched = await launchServers(checked, startTargetManager, log, "startServers", onProgress);
  return new Servers(launched, await launched.servers.manager.store.read(reads.cloudDatabases));
}
