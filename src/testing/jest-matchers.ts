import { expect } from "@jest/globals";
import type { Operation, RequestFilter } from "../index.ts";
import { matchers, type ReceivedLike } from "./received.ts";

interface MockMatchers<R> {
  /**
   * Asserts that the mock received requests of an operation, or requests that match a filter, whether served or refused.
   *
   * @example
   * expect(recognition.mock).toHaveReceived("addTarget", { times: 1 });
   * expect(recognition.mock).not.toHaveReceived({ operation: "query", refused: true });
   * expect(recognition.mock).toHaveReceived("query", { fields: { max_num_results: "5" } });
   */
  toHaveReceived(wanted: Operation | RequestFilter, like?: ReceivedLike): R;
  /** Asserts that the mock refused no request except expected ones. */
  toHaveRefusedNothing(): R;
}

// For `expect` from `@jest/globals`, and for the global `expect` of `@types/jest`.
declare module "expect" {
  interface Matchers<R, T> extends MockMatchers<R> {}
}
declare global {
  namespace jest {
    interface Matchers<R, T> extends MockMatchers<R> {}
  }
}

expect.extend(matchers);
