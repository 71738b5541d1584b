/** The delay of one response by a fault, from the choice of the fault until the response is sent. */
export class FaultDelay {
  readonly #ending = new AbortController();

  /**
   * @param id - of the fault.
   * @param generation - how often all faults had been deleted before.
   */
  constructor(
    readonly id: string,
    readonly seconds: number,
    readonly generation: number,
    private running: Set<FaultDelay>,
  ) {
    running.add(this);
  }

  /** Aborted when the delay ends. */
  get ended(): AbortSignal {
    return this.#ending.signal;
  }

  end(): void {
    this.running.delete(this);
    this.#ending.abort();
  }

  moveTo(running: Set<FaultDelay>): void {
    this.running.delete(this);
    this.running = running.add(this);
  }
}

/** The delays that faults make: deleting a fault ends its own. */
export class FaultDelays {
  private readonly running = new Set<FaultDelay>();

  begin(id: string, seconds: number, generation = 0): FaultDelay {
    return new FaultDelay(id, seconds, generation, this.running);
  }

  get list(): readonly FaultDelay[] {
    return [...this.running];
  }

  endOf(id: string): void {
    for (const delay of this.list) if (delay.id === id) delay.end();
  }

  endAll(): void {
    for (const delay of this.list) delay.end();
  }

  /** Leaves the delays of some faults to others, and ends the rest. */
  leaveTo(others: FaultDelays, isKept: (id: string) => boolean): void {
    for (const delay of this.list) {
      if (isKept(delay.id)) delay.moveTo(others.running);
      else delay.end();
    }
  }
}
