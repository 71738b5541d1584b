import type { Context } from "./context.ts";
import { type ConfiguredResponse, header } from "./message.ts";
import type { Operation, Service } from "./operation-names.ts";
import type { Random } from "./random.ts";
import type { PreparedResponse } from "./response.ts";

/** A request as the `when` of a fault sees it. */
export interface FaultRequest {
  /** The API that is asked. */
  readonly api: Service;
  /** Undefined when nothing is served under that method and path. */
  readonly operation: Operation | undefined;
  /** Name of the database whose keys the request names, if it is known. */
  readonly database: string | undefined;
  /** In upper case. */
  readonly method: string;
  /** Path without query string and without the base URL's own prefix. */
  readonly path: string;
  /** Query string without its `?`. */
  readonly query: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent; empty when there is none. */
  readonly body: Buffer;
}

/** An arrived request as faults see it: nothing of it has been checked. */
export function faultRequest(
  { request: { method, path, query, body, headers } }: Context,
  known: Pick<FaultRequest, "api" | "operation" | "database">,
): FaultRequest {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const joined = [...names].map((name) => [name, header({ headers }, name) ?? ""]);
  return { ...known, method, path, query, headers: Object.fromEntries(joined), body };
}

/** A failure in the words of the API that the request was sent to: its envelope, its headers, its encoding. */
export interface ApiFailure {
  readonly resultCode: string;
  readonly status: number;
}

/** A fault: which requests it matches, and what it does to them. */
export interface FaultRule {
  /** The option or method that it came from. */
  readonly origin: string;
  /** What it does, in words. */
  readonly effect: string;
  readonly matches: (request: FaultRequest) => boolean;
  /** What the client gets; absent: the emulator's own answer. */
  readonly response?: ConfiguredResponse | ApiFailure | PreparedResponse;
  readonly resetConnection?: boolean;
  /** Executes the request although its answer is another. */
  readonly executed?: boolean;
  readonly delaySeconds?: number;
  /** How often it is applied at most. */
  readonly times?: number;
  /** From 0 to 1. */
  readonly probability?: number;
}

/** A rule in use. */
export interface ActiveFault {
  readonly rule: FaultRule;
  /** How many requests it was applied to. */
  applied: number;
}

const PROBABILITY_STEPS = 2 ** 32;

/** The faults of an emulator: those of its options, which stay, and those that a test adds and removes. */
export class Faults {
  private added: readonly ActiveFault[] = [];
  private readonly lasting: readonly ActiveFault[];

  /** @param outer - whose faults apply too, after those that are added here. */
  constructor(
    lasting: readonly FaultRule[],
    private readonly outer?: Faults,
  ) {
    this.lasting = lasting.map((rule) => ({ rule, applied: 0 }));
  }

  get areNone(): boolean {
    return this.added.length === 0 && this.lasting.length === 0 && (this.outer?.areNone ?? true);
  }

  add(rule: FaultRule): ActiveFault {
    const fault = { rule, applied: 0 };
    this.added = [fault, ...this.added];
    return fault;
  }

  remove(fault: ActiveFault): void {
    this.added = this.added.filter((other) => other !== fault);
  }

  /** Removes all that were added here. */
  clear(): void {
    this.added = [];
  }

  /** The newest fault that is to be applied to a request, counted as applied. */
  choose(request: FaultRequest, random: Random): FaultRule | undefined {
    for (const fault of this.all) {
      const { times = Number.POSITIVE_INFINITY, probability = 1, matches } = fault.rule;
      if (fault.applied >= times || !matches(request)) continue;
      // Nothing is drawn for a fault that always applies: the ids of a seeded mock stay what they are.
      if (probability < 1 && random.integer(PROBABILITY_STEPS) >= probability * PROBABILITY_STEPS) continue;
      fault.applied += 1;
      return fault.rule;
    }
    return undefined;
  }

  private get all(): readonly ActiveFault[] {
    return [...this.added, ...this.lasting, ...(this.outer?.all ?? [])];
  }
}
