import { AsyncLocalStorage } from "node:async_hooks";

interface Run<State> {
  readonly state: State;
  readonly within: Run<State> | undefined;
}

/**
 * Which state a piece of code sees: the one that all share, or that of the run it belongs to. Code belongs to the run in
 * whose asynchronous context it is executed. Code outside of any, such as a server in the same process that a test talks
 * to, belongs to the innermost run if there is only one; it cannot tell one of several from the other.
 */
export class Isolation<State> {
  private readonly context = new AsyncLocalStorage<Run<State>>();
  private readonly running = new Set<Run<State>>();

  constructor(private readonly shared: State) {}

  get current(): State {
    return (this.context.getStore() ?? this.onlyInnermost)?.state ?? this.shared;
  }

  /**
   * Calls a function that sees another state, as does all that it starts, until what it returns is settled.
   *
   * @param stateWithin - makes that state of the one it is within. That is decided by asynchronous context alone: of runs
   * that are started side by side, the second is not within the first.
   */
  async run<Result>(stateWithin: (outer: State) => State, call: () => Result): Promise<Awaited<Result>> {
    const within = this.context.getStore();
    const run: Run<State> = { state: stateWithin(within?.state ?? this.shared), within };
    this.running.add(run);
    try {
      return await this.context.run(run, call);
    } finally {
      this.running.delete(run);
    }
  }

  private get onlyInnermost(): Run<State> | undefined {
    if (this.running.size === 0) return undefined;
    const outer = new Set([...this.running].map(({ within }) => within));
    const innermost = [...this.running].filter((run) => !outer.has(run));
    return innermost.length === 1 ? innermost[0] : undefined;
  }
}
