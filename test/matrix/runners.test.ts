import { readFile } from "node:fs/promises";
import { beforeAll, expect, it } from "vitest";
import { copySamples, inConsumer, inModules, runProgram } from "../package/run.ts";

const [major = 0] = process.versions.node.split(".").map(Number);
const node = (...args: readonly string[]) => [process.execPath, ...args] as const;

/** Runs three tests that fail: by `node:assert`, by an own assertion, and by `failOnRefusedRequests`; and how many are explained. */
const RUNNERS: readonly (readonly [
  name: string,
  file: string,
  command: readonly [string, ...string[]],
  explained: readonly string[],
])[] = [
  ["uvu", "uvu.mjs", node("uvu.mjs"), ["assert", "own", "refused"]],
  ["tape", "tape.mjs", node("tape.mjs"), ["assert", "refused"]],
  ["QUnit", "qunit.mjs", node(inModules("qunit/bin/qunit.js"), "qunit.mjs"), ["assert", "refused"]],
  ["Jasmine", "jasmine.mjs", node(inModules("jasmine/bin/jasmine.js"), "jasmine.mjs"), ["assert", "refused"]],
  ["poku", "poku.mjs", node("poku.mjs"), ["refused"]],
  [
    "`bun:test`",
    "bun.test.mjs",
    [inModules(".bin/bun"), "test", "./bun.test.mjs"],
    ["assert", "own", "refused"],
  ],
  [
    "`Deno.test`",
    "deno.mjs",
    [inModules(".bin/deno"), "test", "--no-check", "--allow-all", "deno.mjs"],
    ["assert", "refused"],
  ],
  // It needs Node 24.
  ...(major < 24 ? [] : [["Japa", "japa-tests.mjs", node("japa.mjs"), ["assert", "refused"]] as const]),
];

beforeAll(() => copySamples("runners"));

it.concurrent.each(RUNNERS)(
  "%s explains failures as the guide says",
  async (name, file, command, explained) => {
    const [program, ...args] = command;
    const { code, printed } = await runProgram(program, "runners", args, { NODE_OPTIONS: "" });
    expect(code, printed).not.toBe(0);
    // Each test signs a path of its own.
    const found = ["assert", "own", "refused"].filter((test) =>
      new RegExp(`GET /targets/${test} → 401[\\s\\S]{0,200}signature\\.other-key`).test(printed),
    );
    expect(found, printed).toEqual(explained);
    const guide = await readFile(inConsumer("examples/runners/README.md"), "utf8");
    const row = guide.split("\n").find((line) => line.startsWith("|") && line.split("|")[1]?.includes(name));
    const [, start = ""] = /`([^`]*\()withMockCloudReco\(/.exec(row ?? "") ?? [];
    const called = start.replace('"name"', '"assert"');
    expect(await readFile(inConsumer("runners", file), "utf8")).toContain(`${called}withMockCloudReco(`);
  },
);
