import type { Database, Effect, Entry, Fault, Flight, Report, State, Target } from "./state.ts";
import { PROCESSING_SECONDS, START } from "./state.ts";

/** What a request meets before its operation. */
interface Arrival {
  /** The effect of the fault that applies. */
  readonly fault: Effect | undefined;
  /** The status of the check that refuses it. */
  readonly refused: number | undefined;
  /** Whether its operation runs. */
  readonly runs: boolean;
}

const passed = (since: number, seconds: number, now: number): boolean =>
  Math.max(0, now - since) >= seconds * 1000;

/** What a snapshot holds. */
export type Saved = Pick<State, "databases" | "marks" | "datasets" | "hasClient">;
const NOTHING = (): Saved => ({ databases: [], marks: [], datasets: [], hasClient: false });
const NO_REQUESTS = () => ({ faults: [], journal: [], expected: [] });

/** Whether the emulator has removed a fault, because it was applied as often as it may. */
export const isUsedUp = ({ times, applied }: Fault): boolean => times > 0 && applied >= times;

export const counts = ({ refused, fault }: Entry): boolean => refused && !fault;

export class Model {
  state: State = { outer: undefined, now: START, ...NOTHING(), ...NO_REQUESTS(), cleared: 0 };
  /** The shared one, and those of running isolated calls, in the order in which they began. */
  readonly open: State[] = [this.state];
  readonly snapshots: Saved[] = [];
  /** Whether a page is open. */
  hasPage = false;
  /** Databases that a handle was kept of. */
  handles: number[] = [];
  /** In the order in which they were sent. */
  readonly flights: Flight[] = [];
  /** The reports that were asked for: where they are downloaded, and which they are. */
  readonly downloads: { readonly path: string; readonly database: string; readonly file: string }[] = [];
  private counter = 0;

  get isIsolated(): boolean {
    return this.open.length > 1;
  }

  /** Whether no other call that runs began within this one. */
  get canEnd(): boolean {
    return this.state.outer !== undefined && this.open.every(({ outer }) => outer !== this.state);
  }

  /**
   * Whether it is known which state sees a request: one from outside of all calls belongs to the innermost of them if there is
   * only one.
   */
  get isKnown(): boolean {
    const innermost = this.open.filter((state) => this.open.every(({ outer }) => outer !== state));
    return this.state.outer !== undefined || !this.isIsolated || innermost.length > 1;
  }

  /** Which of the open ones the next command runs in. */
  get index(): number {
    return this.open.indexOf(this.state);
  }

  continueIn(index: number): void {
    this.state = this.open[index % this.open.length] ?? this.state;
  }

  get saved(): Saved {
    const { databases, marks, datasets, hasClient } = this.state;
    return structuredClone({ databases, marks, datasets, hasClient });
  }

  restore(saved: Saved): void {
    Object.assign(this.state, structuredClone(saved));
  }

  /** Begins an isolated call, on a copy of everything but the journal. */
  begin(): void {
    const { now, faults, expected } = this.state;
    const copy = structuredClone({ faults, expected });
    this.state = { outer: this.state, now, ...this.saved, ...copy, journal: [], cleared: 0 };
    this.open.push(this.state);
  }

  /** Ends it: nothing stays but its requests, and which of them were expected to be refused. */
  end(): void {
    const { outer, journal, expected } = this.state;
    for (const entry of journal) entry.expected ||= expected.includes(entry.operation);
    if (outer === undefined) return;
    this.open.splice(this.index, 1);
    this.state = outer;
  }

  next(): number {
    this.counter += 1;
    return this.counter;
  }

  database(name: string): Database | undefined {
    return this.state.databases.find((each) => each.name === name);
  }

  clearRequests(state = this.state): void {
    Object.assign(state, { journal: [], cleared: this.next() });
  }

  /** Without the expected refusals, which only a test's own mock has. */
  reset(): void {
    Object.assign(this.state, { ...NOTHING(), faults: [], now: START });
    this.clearRequests();
  }

  /** Starts again with nothing but the databases. */
  restart(): void {
    Object.assign(this.state, { ...NO_REQUESTS(), now: START });
    this.handles = [];
    this.hasPage = false;
  }

  finishProcessing(): void {
    const { databases, datasets } = this.state;
    for (const target of databases.flatMap(({ targets }) => targets))
      Object.assign(target, { processed: true, rated: true });
    for (const each of [...datasets, ...databases.flatMap(({ reports }) => reports)]) each.processed = true;
  }

  status(target: Target): "success" | "processing" {
    const isOver = target.processed || passed(target.changed, PROCESSING_SECONDS, this.state.now);
    return isOver ? "success" : "processing";
  }

  isRated(target: Target): boolean {
    return target.rated || passed(target.uploaded, PROCESSING_SECONDS / 2, this.state.now);
  }

  isReady({ processed, requested }: Report): boolean {
    return processed || passed(requested, PROCESSING_SECONDS, this.state.now);
  }

  /** By upload date, then by id. */
  sorted({ targets }: Database): readonly Target[] {
    return [...targets].sort((one, other) => one.uploaded - other.uploaded || (one.id < other.id ? -1 : 1));
  }

  /** What a query with an image finds. */
  found(database: Database, image: number): readonly Target[] {
    return this.sorted(database).filter(
      (target) =>
        target.image === image && target.active && this.status(target) === "success" && this.isRated(target),
    );
  }

  /** The fault that applies to a request. */
  faultFor(operation: string, database: string): Fault | undefined {
    return this.state.faults.find(
      (each) =>
        each.applied < each.times &&
        each.operation === operation &&
        (each.database === undefined || each.database === database),
    );
  }

  applyFault(operation: string, database: string): Effect | undefined {
    const fault = this.faultFor(operation, database);
    if (fault === undefined) return undefined;
    fault.applied += 1;
    return fault.effect;
  }

  /** A request arrives: faults, then the checks that concern every request of its API. */
  arrive(operation: string, database: Database): Arrival {
    const fault = this.applyFault(operation, database.name);
    if (fault === "answer") return { fault, refused: undefined, runs: false };
    const refused = this.refuses(operation, database);
    return { fault, refused, runs: refused === undefined };
  }

  private refuses(operation: string, database: Database): number | undefined {
    const { state, requestQuota } = database;
    // No quota and no limit touches queries, nor a suspended project.
    if (operation === "query") return state === "PROJECT_INACTIVE" ? 403 : undefined;
    if (!this.takesToken(operation, database)) return 429;
    if (requestQuota === 0 || state === "PROJECT_SUSPENDED" || state === "PROJECT_HAS_NO_API_ACCESS")
      return 403;
    const isServed = ["databaseSummary", "listTargets", "getTarget"].includes(operation);
    return state === "PROJECT_INACTIVE" && !isServed ? 403 : undefined;
  }

  /** Takes a token of every limit, or none. */
  private takesToken(operation: string, { limit, groups, accepted }: Database): boolean {
    const { now } = this.state;
    const group = groups[operation] === undefined ? "other" : operation;
    const ofGroup = groups[group];
    const rules = [
      ...(limit === null ? [] : [{ key: "perSecond", most: limit, window: 1000 }]),
      ...(ofGroup === undefined ? [] : [{ key: group, most: ofGroup[0], window: ofGroup[1] * 1000 }]),
    ].map((rule) => {
      const before = accepted[rule.key] ?? [];
      // The clock was set back.
      const isAfresh = Math.max(...before) - now > rule.window;
      return { ...rule, moments: isAfresh ? [] : before };
    });
    for (const { moments, most, window } of rules)
      if (moments.filter((moment) => Math.abs(moment - now) < window).length >= most) return false;
    for (const { key, moments } of rules) accepted[key] = [...moments, now];
    return true;
  }

  /** Everybody who is outside sees the request, too, unless they cleared their journal after it had been sent. */
  record(
    operation: string,
    { fault, refused }: Pick<Arrival, "fault" | "refused">,
    { together = this.next(), from = this.state, sent = Number.POSITIVE_INFINITY } = {},
  ): void {
    const facts = { operation, refused: refused !== undefined, fault: fault !== undefined };
    const entry = { ...facts, expected: false, together };
    for (let state: State | undefined = from; state !== undefined; state = state.outer)
      if (state.cleared < sent) state.journal.push(entry);
  }

  get unexpected(): readonly Entry[] {
    const { journal, expected } = this.state;
    return journal.filter((entry) => counts(entry) && !entry.expected && !expected.includes(entry.operation));
  }

  get missing(): readonly string[] {
    const { journal, expected } = this.state;
    return expected.filter(
      (operation) => !journal.some((entry) => counts(entry) && entry.operation === operation),
    );
  }
}
