import { writeFile } from "node:fs/promises";
import { inspect } from "node:util";
import { formatJournal, summarize } from "../core/format-journal.ts";
import { rememberKeys } from "../core/former-keys.ts";
import type { Journal, JournalEntry, JournalEvents } from "../core/journal.ts";
import type { Service } from "../core/operation-names.ts";
import { createRandom, type Random } from "../core/random.ts";
import { setImageCacheBytes } from "../images/cache.ts";
import { compareBySimilarity } from "../images/matchers.ts";
import { type CloudDatabaseFields, type DatabaseChanges, databaseChanges } from "../schema/cloud-database.ts";
import { checked } from "../schema/kernel/problems.ts";
import type { Snapshot } from "../schema/snapshot.ts";
import { countChanges, type RecognitionCountChanges, type TargetFields } from "../schema/target.ts";
import {
  type VuMarkDatabaseChanges,
  type VuMarkDatabaseFields,
  vuMarkDatabaseChanges,
} from "../schema/vumark-database.ts";
import type { MemoryStore } from "../store/memory-store.ts";
import { InvalidSnapshotError } from "../store/snapshot.ts";
import { fetchFrom } from "../transports/fetch/fetch-transport.ts";
import { HostTable, type InterceptedHost } from "../transports/host-table.ts";
import { type Interceptor, intercept } from "../transports/interception.ts";
import { createCloudDatabase, createVuMarkDatabase } from "./added-database.ts";
import { newTargetFromFields, notAdded } from "./added-target.ts";
import { describeMock } from "./describe-mock.ts";
import { EmulatorState } from "./emulator-state.ts";
import { ExpectedRefusals } from "./expected-refusals.ts";
import { createFault, type Fault, type FaultHandle } from "./fault-fields.ts";
import { interceptedHosts } from "./intercepted-hosts.ts";
import { Isolation } from "./isolation.ts";
import { MockCloudDatabase, type MockTarget, MockVuMarkDatabase, mockTarget } from "./mock-database.ts";
import { type MockCloudRecoOptions, type ResolvedOptions, resolveOptions } from "./options.ts";
import { buildReport, type MockReport } from "./report.ts";
import { filterEntries, type RequestFilter } from "./request-filter.ts";

/** A page that shows a mock; see {@link MockCloudReco.servePage}. */
export interface MockPage extends AsyncDisposable {
  /** Address to open in a browser. */
  readonly url: string;
  /** Stops serving it. */
  close(): Promise<void>;
}

/**
 * The Vuforia cloud recognition services inside this process: while it is started, requests to their hosts are
 * intercepted and answered from memory, and requests to other hosts are left alone.
 *
 * @example
 * await using mock = new MockCloudReco();
 * const database = mock.addCloudDatabase();
 * const client = new MyClient(database.serverAccessKey, database.serverSecretKey);
 */
export class MockCloudReco implements AsyncDisposable, Disposable {
  readonly #options: ResolvedOptions;
  readonly #random: Random;
  readonly #runs: Isolation<EmulatorState>;
  readonly #expectedRefusals = new ExpectedRefusals();
  readonly #hosts = new HostTable();
  #interceptor: Interceptor | undefined;
  readonly #pages = new Set<MockPage>();

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
    this.#runs = new Isolation(EmulatorState.empty(this.#options, this.#random));
    this.#hosts.add(this.#interceptedHosts());
    this.start();
  }

  #interceptedHosts(): readonly InterceptedHost[] {
    return interceptedHosts(this.#options, () => this.#runs.current);
  }

  /**
   * The mock as a function, without any interception: give it to a client in place of `fetch`, or call it from a handler of
   * another framework. It works started or stopped, with `intercept: false` too. Bodies come decoded.
   *
   * @throws TypeError "fetch failed" as `fetch` does, its cause saying why: a connection that fails, a host that the mock does not
   * serve, a function of yours that threw; the signal's reason when it is aborted.
   * @example const client = new MyClient({ fetch: mock.fetch });
   */
  readonly fetch = (input: Request | string | URL, init?: RequestInit): Promise<Response> =>
    fetchFrom(this.#hosts, new Request(input, init));

  /** Begins to intercept again after {@link stop}; the state is what it was. Does nothing while started. */
  start(): void {
    const { intercept: by, unhandledRequests } = this.#options;
    if (by === false) return;
    this.#interceptor ??= intercept({
      hosts: this.#interceptedHosts(),
      intercept: by,
      unhandledRequests,
    });
  }

  /** Stops intercepting and leaves the process as it was; the state is kept. Does nothing while stopped. */
  stop(): void {
    if (this.#interceptor !== undefined) {
      rememberKeys([...this.#store.listCloudDatabases(), ...this.#store.listVuMarkDatabases()]);
    }
    this.#interceptor?.stop();
    this.#interceptor = undefined;
    for (const page of this.#pages) void page.close();
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
   * @param entries - which requests to choose from; default {@link requests}.
   * @throws InvalidOptionError naming a field of the filter that does not exist or whose value cannot occur.
   * @example mock.requestsOf({ operation: "addTarget", refused: true })
   */
  requestsOf(
    filter: RequestFilter,
    entries: readonly JournalEntry[] = this.#journal.entries,
  ): readonly JournalEntry[] {
    return filterEntries(entries, filter);
  }

  /**
   * Says that a test means to cause a refusal, before or after it came: it does not count for `failOnRefusedRequests` and
   * `toHaveRefusedNothing`, and a fixture fails the test when it did not come. `reset()` forgets it.
   *
   * @param filter - which requests are expected to be refused, as for {@link requestsOf}.
   * @throws InvalidOptionError as {@link requestsOf}.
   * @example mock.expectRefusal({ operation: "addTarget", resultCode: "TargetNameExist" });
   */
  expectRefusal(filter: RequestFilter): void {
    this.#expectedRefusals.add(filter);
  }

  /**
   * Of these requests, those that were refused although nobody expected it.
   *
   * @param entries - default {@link requests}.
   */
  unexpectedRefusals(entries: readonly JournalEntry[] = this.requests): readonly JournalEntry[] {
    return this.#expectedRefusals.unexpectedIn(entries);
  }

  /**
   * What {@link expectRefusal} was told to expect, and none of these requests is.
   *
   * @param entries - default {@link requests}.
   */
  missingRefusals(entries: readonly JournalEntry[] = this.requests): readonly RequestFilter[] {
    return this.#expectedRefusals.missingIn(entries);
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
   * Writes everything that happened as one HTML file, to be opened in a browser without a server. Holds no secret.
   *
   * @example await mock.writeReport("mock-report.html");
   */
  async writeReport(path: string): Promise<void> {
    const { reportPage } = await import("./page-file.ts");
    await writeFile(path, await reportPage(this.report()));
  }

  /**
   * Serves a page that shows this mock live, on a port of this machine, until it is closed or the mock stops.
   *
   * @returns the address to open in a browser.
   * @example
   * await using page = await mock.servePage();
   * console.log(page.url);
   */
  async servePage(): Promise<MockPage> {
    return this.#servePage();
  }

  /**
   * Waits in the middle of a test: prints the address of a page that shows this mock, and goes on when "Continue" is
   * pressed there. Give the test a time limit that is long enough, or none.
   */
  async pause(): Promise<void> {
    let goOn = () => {};
    const pressed = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await using page = await this.#servePage(goOn);
    process.stderr.write(`mock-cloud-reco: paused. Open ${page.url} and press Continue there.\n`);
    await pressed;
  }

  async #servePage(goOn?: () => void): Promise<MockPage> {
    const { servePage } = await import("../servers/page/serve-page.ts");
    const server = await servePage({
      state: this.#runs.current,
      options: this.#options,
      urls: this.urls,
      goOn,
    });
    const close = async () => {
      this.#pages.delete(page);
      await server.close();
    };
    const page: MockPage = { url: server.url, close, [Symbol.asyncDispose]: close };
    this.#pages.add(page);
    return page;
  }

  /**
   * Everything that happened, as plain JSON: requests with what was sent and answered, reasons and both strings to sign;
   * databases, targets, their images and the timeline of their states. Holds no secret.
   *
   * @example await writeFile("mock.json", JSON.stringify(mock.report()));
   */
  report(): MockReport {
    const store = this.#store;
    const cloud = store.listCloudDatabases().map((database) => {
      const { databaseName, kind, stateName, serverAccessKey, clientAccessKey } = database;
      const targets = store.listTargets(databaseName);
      return { databaseName, kind, stateName, serverAccessKey, clientAccessKey, targets, templates: [] };
    });
    const vumark = store.listVuMarkDatabases().map((database) => {
      const { databaseName, kind, stateName, serverAccessKey } = database;
      const templates = store
        .listTemplateTargets(databaseName)
        .map(({ targetId, name }) => ({ targetId, name }));
      return { databaseName, kind, stateName, serverAccessKey, targets: [], templates };
    });
    return buildReport({
      now: this.#now,
      urls: this.urls,
      databases: [...cloud, ...vumark],
      entries: this.requests,
      dropped: this.droppedRequests,
    });
  }

  /**
   * Adds a cloud database; what is not given is generated or has its default.
   *
   * @throws InvalidOptionError naming a field that is not accepted.
   * @throws Error when a key, name or id is taken, saying which.
   */
  addCloudDatabase(fields: CloudDatabaseFields = {}): MockCloudDatabase {
    const { databaseDefaults } = this.#options.settings;
    const database = createCloudDatabase(this.#store, fields, this.#random, databaseDefaults);
    return new MockCloudDatabase(
      database,
      () => this.#store,
      () => this.#now,
    );
  }

  /**
   * Adds a VuMark database with its template targets.
   *
   * @throws InvalidOptionError, Error as for {@link addCloudDatabase}.
   */
  addVuMarkDatabase(fields: VuMarkDatabaseFields = {}): MockVuMarkDatabase {
    const database = createVuMarkDatabase(this.#store, fields, this.#random, this.#now);
    return new MockVuMarkDatabase(database, () => this.#store);
  }

  /**
   * Changes a cloud database's state, quotas, counts or limits, or a VuMark database's state, from the next request on.
   *
   * @throws InvalidOptionError naming a field that is not accepted; Error when the database is gone.
   */
  updateDatabase(database: MockCloudDatabase, changes: DatabaseChanges): void;
  updateDatabase(database: MockVuMarkDatabase, changes: VuMarkDatabaseChanges): void;
  updateDatabase(database: MockCloudDatabase | MockVuMarkDatabase, changes: DatabaseChanges): void {
    const schema = database instanceof MockVuMarkDatabase ? vuMarkDatabaseChanges : databaseChanges;
    const updated = this.#store.updateDatabase(database.databaseName, checked("database", schema, changes));
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
    const { processingTimeSeconds, queryMatcher, duplicatesMatcher } = this.#options.settings;
    const prepares = compareBySimilarity(queryMatcher, duplicatesMatcher);
    const target = await newTargetFromFields(fields, processingTimeSeconds, this.#random, prepares);
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
    const given = checked("counts", countChanges, counts);
    const target = this.#store.setRecognitionCounts(database.databaseName, targetId, given);
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
    this.#expectedRefusals.clear();
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
    return createFault(this.#runs.current.emulator.faults, fault);
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
   * @example await mock.isolate(async () => { await client.addTarget("label", image); });
   */
  isolate<Result>(call: () => Result): Promise<Awaited<Result>> {
    return this.#runs.run((outer) => outer.fork(), call);
  }

  /** What `console.log(mock)` prints: databases, targets and the last requests, in five lines at most. */
  [inspect.custom](): string {
    return describeMock(this, this.#store, this.#interceptor !== undefined);
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
