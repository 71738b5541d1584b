import { expect } from "@jest/globals";
import { type MockMatchers, matchers } from "./received.ts";

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
