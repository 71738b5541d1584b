import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { combinations, firstOf } from "../support/combinations.ts";
import { useBundle } from "../support/use-bundle.ts";

const program = useBundle("test/intercept/early-stop.ts");
const run = promisify(execFile);
const TRAP = `--import=${new URL("../support/network-trap.mjs", import.meta.url)}`;
/** Until the mock stops. The first request of undici is sent after some milliseconds: a selection has one before that and one after. */
const DELAYS = firstOf(
  ["none", "5 ms", "immediate", "microtask", "tick", "2 immediates", "1 ms", "20 ms"],
  2,
);

const AT_A_TIME = 3;
const CLIENTS = ["fetch", "node:https", "axios", "axios (fetch)", "got", "undici"];

test.each(combinations(["nock", "sockets"], CLIENTS))(
  'with intercept: "%s", the first request of a process is answered or refused when the mock stops soon after it: %s',
  async (mode, client) => {
    const outcome = async (delay: string) => {
      const { stdout } = await run(process.execPath, [TRAP, program(), client, mode, delay]);
      return stdout.replace(/^(401|.* the mock was stopped[ ;].*)\n$/, "settled");
    };
    // Few at a time: a request that is not sent within a second counts as never sent.
    for (let first = 0; first < DELAYS.length; first += AT_A_TIME) {
      const delays = DELAYS.slice(first, first + AT_A_TIME);
      expect(await Promise.all(delays.map(outcome)), delays.join()).toEqual(delays.map(() => "settled"));
    }
  },
);
