import { decisionOf } from "../general/user-function.ts";
import { type AnyCause, cause } from "../schema/causes/causes.ts";
import {
  type AddedFault,
  addedFault,
  type Fault,
  type FaultRequest,
  faultFromJson,
  faultToJson,
  nameOfDatabase,
} from "../schema/fault.ts";
import { type ConfiguredResponse, statusOf } from "../schema/fault-response.ts";
import { PAGE_HEADER } from "../schema/protocol.ts";
import type { Context } from "./context.ts";
import { type FaultDelay, FaultDelays } from "./fault-delays.ts";
import { headersByName } from "./message.ts";
import { type Random, systemRandom } from "./random.ts";
import type { PreparedResponse } from "./response.ts";

export function faultRequest(
  { request }: Context,
  known: Pick<FaultRequest, "api" | "operation" | "database">,
): FaultRequest {
  const { method, path, query, body } = request;
  return { ...known, method, path, query, headers: headersByName(request), body };
}

/** A failure in the form of the API that the request was sent to: its envelope, headers and encoding. */
export interface ApiFailure {
  readonly resultCode: string;
  readonly status: number;
}

interface RuleEffect {
  /** The option or method that configured it. */
  readonly configuredBy: string;
  readonly effect: AnyCause;
  /** Default: the emulator's own response. */
  readonly response?: ConfiguredResponse | ApiFailure | PreparedResponse;
  readonly resetConnection?: boolean;
  /** Executes the request although the client gets another response. */
  readonly executed?: boolean;
}

/** What a fault does to a request. */
export interface FaultEffect extends RuleEffect {
  /** To be ended when it is over. */
  readonly delay?: FaultDelay;
}

/** A fault: which requests it matches, and what it does to them. */
export interface FaultRule extends RuleEffect {
  readonly delaySeconds?: number;
  readonly matches: (request: FaultRequest) => boolean;
  /** How often it is applied before it is removed. Default: no limit. */
  readonly times?: number;
  /** From 0 to 1. */
  readonly probability?: number;
}

interface ActiveRule {
  readonly rule: FaultRule;
  applied: number;
}

/** A fault, and where a test added it. */
export interface PlacedFault {
  readonly fault: Fault;
  /** The line of the program that added it, as `file:line`; undefined if a request added it. */
  readonly addedAt?: string | undefined;
}

export interface ActiveFault extends ActiveRule, PlacedFault {
  readonly id: string;
}

/** Faults that all servers of an emulator share. */
export interface SharedFaults {
  /** Whether no request can match any fault. */
  readonly isEmpty: boolean;
  /** Chooses the newest fault that applies to a request, and counts it as applied. */
  choose(request: FaultRequest, random: Random): Promise<FaultEffect | undefined>;
  list(): Promise<readonly AddedFault[]>;
  create(fault: Fault): Promise<AddedFault>;
  /** Ends the delays of the fault, also if it was used up. Returns false if there is no such fault. */
  delete(id: string): Promise<boolean>;
  /** Ends the delays of all faults. */
  clear(): Promise<void>;
}

const MOST_REMEMBERED = 20;
const PROBABILITY_STEPS = 2 ** 32;

/** The faults of an emulator: permanent ones from its options, and those that a test adds and removes. */
export class Faults implements SharedFaults {
  private added: readonly ActiveFault[] = [];
  private permanent: readonly ActiveRule[];
  /** Only in copies: how often used-up faults were applied, by id. Otherwise the fault's handle holds the count. */
  private usedUp: Map<string, number> | undefined;
  /** The latest added faults, removed ones included. */
  private latest: readonly ActiveFault[] = [];
  private readonly delays = new FaultDelays();
  /** Faults that were applied, in copies too: those of a test that applies its faults in isolated calls are not unused. */
  private readonly used: WeakSet<FaultRule>;

  /** @param original - only of a copy. */
  constructor(
    permanent: readonly FaultRule[],
    private readonly original?: Faults,
  ) {
    this.permanent = permanent.map((rule) => ({ rule, applied: 0 }));
    this.used = original?.used ?? new WeakSet();
  }

  /** Returns an independent copy, until {@link end}. */
  fork(): Faults {
    const fork = new Faults([], this);
    fork.added = this.added.map((active) => ({ ...active }));
    fork.permanent = this.permanent.map((active) => ({ ...active }));
    fork.usedUp = new Map(this.usedUp);
    return fork;
  }

  /** Deletes a copy: delays of faults that the original has go on. */
  end(): void {
    const { original } = this;
    if (original === undefined) this.delays.endAll();
    else this.delays.leaveTo(original.delays, (id) => original.find(id) !== undefined);
  }

  get isEmpty(): boolean {
    return this.added.length === 0 && this.permanent.length === 0;
  }

  add(fault: Fault, addedAt?: string): ActiveFault {
    // Not from the seed, so that the other ids of a seeded mock stay the same.
    const active = { id: systemRandom.hex(8), fault, addedAt, rule: faultRule(fault, addedAt), applied: 0 };
    this.added = [active, ...this.added];
    this.latest = [...this.latest.slice(1 - MOST_REMEMBERED), active];
    return active;
  }

  /** The latest faults that were never applied, also if they were removed since. */
  get unused(): readonly PlacedFault[] {
    return this.latest.filter(({ rule }) => !this.used.has(rule));
  }

  /** How often a fault was applied, if it is in use, or was used up in this copy. */
  timesApplied(id: string): number | undefined {
    return this.find(id)?.applied ?? this.usedUp?.get(id);
  }

  private find(id: string): ActiveFault | undefined {
    return this.added.find((fault) => fault.id === id);
  }

  async create(fault: Fault): Promise<AddedFault> {
    return shown(this.add(fault));
  }

  async list(): Promise<readonly AddedFault[]> {
    return this.added.map(shown);
  }

  async delete(id: string): Promise<boolean> {
    this.delays.endOf(id);
    return this.remove(id);
  }

  private remove(id: string): boolean {
    const found = this.find(id);
    this.added = this.added.filter((fault) => fault !== found);
    return found !== undefined;
  }

  async clear(): Promise<void> {
    this.delays.endAll();
    this.added = [];
    this.latest = [];
  }

  /** The faults that were added, without their functions; undefined when there are none. */
  toText(): string | undefined {
    if (this.added.length === 0) return undefined;
    const faults = this.added.map(({ id, fault, applied }) => ({ id, applied, fault: faultToJson(fault) }));
    return JSON.stringify(faults);
  }

  /** Reads what {@link toText} returned. */
  static fromText(text: string | undefined): Faults {
    const read = new Faults([]);
    if (text === undefined) return read;
    const faults: readonly { id: string; applied: number; fault: unknown }[] = JSON.parse(text);
    read.added = faults.map(({ id, applied, fault: json }) => {
      const fault = faultFromJson(json);
      return { id, applied, fault, rule: faultRule(fault) };
    });
    return read;
  }

  async choose(request: FaultRequest, random: Random): Promise<FaultEffect | undefined> {
    const picked = this.pick(request, random);
    return picked && effectOn(picked, this.delays);
  }

  /** As {@link choose}, without the beginning of a delay. */
  pick(request: FaultRequest, random: Random): PickedFault | undefined {
    if (ALWAYS_SERVED.some((name) => name === request.operation)) return undefined;
    if (PAGE_HEADER in request.headers) return undefined;
    const isChosen = ({ rule }: ActiveRule) => applies(rule, request, random);
    const fault = this.added.find(isChosen);
    const chosen = fault ?? this.permanent.find(isChosen);
    if (chosen === undefined) return undefined;
    chosen.applied += 1;
    this.used.add(chosen.rule);
    if (fault !== undefined && fault.applied === fault.rule.times) {
      this.remove(fault.id);
      this.usedUp?.set(fault.id, fault.applied);
    }
    return { rule: chosen.rule, id: fault?.id };
  }
}

interface PickedFault {
  readonly rule: FaultRule;
  /** Undefined: its options define it. */
  readonly id: string | undefined;
}

/** @param generation - how often all faults were deleted so far, if other processes may do so. */
export function effectOn({ rule, id }: PickedFault, delays: FaultDelays, generation?: number): FaultEffect {
  const { delaySeconds = 0, ...effect } = rule;
  if (id === undefined || delaySeconds === 0) return effect;
  return { ...effect, delay: delays.begin(id, delaySeconds, generation) };
}

/** No fault applies to these requests, so that every fault can be removed; nor to those of the page, which shows the faults. */
const ALWAYS_SERVED = ["manager.listFaults", "manager.addFault", "manager.deleteFault", "manager.reset"];

/** Whether a rule applies to a request. One that was applied as often as it may be is removed. */
function applies({ probability = 1, matches }: FaultRule, request: FaultRequest, random: Random): boolean {
  if (!matches(request)) return false;
  // A fault that always applies draws no random number, so that the ids of a seeded mock stay the same.
  return probability === 1 || random.integer(PROBABILITY_STEPS) < probability * PROBABILITY_STEPS;
}

const shown = ({ id, fault, applied }: ActiveFault): AddedFault => addedFault(id, fault, applied);

export function faultRule(fault: Fault, addedAt?: string): FaultRule {
  const { response, resetConnection = false, executed = false, delaySeconds = 0, times, probability } = fault;
  return {
    configuredBy: "addFault",
    matches: matcherOf(fault, addedAt),
    effect: effectOf(fault, addedAt),
    resetConnection,
    executed,
    delaySeconds,
    ...(response !== undefined && { response: givenResponse(response) }),
    ...(times !== undefined && { times }),
    ...(probability !== undefined && { probability }),
  };
}

function matcherOf({ api, operation, database, when }: Fault, addedAt?: string): FaultRule["matches"] {
  const operations: readonly unknown[] | undefined = typeof operation === "string" ? [operation] : operation;
  const name = nameOfDatabase(database);
  const source = `the \`when\` of ${addedAt === undefined ? "a fault" : `the fault that was added at ${addedAt}`}`;
  return (request) =>
    (operations?.includes(request.operation) ?? (api !== undefined || request.api !== "manager")) &&
    (api === undefined || request.api === api) &&
    (name === undefined || request.database === name) &&
    (when === undefined || decisionOf(source, () => when(request)));
}

const givenResponse = (given: NonNullable<Fault["response"]>): NonNullable<FaultEffect["response"]> =>
  "resultCode" in given ? { resultCode: given.resultCode, status: statusOf(given) } : given;

function effectOf(
  { response, resetConnection, executed, delaySeconds, times }: Fault,
  addedAt: string | undefined,
): AnyCause {
  const answer =
    response !== undefined && "resultCode" in response
      ? `${statusOf(response)} ${response.resultCode}`
      : response?.status?.toString();
  const code =
    answer !== undefined ? "fault.answered" : resetConnection === true ? "fault.reset" : "fault.delayed";
  return cause(code, {
    ...(answer !== undefined && { answer }),
    ...(resetConnection === true && { isReset: true }),
    ...(delaySeconds !== undefined && { seconds: delaySeconds }),
    ...(executed === true && { isExecuted: true }),
    ...(addedAt !== undefined && { place: addedAt }),
    ...(times !== undefined && { times }),
  });
}
