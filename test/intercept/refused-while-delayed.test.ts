import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { combinations } from "../support/combinations.ts";
import { useBundle } from "../support/use-bundle.ts";

const program = useBundle("test/intercept/refused-while-delayed.ts");
const run = promisify(execFile);
const TRAP = `--import=${new URL("../support/network-trap.mjs", import.meta.url)}`;

test.each(
  combinations(["nock", "sockets"], ["fetch", "node:https", "axios", "axios (fetch)", "got", "undici"]),
)(
  'with intercept: "%s", a refused connection does not end the process when the mock stops during a delay: %s',
  async (mode, client) => {
    // Rejects if the exit code is not 0.
    const { stdout } = await run(process.execPath, [TRAP, program(), client, mode]);
    expect(JSON.parse(stdout)).toEqual([
      expect.stringMatching(/No mock serves GET https:\/\/service\.example\/, only /),
      expect.stringMatching(/bypassed the mock: the mock serves only https:\/\/service\.example\/vws/),
      expect.stringMatching(/the mock was stopped while it delayed the response/),
    ]);
  },
);
