import { isProcessed } from "../schema/processing.ts";
import type { Target } from "../schema/target.ts";

/** How many targets there are of each kind that `GET /summary` tells apart. */
export interface TargetCounts {
  /** Successfully processed, with the active flag. */
  readonly active: number;
  /** Successfully processed, without the active flag. */
  readonly inactive: number;
  readonly failed: number;
  readonly processing: number;
}

export const NO_TARGETS: TargetCounts = { active: 0, inactive: 0, failed: 0, processing: 0 };

/** Counts targets, each once: counting again looks only at those that were new, changed or still processing. */
export class TargetCounter {
  private readonly counts = { active: 0, inactive: 0, failed: 0 };
  /** Targets that are not among the counts yet; undefined: none is. */
  private uncounted: Map<string, Target> | undefined;
  /** All counted targets are processed from this moment on. */
  private countedAt = Number.NEGATIVE_INFINITY;

  /** @param targets - what to count. Every change of it is told to {@link replace}. */
  constructor(private readonly targets: ReadonlyMap<string, Target>) {}

  /** Notes that a target became another one, is new, or went. */
  replace(before: Target | undefined, after: Target | undefined): void {
    if (this.uncounted === undefined) return;
    if (before !== undefined && !this.uncounted.delete(before.targetId)) this.counts[kindOf(before)] -= 1;
    if (after !== undefined) this.uncounted.set(after.targetId, after);
  }

  at(now: number): TargetCounts {
    // A clock that went back: targets that were processed may be processing again.
    if (now < this.countedAt) this.uncounted = undefined;
    if (this.uncounted === undefined) {
      Object.assign(this.counts, { active: 0, inactive: 0, failed: 0 });
      this.uncounted = new Map(this.targets);
    }
    for (const [id, target] of this.uncounted) {
      if (!isProcessed(target, now)) continue;
      this.uncounted.delete(id);
      this.counts[kindOf(target)] += 1;
      this.countedAt = now;
    }
    return { ...this.counts, processing: this.uncounted.size };
  }
}

const kindOf = ({ outcome, activeFlag }: Target): Exclude<keyof TargetCounts, "processing"> =>
  outcome === "failed" ? "failed" : activeFlag ? "active" : "inactive";
