import { FaultDelays } from "../core/emulator/fault-delays.ts";
import { effectOn, type FaultEffect, Faults, type SharedFaults } from "../core/emulator/faults.ts";
import type { Random } from "../core/emulator/random.ts";
import { realTimers } from "../core/general/real-timers.ts";
import type { AddedFault, Fault, FaultRequest } from "../core/schema/fault.ts";
import type { RedisBacking } from "./redis-backing.ts";

/** How often a server that delays responses looks for faults that others deleted. */
const POLLING_MILLISECONDS = 200;

/** Faults that servers share in Redis. Each delays the responses of its own clients. */
export class RedisFaults implements SharedFaults {
  private readonly delays = new FaultDelays();
  private polling: NodeJS.Timeout | undefined;

  constructor(private readonly backing: RedisBacking) {}

  get isEmpty(): boolean {
    return !this.backing.hasFaults;
  }

  async choose(request: FaultRequest, random: Random): Promise<FaultEffect | undefined> {
    const [picked, ends] = await this.change(async (faults) => faults.pick(request, random));
    if (picked === undefined) return undefined;
    const effect = effectOn(picked, this.delays, ends);
    if (effect.delay !== undefined) this.poll();
    return effect;
  }

  async list(): Promise<readonly AddedFault[]> {
    return (await this.change((faults) => faults.list()))[0];
  }

  async create(fault: Fault): Promise<AddedFault> {
    return (await this.change((faults) => faults.create(fault)))[0];
  }

  async delete(id: string): Promise<boolean> {
    const [wasFound] = await this.change((faults) => faults.delete(id), id);
    this.delays.endOf(id);
    return wasFound;
  }

  async clear(): Promise<void> {
    const [, ends] = await this.change((faults) => faults.clear(), ALL);
    this.endBefore(ends);
  }

  /** Repeats until no other server changed the faults meanwhile. `ended`: the faults whose delays end. */
  private async change<T>(
    act: (faults: Faults) => Promise<T>,
    ended = "",
  ): Promise<readonly [result: T, ends: number]> {
    for (;;) {
      const before = await this.backing.readFaults();
      const faults = Faults.fromText(before);
      const result = await act(faults);
      const after = faults.toText();
      if (after === before && ended === "") return [result, 0];
      const ends = await this.backing.writeFaults(before, after, ended);
      if (ends !== undefined) return [result, ends];
    }
  }

  private poll(): void {
    this.polling ??= realTimers.setTimeout(() => {
      this.endDeleted()
        // Redis is unavailable; later, it tells again.
        .catch(() => {})
        .then(() => {
          this.polling = undefined;
          if (this.delays.list.length > 0) this.poll();
        });
    }, POLLING_MILLISECONDS);
    this.polling.unref();
  }

  private async endDeleted(): Promise<void> {
    const ids = [...new Set(this.delays.list.map(({ id }) => id))];
    const { ends, ended } = await this.backing.readEndedFaults(ids);
    for (const id of ended) this.delays.endOf(id);
    this.endBefore(ends);
  }

  private endBefore(ends: number): void {
    for (const delay of this.delays.list) if (delay.generation < ends) delay.end();
  }
}

/** Stands for all faults. */
const ALL = "*";
