import { readFileSync } from "node:fs";
import { mockHooks } from "mock-cloud-reco/assert";
import { withMockCloudReco } from "mock-cloud-reco/node-test";
import { describe, expect, it, vi } from "vitest";

const summary = () => fetch("https://vws.vuforia.com/summary");

describe("Cucumber's hooks", () => {
  /** As Cucumber calls a hook, whose world is `this`; it has reported the step's error by then. */
  const scenario = (status: string, message?: string) => ({
    pickle: { name: "adds a poster", uri: "features/posters.feature" },
    result: { status, ...(message !== undefined && { message }) },
  });
  const ended = async (status: string, message?: string) => {
    const logged: string[] = [];
    const recognition = mockHooks();
    recognition.beforeEach();
    await summary();
    await recognition.afterEach.call(
      { attach: (text: string) => logged.push(text) },
      scenario(status, message),
    );
    return logged;
  };

  it("take no parameters, which Cucumber would take for a callback", () => {
    const { beforeEach, afterEach } = mockHooks();
    expect([beforeEach.length, afterEach.length]).toEqual([0, 0]);
  });

  it("attach the explanation of a failed scenario", async () => {
    expect(await ended("FAILED", "AssertionError: expected 401 to be 200")).toEqual([
      expect.stringMatching(/^The mock refused 1 request:\n#1 .* GET \/summary → 401/),
    ]);
  });

  it.each(["PASSED", "SKIPPED", "UNDEFINED"])("attach nothing to a scenario that is %s", async (status) => {
    expect(await ended(status)).toEqual([]);
  });
});

describe("withMockCloudReco in runners without a context", () => {
  it.each([
    ["no argument, as of uvu or bun:test", undefined],
    ["another object, as of tape or QUnit", { pass: () => {} }],
  ])("explains with %s", async (_what, context) => {
    const error = new Error("expected 401 to be 200");
    const test = withMockCloudReco(async () => {
      await summary();
      throw error;
    });
    await expect(test(context as never)).rejects.toBe(error);
    expect(error.message).toMatch(/^expected 401 to be 200\n\nThe mock refused 1 request:/);
  });

  it("gives errors of the fixture a frame, without which Japa's printer fails", async () => {
    const frame = /^Error: the mock refused 1 request[\s\S]*\n {4}at .*other-runners\.test\.ts:\d+:\d+\)?$/;
    const test = withMockCloudReco({ failOnRefusedRequests: true }, async () => {
      await summary();
    });
    await expect(test(undefined as never)).rejects.toMatchObject({ stack: expect.stringMatching(frame) });
    const recognition = mockHooks({ failOnRefusedRequests: true });
    recognition.beforeEach();
    await summary();
    const end = async () => recognition.afterEach();
    await expect(end()).rejects.toMatchObject({ stack: expect.stringMatching(frame) });
  });

  it("prints what cannot be appended to an error", async () => {
    const print = vi.spyOn(console, "error").mockImplementation(() => {});
    try {
      const test = withMockCloudReco(async () => {
        await summary();
        throw "no error";
      });
      await expect(test(undefined as never)).rejects.toBe("no error");
      expect(print).toHaveBeenCalledWith(expect.stringMatching(/^The mock refused 1 request:/));
    } finally {
      print.mockRestore();
    }
  });
});

it("the guide's table says what explains in which of these runners", () => {
  const guide = readFileSync(new URL("../../examples/runners/README.md", import.meta.url), "utf8");
  const [, table = ""] = /<!-- other runners -->\n\| .*\n\| -.*\n((?:\|.*\n)+)/.exec(guide) ?? [];
  const rows = table
    .trimEnd()
    .split("\n")
    .map((row) => row.split("|").map((cell) => cell.trim()));
  expect(rows.map(([, runner]) => runner)).toEqual([
    "Cucumber",
    "uvu, lab, Japa, `Deno.test`",
    "`bun:test`",
    "tape",
    "QUnit",
    "Jasmine",
    "poku",
    "CodeceptJS",
  ]);
  for (const [, runner, how, what] of rows) {
    expect(how).toContain(runner === "Cucumber" ? "After(recognition.afterEach)" : "withMockCloudReco(");
    expect(what).not.toBe("");
  }
});
