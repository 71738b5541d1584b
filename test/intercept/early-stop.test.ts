import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { combinations } from "../support/combinations.ts";
import { useBundle } from "../support/use-bundle.ts";

const program = useBundle("test/intercept/early-stop.ts");
const run = promisify(execFile);
const TRAP = `--import=${new URL("../support/network-trap.mjs", import.meta.url)}`;
/** Until the mock stops. The first request of undici is sent after some milliseconds. */
const DELAYS = ["none", "microtask", "tick", "immediate", "2 immediates", "1 ms", "5 ms", "20 ms"];

const CLIENTS = ["fetch", "node:https", "axios", "axios (fetch)", "got", "undici"];

test.each(combinations(["nock", "sockets"], CLIENTS))(
  'with intercept: "%s", the first request of a process is answered or refused when the mock stops soon after it: %s',
  async (mode, client) => {
    const outcomes = DELAYS.map(async (delay) => {
      const { stdout } = await run(process.execPath, [TRAP, program(), client, mode, delay]);
      return stdout.replace(/^(401|.* the mock was stopped[ ;].*)\n$/, "settled");
    });
    expect(await Promise.all(outcomes)).toEqual(DELAYS.map(() => "settled"));
  },
);
