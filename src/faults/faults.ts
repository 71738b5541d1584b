import type { Random } from "../runtime/random.ts";
import type { FaultRequest, FaultRule } from "./fault-rule.ts";

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
      const { times = Number.POSITIVE_INFINITY, probability = 1, concerns } = fault.rule;
      if (fault.applied >= times || !concerns(request)) continue;
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
