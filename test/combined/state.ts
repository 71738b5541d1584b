/*
 * What the documentation says, in plain objects, and without any code of the emulator: no images, no signatures, and a clock that
 * moves only when a command moves it.
 */

export const START = Date.UTC(2026, 10, 22, 12);
export const PROCESSING_SECONDS = 2;

export interface Keys {
  readonly database_id: string;
  readonly server_access_key: string;
  readonly server_secret_key: string;
  readonly client_access_key: string;
  readonly client_secret_key: string;
}

export interface Target {
  readonly id: string;
  readonly image: number;
  readonly uploaded: number;
  name: string;
  active: boolean;
  changed: number;
  processed: boolean;
  rated: boolean;
  /** Recognitions of this month. */
  recognitions: number;
}

/** The counts of a database's targets at the time of the first request for that file. */
export interface Report {
  readonly file: string;
  readonly counts: readonly (readonly [targetId: string, count: number])[];
  readonly requested: number;
  processed: boolean;
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
  /** Limits of groups of operations: how many requests in how many seconds. */
  groups: Readonly<Record<string, readonly [number, number]>>;
  /** When requests were accepted, by the limit that they counted towards. */
  accepted: Record<string, number[]>;
  targets: Target[];
  reports: Report[];
}

/** `answer`: instead of the emulator; `executed`: the same, after it; `delay`: only later. */
export type Effect = "answer" | "executed" | "delay";

/** A VuMark database with one template. */
export interface Marks {
  readonly name: string;
  readonly keys: Pick<Keys, "server_access_key" | "server_secret_key">;
  readonly template: string;
}

export interface Dataset {
  readonly id: string;
  readonly created: number;
  processed: boolean;
}

export interface Fault {
  readonly key: number;
  /** For the target manager; empty if the fault was added by a method. */
  readonly id: string;
  readonly operation: string;
  readonly database: string | undefined;
  /** 0: it is never applied, as with a probability of 0. */
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
  /** The same for requests that were sent at once, whose order nobody knows. */
  readonly together: number;
}

/** A request whose client waits for its response. */
export interface Flight {
  /** How many changes there had been before it. */
  readonly sent: number;
  /** Where its entry belongs. */
  readonly state: State;
  /** When its response comes. Until it lands, it is not over, and its entry follows. */
  readonly until: "stop" | "time" | "landing";
}

/** One copy of everything: the shared one, or that of an isolated call. */
export interface State {
  readonly outer: State | undefined;
  now: number;
  databases: Database[];
  marks: Marks[];
  datasets: Dataset[];
  /** Whether there is the client of Model Targets. */
  hasClient: boolean;
  faults: Fault[];
  journal: Entry[];
  /** How many changes there had been before its journal was cleared. */
  cleared: number;
  expected: string[];
}
