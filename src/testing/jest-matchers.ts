import { expect } from "@jest/globals";
import type { Operation, RequestFilter } from "../index.ts";
import { matchers, type ReceivedLike } from "./received.ts";

interface MockMatchers<R> {
  /**
   * The mock received requests of this operation, or like this filter, whether it served or refused them.
   *
   * @example
   * expect(recognition.mock).toHaveReceived("addTarget", { times: 1 });
   * expect(recognition.mock).not.toHaveReceived({ operation: "query", refused: true });
   * expect(recognition.mock).toHaveReceived("query", { fields: { max_num_results: "5" } });
   */
  toHaveReceived(wanted: Operation | RequestFilter, like?: ReceivedLike): R;
  /** The mock served every request that it received. */
  toHaveRefusedNothing(): R;
}

// For `expect` of `@jest/globals`, and for the global one of `@types/jest`.
declare module "expect" {
  interface Matchers<R, T> extends MockMatchers<R> {}
}
declare global {
  namespace jest {
    interface Matchers<R, T> extends MockMatchers<R> {}
  }
}

expect.extend(matchers);
