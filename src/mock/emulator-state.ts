import { AsyncLocalStorage } from "node:async_hooks";
import { createEmulator, createFaults, type ServiceEmulator } from "../core/apis/index.ts";
import { tokenSource } from "../core/apis/model-target/checks.ts";
import type { Consistency, ControlledParts, ResolvedAnswerOptions } from "../core/apis/services.ts";
import { type ClockShift, MovableClock } from "../core/emulator/clock.ts";
import type { Faults } from "../core/emulator/faults.ts";
import { Journal } from "../core/emulator/journal.ts";
import { header, type RequestHead } from "../core/emulator/message.ts";
import type { Random } from "../core/emulator/random.ts";
import { namedAccessKey } from "../core/emulator/signing.ts";
import { answerMalformed } from "../core/http/http-messages.ts";
import { assessing, backgroundPreparation } from "../core/images/on-demand.ts";
import { cause } from "../core/schema/causes/causes.ts";
import { API_NAMES, type ApiName } from "../core/schema/protocol.ts";
import { MemoryStore } from "../core/store/memory-store.ts";
import * as reads from "../core/store/reads.ts";
import { ofDatabase } from "../core/store/records.ts";
import type { FinishCall } from "../explain/surprises.ts";
import type { IdentifiedBy, InterceptedHost } from "../intercept/host-table.ts";
import type { ResolvedOptions } from "../options/options.ts";
import { ExpectedRefusals } from "./expected-refusals.ts";

/** An asynchronous context in which an isolated call of any mock runs. */
interface CallContext {
  readonly outer: CallContext | undefined;
}

/** One for all mocks: each one slows down all asynchronous operations of Node 20 for good. */
const contexts = new AsyncLocalStorage<CallContext>();

/** Chooses the state by asynchronous context: an isolated call's, or outside of calls the shared state. */
export class Isolation {
  private readonly states = new WeakMap<CallContext, EmulatorState>();
  /** The states of running calls, and the states of the calls around these. */
  private readonly running = new Map<EmulatorState, EmulatorState | undefined>();

  constructor(private readonly shared: EmulatorState) {}

  get current(): EmulatorState {
    return this.inContext ?? this.shared;
  }

  /**
   * The state for a request. A request from outside of calls, such as from a server that a test talks to, sees the state of the
   * only innermost call: among several, its call is unknown.
   */
  get ofRequest(): EmulatorState {
    const innermost = this.running.size === 0 ? undefined : this.onlyInnermost;
    return this.inContext ?? innermost ?? this.shared;
  }

  /**
   * Calls a function that sees a copy of the surrounding state, until its result is settled. Asynchronous context decides what
   * surrounds it: of two calls side by side, the second is not nested in the first.
   */
  async run<Result>(call: () => Result): Promise<Awaited<Result>> {
    const outer = this.inContext;
    const state = (outer ?? this.shared).fork();
    const context: CallContext = { outer: contexts.getStore() };
    this.states.set(context, state);
    this.running.set(state, outer);
    try {
      return await contexts.run(context, call);
    } finally {
      this.running.delete(state);
      state.end();
    }
  }

  private get inContext(): EmulatorState | undefined {
    for (let context = contexts.getStore(); context !== undefined; context = context.outer) {
      const state = this.states.get(context);
      if (state !== undefined) return state;
    }
    return undefined;
  }

  private get onlyInnermost(): EmulatorState | undefined {
    const surrounding = new Set(this.running.values());
    const innermost = [...this.running.keys()].filter((state) => !surrounding.has(state));
    return innermost.length === 1 ? innermost[0] : undefined;
  }
}

/** What is controlled in this process. */
export interface EmulatorParts extends ControlledParts {
  readonly store: MemoryStore;
  readonly faults: Faults;
}

/** A mock's state, and the emulator that answers requests from it. */
export class EmulatorState {
  readonly clock: MovableClock;
  readonly emulator: ServiceEmulator;
  readonly answerOptions: ResolvedAnswerOptions;
  readonly expectedRefusals: ExpectedRefusals;
  /** The latest call of `finishProcessing()`. */
  finish: FinishCall | undefined;

  private constructor(
    private readonly options: ResolvedOptions,
    readonly random: Random,
    readonly store: MemoryStore,
    readonly journal: Journal,
    readonly faults: Faults,
    readonly consistency: Consistency,
    outer?: { readonly clockShift: ClockShift; readonly expectedRefusals: ExpectedRefusals },
  ) {
    const { profile, answerOptions } = options;
    this.answerOptions = answerOptions;
    this.clock = new MovableClock(options.clock, outer?.clockShift);
    this.expectedRefusals = outer?.expectedRefusals ?? new ExpectedRefusals();
    this.emulator = createEmulator(
      { store, clock: this.clock, random, profile, answerOptions, journal, faults, consistency },
      { unservedPaths: "connectionError" },
    );
  }

  /** @param isRunning - once it returns false, no images are prepared in the background. */
  static empty(options: ResolvedOptions, random: Random, isRunning: () => boolean): EmulatorState {
    const { queryMatcher, targetRater } = options.answerOptions;
    const store = new MemoryStore(
      assessing(targetRater, [queryMatcher], random),
      backgroundPreparation([queryMatcher], isRunning),
    );
    return new EmulatorState(
      options,
      random,
      store,
      new Journal(options.journalCapacity, options.journalBodyBytes),
      createFaults(options.answerOptions),
      options.newConsistency(),
    );
  }

  /** Returns an independent copy, until {@link end}. Only the copy's requests are also added to this journal. */
  fork(): EmulatorState {
    const { options, random, store, journal, faults, consistency } = this;
    return new EmulatorState(
      ...([options, random, store.fork(), journal.fork(), faults.fork(), consistency.fork()] as const),
      { clockShift: this.clock.shift, expectedRefusals: this.expectedRefusals.fork() },
    );
  }

  /** Refusals that are expected in an isolated call stay so outside. */
  clearRequests(): void {
    this.expectedRefusals.end(this.journal.entries);
    this.journal.clear();
  }

  end(): void {
    this.expectedRefusals.end(this.journal.entries);
    this.journal.end();
    this.faults.end();
  }
}

/** Returns one host for each distinct base URL; APIs with the same base URL share it. */
export function interceptedHosts(
  { urls, answerOptions }: ResolvedOptions,
  isolation: Isolation,
): readonly InterceptedHost[] {
  const served = new Map<string, { readonly baseUrl: URL; readonly apis: [ApiName, ...ApiName[]] }>();
  for (const api of API_NAMES) {
    const baseUrl = urls[api];
    const shared = served.get(baseUrl.href);
    if (shared === undefined) served.set(baseUrl.href, { baseUrl, apis: [api] });
    else shared.apis.push(api);
  }
  return [...served.values()].map(({ baseUrl, apis }) => ({
    baseUrl,
    handle: (request) => isolation.ofRequest.emulator.handle(apis, request),
    handleMalformed: (why, head) => answerMalformed(isolation.ofRequest.emulator, apis, why, head),
    recordRefusal: (authority, message) => {
      const why = cause("connection.refused", { message });
      const request = { method: "CONNECT", path: authority, query: "", headers: [], body: Buffer.alloc(0) };
      // Nobody waits for the result. It is an error if the mock stops during a configured delay.
      isolation.ofRequest.emulator
        .handle(apis, request, { connection: "refused", refusedBy: "transport", cause: why })
        .catch(() => {});
    },
    identifies: (request) => identify(isolation.ofRequest, answerOptions, request),
  }));
}

function identify(
  { store }: EmulatorState,
  { modelTargetClient, modelTargetUser }: ResolvedOptions["answerOptions"],
  { path, headers }: RequestHead,
): IdentifiedBy | undefined {
  const authorization = header({ headers }, "authorization");
  if (recordsOfAccessKey(store, namedAccessKey(authorization)) !== undefined) return "key";
  if (path.split("/").some((segment) => store.readNow(reads.dataset(segment)) !== undefined))
    return "dataset";
  const source = tokenSource(authorization);
  if (source === undefined) return undefined;
  const isConfigured = source === modelTargetClient.id || source === modelTargetUser.name;
  return isConfigured || store.readNow(reads.credential(source)) !== undefined ? "client" : undefined;
}

/** The records of the database that has an access key, of either kind. */
export const recordsOfAccessKey = (store: MemoryStore, key = "") =>
  store.readNow({ key: ["serverAccessKey", key], answer: ofDatabase }) ??
  store.readNow({ key: ["clientAccessKey", key], answer: ofDatabase });
