import { addedCloudDatabase, addedVuMarkDatabase } from "./added-database.ts";
import {
  addedTarget,
  checkCounts,
  notAdded,
  type RecognitionCountChanges,
  type TargetFields,
} from "./added-target.ts";
import {
  type CloudDatabaseFields,
  type DatabaseChanges,
  databaseSettings,
  type VuMarkDatabaseFields,
} from "./database-fields.ts";
import { addedFault, type Fault, type FaultHandle } from "./fault-fields.ts";
import { setImageCacheBytes } from "./images/cache.ts";
import { interceptedHosts } from "./intercepted-hosts.ts";
import type { Interceptor } from "./interception/interceptor.ts";
import { interceptWithNock } from "./interception/nock-interceptor.ts";
import { interceptWithUndici } from "./interception/undici-interceptor.ts";
import { MockCloudDatabase, type MockTarget, MockVuMarkDatabase, mockTarget } from "./mock-database.ts";
import { type MockCloudRecoOptions, type ResolvedOptions, resolveOptions } from "./options.ts";
import { entriesLike, type RequestFilter } from "./request-filter.ts";
import { Runs } from "./runs.ts";
import { formatJournal, summarize } from "./runtime/format-journal.ts";
import type { Journal, JournalEntry, JournalEvents } from "./runtime/journal.ts";
import type { Service } from "./runtime/operation.ts";
import { createRandom, type Random } from "./runtime/random.ts";
import type { MemoryStore } from "./store/memory-store.ts";
import { InvalidSnapshotError } from "./store/snapshot.ts";
import type { Snapshot } from "./store/state.ts";
import { World } from "./world.ts";

/**
 * The Vuforia cloud recognition services inside this process: while it is started, requests to their hosts are
 * intercepted and answered from memory, and requests to other hosts are left alone. Protocol section 1.
 *
 * @example
 * await using mock = new MockCloudReco();
 * const database = mock.addCloudDatabase();
 * const client = new MyClient(database.serverAccessKey, database.serverSecretKey);
 */
export class MockCloudReco implements AsyncDisposable, Disposable {
  readonly #options: ResolvedOptions;
  readonly #random: Random;
  readonly #runs: Runs<World>;
  #interceptors: readonly Interceptor[] = [];

  /**
   * Starts intercepting at once.
   *
   * @throws InvalidOptionError or MissingSchemeError naming the option, its value and what is accepted.
   */
  constructor(options: MockCloudRecoOptions = {}) {
    this.#options = resolveOptions(options);
    const { seed } = this.#options;
    if (options.imageCacheBytes !== undefined) setImageCacheBytes(options.imageCacheBytes);
    this.#random = createRandom(seed);
    this.#runs = new Runs(World.empty(this.#options, this.#random));
    this.start();
  }

  /** Begins to intercept again after {@link stop}; the state is what it was. Does nothing while started. */
  start(): void {
    if (this.#interceptors.length > 0) return;
    const interception = {
      hosts: interceptedHosts(this.#options.urls, () => this.#runs.current),
      unhandledRequests: this.#options.unhandledRequests,
    };
    this.#interceptors = [interceptWithNock(interception), interceptWithUndici(interception)];
  }

  /** Stops intercepting and leaves the process as it was; the state is kept. Does nothing while stopped. */
  stop(): void {
    for (const interceptor of this.#interceptors) interceptor.stop();
    this.#interceptors = [];
  }

  /** The same as {@link stop}, at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.stop();
  }

  /** The same as {@link stop}, at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
  }

  /** Base URLs of the four APIs, without a trailing slash. */
  get urls(): Readonly<Record<Service, string>> {
    const { target, query, modelTarget, manager } = this.#options.urls;
    const shown = ({ href }: URL): string => href.replace(/\/$/, "");
    return {
      target: shown(target),
      query: shown(query),
      modelTarget: shown(modelTarget),
      manager: shown(manager),
    };
  }

  /** Every request that reached the mock, in the order of their answers; the latest `journalCapacity`. */
  get requests(): readonly JournalEntry[] {
    return this.#journal.entries;
  }

  /** How many requests {@link requests} no longer holds. */
  get droppedRequests(): number {
    return this.#journal.dropped;
  }

  /**
   * The requests that are like this.
   *
   * @throws InvalidOptionError naming a field of the filter that does not exist or whose value cannot occur.
   * @example mock.requestsOf({ operation: "addTarget", refused: true })
   */
  requestsOf(filter: RequestFilter): readonly JournalEntry[] {
    return entriesLike(this.#journal.entries, filter);
  }

  /**
   * Calls a listener for every `request` that arrives, every `response`, refused or not, and every request that is
   * `rejected`. It is called at once and not waited for; what it throws becomes a warning of the process.
   *
   * @returns a function that removes the listener.
   */
  on<Name extends keyof JournalEvents>(
    event: Name,
    listener: (happened: JournalEvents[Name]) => unknown,
  ): () => void {
    return this.#journal.events[event].on(listener);
  }

  /**
   * The requests so far as text for a person: what was refused and what to change, and why queries found what they
   * found. Holds no secret.
   *
   * @param filter - which requests; default all that {@link requests} holds.
   * @throws InvalidOptionError as {@link requestsOf}.
   */
  explain(filter: RequestFilter = {}): string {
    const entries = this.requestsOf(filter);
    return [
      summarize(entries) + (this.droppedRequests > 0 ? `, ${this.droppedRequests} older ones dropped` : ""),
      ...(entries.length > 0 ? [formatJournal(entries)] : []),
    ].join("\n");
  }

  /**
   * Adds a cloud database; what is not given is generated or has the default of protocol section 10.
   *
   * @throws InvalidOptionError naming a field that is not accepted.
   * @throws Error when a key, name or id is taken, saying which.
   */
  addCloudDatabase(fields: CloudDatabaseFields = {}): MockCloudDatabase {
    const { databaseDefaults } = this.#options.settings;
    const database = addedCloudDatabase(this.#store, fields, this.#random, databaseDefaults);
    return new MockCloudDatabase(
      database,
      () => this.#store,
      () => this.#now,
    );
  }

  /**
   * Adds a VuMark database with its template targets (protocol section 6).
   *
   * @throws InvalidOptionError, Error as for {@link addCloudDatabase}.
   */
  addVuMarkDatabase(fields: VuMarkDatabaseFields = {}): MockVuMarkDatabase {
    const database = addedVuMarkDatabase(this.#store, fields, this.#random, this.#now);
    return new MockVuMarkDatabase(database, () => this.#store);
  }

  /**
   * Changes a cloud database's state, quotas, counts or limits from the next request on.
   *
   * @throws InvalidOptionError naming a field that is not accepted; Error when the database is gone.
   */
  updateDatabase(database: MockCloudDatabase, changes: DatabaseChanges): void {
    const updated = this.#store.updateDatabase(database.databaseName, databaseSettings(changes));
    if (updated === undefined) throw new Error(`the mock has no database "${database.databaseName}"`);
  }

  /** Deletes a database with all that belongs to it. False: it was gone already. */
  deleteDatabase(database: MockCloudDatabase | MockVuMarkDatabase): boolean {
    return this.#store.deleteDatabase(database.databaseName);
  }

  /**
   * Adds a target without signing a request, and, with `processed`, without waiting.
   *
   * @throws InvalidOptionError naming a field that is not accepted; Error when the image would be refused, the name or
   * id is taken, the target quota is reached or the database is gone.
   */
  async addTarget(database: MockCloudDatabase, fields: TargetFields): Promise<MockTarget> {
    const { processingTimeSeconds } = this.#options.settings;
    const target = await addedTarget(fields, processingTimeSeconds, this.#random);
    const now = this.#now;
    const created = await this.#store.createTarget(database.databaseName, target, now);
    if (typeof created === "string") throw notAdded(database.databaseName, target, created);
    return mockTarget(created, now);
  }

  /**
   * Sets recognition counts of a target; last-modified and status stay as they are.
   *
   * @throws InvalidOptionError naming a count that is no whole number; Error when there is no such target.
   */
  setRecognitionCounts(database: MockCloudDatabase, targetId: string, counts: RecognitionCountChanges): void {
    checkCounts(counts);
    const target = this.#store.setRecognitionCounts(database.databaseName, targetId, counts);
    if (target === undefined) {
      throw new Error(
        `the database "${database.databaseName}" has no target with the id ${JSON.stringify(targetId)}`,
      );
    }
  }

  /** Every target, template target, report and dataset is past its processing time from now on. */
  finishProcessing(): void {
    this.#store.finishProcessing();
  }

  /**
   * Back to no state: no databases, datasets, credentials, reports, no added faults, an empty journal, and the clock as
   * it is without what the target manager's API did to it.
   */
  async reset(): Promise<void> {
    const { store, clock, emulator } = this.#runs.current;
    store.reset();
    clock.reset();
    emulator.faults.clear();
    emulator.journal.clear();
  }

  /**
   * Makes requests go wrong from now on: answered with something else, late, or not at all. Of several faults that
   * concern a request the newest is applied, and only that. The journal tells of it; it does not count as refused.
   *
   * @returns what removes the fault, and counts the requests that it was applied to.
   * @throws InvalidOptionError naming a field that is not accepted, or that nothing would happen.
   * @example mock.addFault({ operation: "addTarget", answer: { resultCode: "TooManyRequests", status: 429 }, times: 2 });
   */
  addFault(fault: Fault): FaultHandle {
    return addedFault(this.#runs.current.emulator.faults, fault);
  }

  /** Forgets the requests so far; all other state stays. */
  clearRequests(): void {
    this.#journal.clear();
  }

  /**
   * The state as plain JSON, to be restored in this or another mock, process or version that reads it: databases with
   * their keys and targets, reports, rate-limit histories, datasets and credentials; not the journal, nor the options.
   * Times are kept as they are, so that processing goes on as the clock does.
   */
  snapshot(): Snapshot {
    return this.#store.snapshot();
  }

  /**
   * Replaces the state by that of a snapshot. Cheap for one that this process took: nothing is copied or read again.
   *
   * @param snapshot - what {@link MockCloudReco.snapshot} returned, or its JSON read again.
   * @throws InvalidSnapshotError naming the first thing that is wrong with it; the state stays as it was.
   */
  restore(snapshot: Snapshot): void {
    const problem = this.#store.restore(snapshot);
    if (problem !== undefined) throw new InvalidSnapshotError(problem);
  }

  /**
   * Calls a function that has the state to itself: it begins with what is there, and whatever the function changes,
   * through requests or this mock, is gone when it ends or throws, added faults too. Several may run at once or inside
   * each other. What a run sees is decided by asynchronous context; requests made outside of any run, by a server that a
   * test talks to for instance, belong to the run if there is only one. Inside of a run, {@link requests} has the run's own
   * only; outside they are among all others.
   *
   * @returns what the function returns.
   * @throws what the function throws.
   * @example await mock.run(async () => { await client.addTarget("label", image); });
   */
  run<Result>(call: () => Result): Promise<Awaited<Result>> {
    return this.#runs.run((outer) => outer.fork(), call);
  }

  get #journal(): Journal {
    return this.#runs.current.emulator.journal;
  }

  get #store(): MemoryStore {
    return this.#runs.current.store;
  }

  get #now(): number {
    return this.#runs.current.clock.now().getTime();
  }
}
