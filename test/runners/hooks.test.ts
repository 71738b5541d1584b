import { mockHooks, outcomeOf } from "mock-cloud-reco/assert";
import { describe, expect, it } from "vitest";

const summary = () => fetch("https://vws.vuforia.com/summary");
const refusal =
  /\n\nThe mock refused 1 request:\n#1 .* GET \/summary → 401 .*\n(?: {2}.*\n)? {3}\w+: send an Authorization header: /;

describe("hooks for any runner", () => {
  it("give each test its own mock and database", async () => {
    const recognition = mockHooks();
    expect(() => recognition.mock).toThrow("the mock exists only while a test runs: ");
    recognition.beforeEach();
    const first = recognition.mock;
    expect(recognition.database.targets).toEqual([]);
    recognition.afterEach();
    recognition.beforeEach();
    expect(recognition.mock).not.toBe(first);
    const error = new Error("own");
    await summary();
    recognition.afterEach({ state: "failed", err: error });
    expect(error.message).toMatch(refusal);
    expect(() => recognition.database).toThrow("the mock exists only while a test runs: ");
  });

  it("have no named parameters, which some runners treat as callbacks", () => {
    const { beforeEach, afterEach } = mockHooks();
    expect([beforeEach.length, afterEach.length]).toEqual([0, 0]);
  });

  it.each([
    ["Mocha", { titlePath: () => ["block", "test"], file: "/a.js" }, "block > test", "/a.js"],
    ["node:test", { name: "test", fullName: "block > test", filePath: "/a.js" }, "block > test", "/a.js"],
    ["node:test of Node 20", { name: "test" }, "test", undefined],
    ["AVA", { title: "afterEach.always hook for test" }, "test", undefined],
    ["Playwright", { title: "test", titlePath: ["", "a.js", "test"], file: "/a.js" }, "a.js > test", "/a.js"],
  ])("read the test's name and file from %s", (_runner, told, name, file) => {
    expect(outcomeOf(told)).toMatchObject({ name, file });
  });

  const own = new Error("own");
  it.each([
    ["Mocha, passed", { state: "passed" }, { failed: false }],
    ["Mocha, failed", { state: "failed", err: own }, { failed: true, error: own }],
    ["node:test, passed", { passed: true, error: null }, { failed: false }],
    [
      "node:test, failed",
      { passed: false, error: new Error("wrapped", { cause: own }) },
      { failed: true, error: own },
    ],
    ["AVA, passed", { passed: true, log: () => {} }, { failed: false }],
    ["AVA, failed", { passed: false, log: () => {} }, { failed: true, print: expect.any(Function) }],
    ["Playwright, passed", { status: "passed", expectedStatus: "passed" }, { failed: false }],
    [
      "Playwright, failed",
      { status: "failed", expectedStatus: "passed", error: own },
      { failed: true, error: own },
    ],
    ["nothing", undefined, { failed: false }],
  ])("understand %s", (_runner, told, outcome) => {
    expect(outcomeOf(told)).toMatchObject(outcome);
  });
});
