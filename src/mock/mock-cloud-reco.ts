import { inspect } from "node:util";
import {
  addIdleKeyLookup,
  addKeyLookup,
  type KeyLookup,
  rememberKeys,
  removeKeyLookup,
} from "../core/apis/signed/known-keys.ts";
import type { Journal, JournalEntry, JournalEvents } from "../core/emulator/journal.ts";
import { createRandom, type Random } from "../core/emulator/random.ts";
import { filterEntries, type RequestFilter } from "../core/emulator/request-filter.ts";
import { show } from "../core/general/text.ts";
import { setImageCacheBytes } from "../core/images/cache-limit.ts";
import type { ApiName } from "../core/schema/protocol.ts";
import { InvalidOptionError } from "../core/schema/zod/problems.ts";
import { quoted } from "../core/schema/zod/values.ts";
import type { MemoryStore } from "../core/store/memory-store.ts";
import * as reads from "../core/store/reads.ts";
import { callerOf } from "../explain/caller.ts";
import { answered, type ExplainedMock } from "../explain/evidence.ts";
import { explainInRunningTest } from "../explain/failing-test.ts";
import { countProcessing, idsOfTargets, limitsIn, targetsAfter } from "../explain/surprises.ts";
import { fetchFrom, hasSignal, requestOf, takeBytes } from "../intercept/fetch/fetch-transport.ts";
import { HostTable } from "../intercept/host-table.ts";
import { type Interceptor, intercept } from "../intercept/interception.ts";
import { usualInterception } from "../intercept/nock/nock-module.ts";
import { PendingDelays } from "../intercept/pending-delays.ts";
import { type MockCloudRecoOptions, type ResolvedOptions, resolveOptions } from "../options/options.ts";
import { describeMock } from "./describe-mock.ts";
import { EmulatorControl } from "./emulator-control.ts";
import {
  type EmulatorParts,
  EmulatorState,
  Isolation,
  interceptedHosts,
  recordsOfAccessKey,
} from "./emulator-state.ts";
import { MockPage } from "./page.ts";

/**
 * The Vuforia cloud recognition services inside this process. While a mock is started, it intercepts requests to the hosts of
 * the services and answers them from memory. Other hosts are reached as usual unless `unhandledRequests` says otherwise.
 *
 * @example
 * await using mock = new MockCloudReco();
 * const database = mock.addCloudDatabase();
 * const client = new MyClient(database.serverAccessKey, database.serverSecretKey);
 */
export class MockCloudReco extends EmulatorControl implements AsyncDisposable, Disposable {
  readonly #options: ResolvedOptions;
  readonly #random: Random;
  readonly #isolation: Isolation;
  readonly #hosts = new HostTable();
  #isStopped = false;
  /** While the mock is started. */
  #interceptor: Interceptor | undefined;
  readonly #delays = new PendingDelays();
  /** This mock's views for people: a live page, which may pause a test, and a report. */
  readonly page = new MockPage(() => ({
    state: this.#isolation.current,
    options: this.#options,
    urls: this.urls,
  }));
  /** Tells other mocks which database owns a key. */
  readonly #describeKey: KeyLookup = (key) => {
    const database = recordsOfAccessKey(this.#store, key)?.database.databaseName;
    return (
      database &&
      `the database ${JSON.stringify(database)} of another mock of this process, ${this.#howToReach}`
    );
  };

  /**
   * Creates a mock and starts it.
   *
   * @throws InvalidOptionError or MissingSchemeError for an invalid option, with its name, its value and what is expected;
   * Error when nock cannot be used in this process, with what to change.
   * @example const mock = new MockCloudReco({ processingTimeSeconds: 0, unhandledRequests: "error" });
   */
  constructor(options: MockCloudRecoOptions = {}) {
    super();
    this.#options = resolveOptions(options, this.#delays);
    const { seed } = this.#options;
    setImageCacheBytes(options.imageCacheBytes);
    this.#random = createRandom(seed);
    this.#isolation = new Isolation(EmulatorState.empty(this.#options, this.#random, () => !this.#isStopped));
    this.#hosts.add(interceptedHosts(this.#options, this.#isolation));
    this.#journal.recorded.on((entry) => answered.emit({ mock: this, entry }));
    if (this.#options.intercept === false) addIdleKeyLookup(this.#describeKey);
    this.start();
    // A test that has ended has stopped its mock, as it should.
    if (this.#options.explainFailures)
      explainInRunningTest(this, () => (this.#isStopped ? undefined : this.whyUnreached), MockCloudReco);
  }

  /**
   * Creates a mock with the state in a file that {@link save} or a server with `stateFile` wrote, and starts it.
   *
   * @throws an error named `StateFileError` when the file cannot be read or holds no state; those of the constructor.
   * @example await using mock = await MockCloudReco.load("state.json", { processingTimeSeconds: 0 });
   */
  static async load(path: string, options: MockCloudRecoOptions = {}): Promise<MockCloudReco> {
    const mock = new MockCloudReco(options);
    try {
      const { restoreState, StateFileError } = await import("../core/store/state-file.ts");
      if (await restoreState(path, mock.#store)) return mock;
      throw new StateFileError(`the state file ${path} does not exist, or is empty`);
    } catch (error) {
      mock.stop();
      throw error;
    }
  }

  /**
   * The mock as a `fetch` function that intercepts nothing: pass it to a client, or call it from a handler of another framework.
   * Works while the mock is stopped, and with `intercept: false`. Response bodies are decoded, as `fetch` does.
   *
   * @throws TypeError "fetch failed" when the connection fails, the mock does not serve the host or one of your functions
   * threw; its `cause` says which. Throws the signal's reason when the request is aborted.
   * @example const client = new MyClient({ fetch: mock.fetch });
   */
  readonly fetch = (input: Request | string | URL, init?: RequestInit): Promise<Response> => {
    const { init: rest, given } = takeBytes(input, init);
    const isUnabortable = !hasSignal(input) && !hasSignal(init);
    return fetchFrom(this.#hosts, requestOf(input, rest), { given, isUnabortable });
  };

  /**
   * Resumes interception after {@link stop}, with the state unchanged. Does nothing while the mock is started.
   *
   * @throws Error when nock cannot be used in this process, with what to change.
   */
  start(): void {
    const { intercept: by = usualInterception(), unhandledRequests } = this.#options;
    this.#isStopped = false;
    if (by === false) return;
    const hosts = interceptedHosts(this.#options, this.#isolation);
    this.#interceptor ??= intercept({ hosts, intercept: by, unhandledRequests });
    addKeyLookup(this.#describeKey);
  }

  /**
   * Stops intercepting, restores everything that was patched, and keeps the state. Requests whose responses are being delayed
   * fail with ECONNRESET, and `page.pause()` ends. Does nothing while the mock is stopped.
   */
  stop(): void {
    if (this.#interceptor !== undefined) {
      this.#rememberKeys("stopped");
    }
    removeKeyLookup(this.#describeKey);
    this.#interceptor?.stop();
    this.#interceptor = undefined;
    this.#isStopped = true;
    this.#delays.abort();
    void this.page.stopAll();
  }

  /** Calls {@link stop} at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.stop();
  }

  /** Calls {@link stop} at the end of an `await using` block, and waits until its pages are closed. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.page.stopAll();
    this.stop();
    await closed;
  }

  /** Base URLs of the four APIs, without a trailing slash. */
  get urls(): Readonly<Record<ApiName, string>> {
    const { target, query, modelTarget, manager } = this.#options.urls;
    const shown = ({ href }: URL): string => href.replace(/\/$/, "");
    return {
      target: shown(target),
      query: shown(query),
      modelTarget: shown(modelTarget),
      manager: shown(manager),
    };
  }

  /** The latest requests that reached the mock, in the order in which they were answered; at most `journalCapacity`. */
  get requests(): readonly JournalEntry[] {
    return this.#journal.entries;
  }

  /** How many older requests are no longer in {@link requests}. */
  get droppedRequests(): number {
    return this.#journal.dropped;
  }

  /**
   * Returns the requests that match a filter.
   *
   * @param entries - the requests to choose from; default {@link requests}.
   * @throws InvalidOptionError for an unknown field of the filter, or a value that cannot occur.
   * @example mock.requestsOf({ operation: "addTarget", refused: true })
   */
  requestsOf(
    filter: RequestFilter,
    entries: readonly JournalEntry[] = this.#journal.entries,
  ): readonly JournalEntry[] {
    return filterEntries(entries, filter);
  }

  /**
   * Declares that a test causes a refusal on purpose, before or after the request. `failOnRefusedRequests` and
   * `toHaveRefusedNothing` ignore the refusal, and a fixture fails the test if it does not occur. {@link reset} removes the
   * declaration.
   *
   * @param filter - the requests that are expected to be refused, as for {@link requestsOf}.
   * @throws InvalidOptionError as {@link requestsOf} does.
   * @example mock.expectRefusal({ operation: "addTarget", resultCode: "TargetNameExist" });
   */
  expectRefusal(filter: RequestFilter): void {
    this.#isolation.current.expectedRefusals.add(filter);
  }

  /**
   * Returns the refused requests that no {@link expectRefusal} covers.
   *
   * @internal
   * @param entries - the requests to choose from; default {@link requests}.
   */
  unexpectedRefusals(entries: readonly JournalEntry[] = this.requests): readonly JournalEntry[] {
    return this.#isolation.current.expectedRefusals.unexpectedIn(entries);
  }

  /**
   * Returns the filters passed to {@link expectRefusal} that match no refused request.
   *
   * @internal
   * @param entries - the requests to look at; default {@link requests}.
   */
  missingRefusals(entries: readonly JournalEntry[] = this.requests): readonly RequestFilter[] {
    return this.#isolation.current.expectedRefusals.missingIn(entries);
  }

  /**
   * Adds a listener for every `request` that arrives, every `response`, and every request that is `rejected`. The listener is
   * called synchronously and its result is not awaited; if it throws, the process emits a warning.
   *
   * @returns a function that removes the listener.
   * @throws InvalidOptionError for the name of another event, or a listener that is no function.
   * @example const remove = mock.on("rejected", ({ reason }) => console.warn(reason));
   */
  on<Name extends keyof JournalEvents>(
    event: Name,
    listener: (happened: JournalEvents[Name]) => unknown,
  ): () => void {
    const { events } = this.#journal;
    const names = Object.keys(events);
    if (!names.includes(event)) throw new InvalidOptionError("event", show(event), quoted(names));
    if (typeof listener !== "function")
      throw new InvalidOptionError("listener", show(listener), "a function");
    return events[event].on(listener);
  }

  /** Why no request reaches this mock, and what to change; undefined while it intercepts. @internal */
  get whyUnreached(): string | undefined {
    if (this.#options.intercept === false)
      return "intercepts nothing (`intercept: false`): pass `mock.fetch` to the client, or use `handlers(mock)`";
    return this.#interceptor === undefined ? "is stopped: call `mock.start()`" : undefined;
  }

  /** Delays, unused faults and targets in processing, for the explanation of a failure. @internal */
  get arranged(): ExplainedMock["arranged"] {
    const { faults, answerOptions, finish, store } = this.#isolation.current;
    const databases = store.readNow(reads.databases);
    const now = this.clock.now().getTime();
    return {
      unusedFaults: faults.unused,
      responseDelaySeconds: answerOptions.responseDelaySeconds,
      processingTargets: countProcessing(databases, now),
      finish: finish && targetsAfter(finish, databases, store.readNow(reads.datasets), now),
      limits: limitsIn(databases),
    };
  }

  /** Lets requests with keys that are no longer valid be told why. */
  #rememberKeys(ended: Parameters<typeof rememberKeys>[1]): void {
    const store = this.#store;
    rememberKeys([...store.readNow(reads.cloudDatabases), ...store.readNow(reads.vuMarkDatabases)], ended);
  }

  get #howToReach(): string {
    return (
      this.whyUnreached?.replace(/^/, "which ") ??
      `which serves ${[...new Set(Object.values(this.urls))].join(", ")}: create the client with the keys and URLs of the same mock`
    );
  }

  override finishProcessing(): void {
    const { current } = this.#isolation;
    const known = idsOfTargets(current.store.readNow(reads.databases));
    current.finish = { calledAt: callerOf(this.finishProcessing), known };
    super.finishProcessing();
  }

  /**
   * Deletes every database, dataset, credential, report and fault, clears the journal and the expected refusals, and undoes
   * every change to the clock. Requests that faults delay are answered.
   *
   * @example afterEach(() => mock.reset());
   */
  override async reset(): Promise<void> {
    this.#rememberKeys("reset");
    await super.reset();
    const { current } = this.#isolation;
    current.expectedRefusals.clear();
    current.finish = undefined;
  }

  /** Clears {@link requests}; all other state stays. */
  clearRequests(): void {
    this.#isolation.current.clearRequests();
  }

  /**
   * Calls a function with an isolated copy of the state. Whatever the function changes, through requests or through this mock,
   * is discarded when it returns or throws: also faults that it adds, removes or uses up, and expected refusals. A refusal that
   * the function expects stays an expected one outside. Calls may run concurrently or be nested.
   *
   * Asynchronous context decides which copy a request sees. A request without that context, for instance from a server that the
   * test talks to, sees the copy of the innermost running call if there is only one, otherwise the shared state. This mock's own
   * methods, used outside a call, always act on the shared state. Inside a call, {@link requests}
   * has only the requests of that call; outside, it has all.
   *
   * @returns what the function returns.
   * @throws what the function throws; TypeError when it is no function.
   * @example await mock.isolate(async () => { await client.addTarget("label", image); });
   */
  isolate<Result>(call: () => Result): Promise<Awaited<Result>> {
    if (typeof call !== "function")
      throw new TypeError(`isolate: expected a function that uses the isolated state; got ${show(call)}`);
    return this.#isolation.run(call);
  }

  /** For `console.log(mock)`: databases, targets and the latest requests, in at most five lines. */
  [inspect.custom](): string {
    return describeMock(this, this.#store, this.#interceptor !== undefined);
  }

  /** The state that all methods act on. @internal */
  protected override get parts(): EmulatorParts {
    return this.#isolation.current;
  }

  get #journal(): Journal {
    return this.#isolation.current.emulator.journal;
  }

  get #store(): MemoryStore {
    return this.#isolation.current.store;
  }
}
