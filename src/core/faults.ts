import type { Context } from "./context.ts";
import { type ConfiguredResponse, header } from "./message.ts";
import type { Operation, Service } from "./operation-names.ts";
import type { Random } from "./random.ts";
import type { PreparedResponse } from "./response.ts";

/** A request as the `when` of a fault sees it. */
export interface FaultRequest {
  /** The API that the request is sent to. */
  readonly api: Service;
  /** Undefined when no operation has that method and path. */
  readonly operation: Operation | undefined;
  /** Name of the database whose keys the request uses, if known. */
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

/** A request as faults see it, before any check. */
export function faultRequest(
  { request: { method, path, query, body, headers } }: Context,
  known: Pick<FaultRequest, "api" | "operation" | "database">,
): FaultRequest {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const joined = [...names].map((name) => [name, header({ headers }, name) ?? ""]);
  return { ...known, method, path, query, headers: Object.fromEntries(joined), body };
}

/** A failure in the form of the API that the request was sent to: its envelope, headers and encoding. */
export interface ApiFailure {
  readonly resultCode: string;
  readonly status: number;
}

/** A fault: which requests it matches, and what it does to them. */
export interface FaultRule {
  /** The option or method that configured it. */
  readonly origin: string;
  /** What it does, in words. */
  readonly effect: string;
  readonly matches: (request: FaultRequest) => boolean;
  /** What the client gets. Default: the emulator's own response. */
  readonly response?: ConfiguredResponse | ApiFailure | PreparedResponse;
  readonly resetConnection?: boolean;
  /** Executes the request although the client gets another response. */
  readonly executed?: boolean;
  readonly delaySeconds?: number;
  /** How often it is applied at most. Default: no limit. */
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

/** The faults of an emulator: permanent ones from its options, and those that a test adds and removes. */
export class Faults {
  private added: readonly ActiveFault[] = [];
  private readonly permanent: readonly ActiveFault[];

  /** @param outer - its faults apply too, after all of these. */
  constructor(
    permanent: readonly FaultRule[],
    private readonly outer?: Faults,
  ) {
    this.permanent = permanent.map((rule) => ({ rule, applied: 0 }));
  }

  get isEmpty(): boolean {
    return this.added.length === 0 && this.permanent.length === 0 && (this.outer?.isEmpty ?? true);
  }

  add(rule: FaultRule): ActiveFault {
    const fault = { rule, applied: 0 };
    this.added = [fault, ...this.added];
    return fault;
  }

  remove(fault: ActiveFault): void {
    this.added = this.added.filter((other) => other !== fault);
  }

  /** Removes all faults that were added with {@link add}. */
  clear(): void {
    this.added = [];
  }

  /** Chooses the newest fault that applies to a request, and counts it as applied. */
  choose(request: FaultRequest, random: Random): FaultRule | undefined {
    for (const fault of this.all) {
      const { times = Number.POSITIVE_INFINITY, probability = 1, matches } = fault.rule;
      if (fault.applied >= times || !matches(request)) continue;
      // A fault that always applies draws no random number, so that the ids of a seeded mock stay the same.
      if (probability < 1 && random.integer(PROBABILITY_STEPS) >= probability * PROBABILITY_STEPS) continue;
      fault.applied += 1;
      return fault.rule;
    }
    return undefined;
  }

  private get all(): readonly ActiveFault[] {
    return [...this.added, ...this.permanent, ...(this.outer?.all ?? [])];
  }
}
