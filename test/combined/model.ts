/*
 * What the documentation says, in plain objects, and without any code of the emulator: no images, no signatures, and a clock that
 * moves only when a command moves it.
 */

export const START = Date.UTC(2026, 10, 22, 12);
export const PROCESSING_SECONDS = 2;

export interface Keys {
  readonly server_access_key: string;
  readonly server_secret_key: string;
  readonly client_access_key: string;
  readonly client_secret_key: string;
}

export interface Target {
  readonly id: string;
  readonly image: number;
  /** Of arrival. */
  readonly order: number;
  readonly uploaded: number;
  name: string;
  active: boolean;
  changed: number;
  processed: boolean;
  rated: boolean;
}

export interface Database {
  /** Which one of this name it is. */
  readonly born: number;
  readonly name: string;
  readonly keys: Keys;
  state: string;
  targetQuota: number;
  requestQuota: number;
  /** Requests to the target API in a second; null: no limit. */
  limit: number | null;
  /** When requests were accepted while there was a limit. */
  accepted: number[];
  targets: Target[];
}

/** `answer`: instead of the emulator; `executed`: the same, after it; `delay`: only later. */
export type Effect = "answer" | "executed" | "delay";

export interface Fault {
  readonly key: number;
  /** For the target manager; empty if the fault was added by a method. */
  readonly id: string;
  readonly operation: string;
  readonly database: string | undefined;
  readonly times: number;
  readonly effect: Effect;
  applied: number;
}

export interface Entry {
  readonly operation: string;
  /** By a check. */
  readonly refused: boolean;
  readonly fault: boolean;
  /** By the isolated call that it belonged to. */
  expected: boolean;
}

/** One copy of everything: the shared one, or that of an isolated call. */
export interface State {
  readonly outer: State | undefined;
  now: number;
  databases: Database[];
  faults: Fault[];
  journal: Entry[];
  expected: string[];
}

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

const WINDOW = 1000;

export const counts = ({ refused, fault }: Entry): boolean => refused && !fault;

export class Model {
  state: State = { outer: undefined, now: START, databases: [], faults: [], journal: [], expected: [] };
  readonly snapshots: Database[][] = [];
  /** Databases that a handle was kept of. */
  handles: number[] = [];
  private counter = 0;

  get depth(): number {
    let depth = 0;
    for (let { outer } = this.state; outer !== undefined; outer = outer.outer) depth += 1;
    return depth;
  }

  /** Begins an isolated call, on a copy of everything but the journal. */
  begin(): void {
    const { now, databases, faults, expected } = this.state;
    this.state = { outer: this.state, now, ...structuredClone({ databases, faults, expected }), journal: [] };
  }

  /** Ends it: nothing stays but its requests, and which of them were expected to be refused. */
  end(): void {
    const { outer, journal, expected } = this.state;
    for (const entry of journal) entry.expected ||= expected.includes(entry.operation);
    if (outer !== undefined) this.state = outer;
  }

  next(): number {
    this.counter += 1;
    return this.counter;
  }

  database(name: string): Database | undefined {
    return this.state.databases.find((each) => each.name === name);
  }

  /** Without the expected refusals, which only a test's own mock has. */
  reset(): void {
    Object.assign(this.state, { databases: [], faults: [], journal: [], now: START });
  }

  /** Starts again with nothing but the databases. */
  restart(): void {
    Object.assign(this.state, { faults: [], journal: [], expected: [], now: START });
    this.handles = [];
  }

  status(target: Target): "success" | "processing" {
    const isOver = target.processed || passed(target.changed, PROCESSING_SECONDS, this.state.now);
    return isOver ? "success" : "processing";
  }

  isRated(target: Target): boolean {
    return target.rated || passed(target.uploaded, PROCESSING_SECONDS / 2, this.state.now);
  }

  /** By upload date, then in order of arrival. */
  sorted({ targets }: Database): readonly Target[] {
    return [...targets].sort((one, other) => one.uploaded - other.uploaded || one.order - other.order);
  }

  /** What a query with an image finds. */
  found(database: Database, image: number): readonly Target[] {
    return this.sorted(database).filter(
      (target) =>
        target.image === image && target.active && this.status(target) === "success" && this.isRated(target),
    );
  }

  /** A request arrives: faults, then the checks that concern every request of its API. */
  arrive(operation: string, database: Database): Arrival {
    const fault = this.state.faults.find(
      (each) =>
        each.applied < each.times &&
        each.operation === operation &&
        (each.database === undefined || each.database === database.name),
    );
    if (fault !== undefined) fault.applied += 1;
    if (fault?.effect === "answer") return { fault: fault.effect, refused: undefined, runs: false };
    const refused = this.refuses(operation, database);
    return { fault: fault?.effect, refused, runs: refused === undefined };
  }

  private refuses(operation: string, database: Database): number | undefined {
    const { state, requestQuota } = database;
    // No quota and no limit touches queries, nor a suspended project.
    if (operation === "query") return state === "PROJECT_INACTIVE" ? 403 : undefined;
    if (!this.takesToken(database)) return 429;
    if (requestQuota === 0 || state === "PROJECT_SUSPENDED" || state === "PROJECT_HAS_NO_API_ACCESS")
      return 403;
    const isServed = ["databaseSummary", "listTargets", "getTarget"].includes(operation);
    return state === "PROJECT_INACTIVE" && !isServed ? 403 : undefined;
  }

  private takesToken(database: Database): boolean {
    const { limit } = database;
    if (limit === null) return true;
    const { now } = this.state;
    if (Math.max(...database.accepted) - now > WINDOW) database.accepted = [];
    if (database.accepted.filter((time) => Math.abs(time - now) < WINDOW).length >= limit) return false;
    database.accepted.push(now);
    return true;
  }

  /** Everybody who is outside sees the request, too. */
  record(operation: string, { fault, refused }: Pick<Arrival, "fault" | "refused">): void {
    const entry = { operation, refused: refused !== undefined, fault: fault !== undefined, expected: false };
    for (let state: State | undefined = this.state; state !== undefined; state = state.outer)
      state.journal.push(entry);
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
