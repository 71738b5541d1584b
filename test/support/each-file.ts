import { setFlagsFromString } from "node:v8";
import { afterEach, expect } from "vitest";
import "./equal-bytes.ts";
import { attempts } from "./network-trap.mjs";

// Most of what tests call is called too seldom to be worth optimizing: a twentieth of their time went there. Later versions of Node
// have no such flag.
if (process.version.startsWith("v20.")) setFlagsFromString("--interrupt-budget=500000");

afterEach(() => {
  expect(attempts.splice(0), "hosts outside that the test tried to reach").toEqual([]);
});
