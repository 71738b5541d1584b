import { AsyncLocalStorage } from "node:async_hooks";

/** An asynchronous context in which an isolated call of any mock runs. */
interface Scope {
  readonly outer: Scope | undefined;
}

/**
 * One for all mocks: once used, each one of Node 20 slows down every asynchronous operation of the process for good.
 */
const scopes = new AsyncLocalStorage<Scope>();

/** One running call of {@link Isolation.run}. */
interface IsolatedCall<State> {
  readonly state: State;
  readonly outer: IsolatedCall<State> | undefined;
}

/**
 * Decides which state code sees: that of the isolated call in whose asynchronous context it runs, and the shared state outside
 * of any call.
 */
export class Isolation<State> {
  private readonly calls = new WeakMap<Scope, IsolatedCall<State>>();
  private readonly running = new Set<IsolatedCall<State>>();

  constructor(private readonly shared: State) {}

  get current(): State {
    return this.callInContext?.state ?? this.shared;
  }

  /**
   * The state for a request. One from outside of any call, such as a server in the same process that a test talks to, sees that
   * of the innermost call if there is only one, because nothing says which of several calls it serves.
   */
  get ofRequest(): State {
    return (this.callInContext ?? this.onlyInnermost)?.state ?? this.shared;
  }

  /**
   * Calls a function in a context that sees a new state, until the function's result is settled.
   *
   * @param fork - makes the new state from the surrounding one. Only asynchronous context decides which one surrounds it: of
   * two calls started side by side, the second is not nested in the first.
   * @param end - called with the new state at the end.
   */
  async run<Result>(
    fork: (outer: State) => State,
    call: () => Result,
    end: (state: State) => void,
  ): Promise<Awaited<Result>> {
    const outer = this.callInContext;
    const isolated: IsolatedCall<State> = { state: fork(outer?.state ?? this.shared), outer };
    const scope: Scope = { outer: scopes.getStore() };
    this.calls.set(scope, isolated);
    this.running.add(isolated);
    try {
      return await scopes.run(scope, call);
    } finally {
      this.running.delete(isolated);
      end(isolated.state);
    }
  }

  private get callInContext(): IsolatedCall<State> | undefined {
    for (let scope = scopes.getStore(); scope !== undefined; scope = scope.outer) {
      const call = this.calls.get(scope);
      if (call !== undefined) return call;
    }
    return undefined;
  }

  private get onlyInnermost(): IsolatedCall<State> | undefined {
    if (this.running.size === 0) return undefined;
    const surrounding = new Set([...this.running].map(({ outer }) => outer));
    const innermost = [...this.running].filter((isolated) => !surrounding.has(isolated));
    return innermost.length === 1 ? innermost[0] : undefined;
  }
}
