import { MockCloudReco } from "mock-cloud-reco";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { unwrapped } from "../support/unwrapped.ts";

type Hook = () => void;

/** Vitest's own state of a running test, as the mock reads it. */
class RunningTest {
  readonly type = "test";
  readonly result: { state: string; errors: Error[] } = { state: "run", errors: [] };
  readonly #failed: Hook[] = [];
  readonly #finished: Hook[] = [];
  readonly context = {
    onTestFailed: (hook: Hook) => void this.#failed.push(hook),
    onTestFinished: (hook: Hook) => void this.#finished.push(hook),
  };

  constructor(readonly name: string) {}

  /** Ends the test. Returns the message of its error. */
  end(error?: Error): string | undefined {
    Object.assign(this.result, {
      state: error === undefined ? "pass" : "fail",
      errors: error ? [error] : [],
    });
    for (const hook of this.#finished) hook();
    if (error !== undefined) for (const hook of this.#failed) hook();
    return error && unwrapped(error.message);
  }
}

describe("a mock that a test never stopped", () => {
  const key = "__vitest_worker__";
  const real: object = Reflect.get(globalThis, key);
  let mock: MockCloudReco | undefined;
  const begin = (name: string): RunningTest => {
    const current = new RunningTest(name);
    Reflect.set(globalThis, key, Object.create(real, { current: { value: current } }));
    return current;
  };
  beforeEach(() => {
    mock = undefined;
  });
  afterEach(() => {
    Reflect.set(globalThis, key, real);
    mock?.stop();
  });
  const asks = async () => (await fetch("https://vws.vuforia.com/summary")).status;

  it("is named in the failing test that it answers, and in no other", async () => {
    const first = begin("adds a poster");
    mock = new MockCloudReco();
    first.end();
    const second = begin("second");
    await asks();
    expect(second.end(new Error("expected 401 to be 200"))).toMatch(
      /^expected 401 to be 200\n\nAn earlier test "adds a poster" made the mock that answered this test's requests at test\/runners\/left-over-mock\.test\.ts:\d+, and never stopped it: make it with `await using`, or call mock\.stop\(\)\.\nThe mock refused 1 request:/,
    );
    const third = begin("third");
    expect(third.end(new Error("expected 1 to be 2"))).toBe("expected 1 to be 2");
  });

  it("is not named in its own test", async () => {
    const own = begin("own");
    mock = new MockCloudReco();
    await asks();
    const said = own.end(new Error("expected 401 to be 200"));
    expect(said).toContain("The mock refused 1 request:");
    expect(said).not.toContain("earlier test");
  });
});

describe("the mocks of one test of Jest", () => {
  const key = Symbol("JEST_STATE_SYMBOL");
  const vitest = "__vitest_worker__";
  const real: object = Reflect.get(globalThis, vitest);
  afterEach(() => {
    Reflect.set(globalThis, vitest, real);
    Reflect.deleteProperty(globalThis, key);
  });

  it("are all told of its error, by one function in place of the list's", async () => {
    const errors: unknown[] = [];
    Reflect.set(globalThis, vitest, Object.create(real, { current: { value: undefined } }));
    Reflect.set(globalThis, key, { currentlyRunningTest: { errors } });
    await using first = new MockCloudReco({ intercept: false });
    const { push } = errors;
    await using second = new MockCloudReco({ intercept: false });
    expect(errors.push).toBe(push);
    await first.fetch("https://vws.vuforia.com/summary");
    await second.fetch("https://vws.vuforia.com/targets");
    const error = new Error("expected 401 to be 200");
    expect(errors.push([error, undefined])).toBe(1);
    expect([...errors]).toEqual([[error, undefined]]);
    for (const path of ["summary", "targets"]) expect(error.message).toContain(`GET /${path} → 401`);
  });
});
