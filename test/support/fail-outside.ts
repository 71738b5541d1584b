import { afterEach, expect } from "vitest";
import "./equal-bytes.ts";
import { attempts } from "./network-trap.mjs";

afterEach(() => {
  expect(attempts.splice(0), "hosts outside that the test tried to reach").toEqual([]);
});
