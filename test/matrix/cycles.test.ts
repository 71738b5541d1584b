import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const CYCLES = 1000;
/** What caches of the process may still take, in bytes for each cycle. */
const MOST_BYTES = 400;
/** The same beside other interceptors, of which nock by itself keeps 650 bytes of every request of node:https. */
const MOST_BYTES_BESIDE = 1500;

it.each([
  ["nothing", MOST_BYTES],
  ["all", MOST_BYTES_BESIDE],
])(
  "mocks of every mode start and stop beside %s, and leave nothing patched, and no memory",
  async (neighbour, most) => {
    const file = fileURLToPath(new URL("cycles.ts", import.meta.url));
    const args = ["--import", "tsx", file, String(CYCLES), "all", neighbour];
    // Its exit code is 1 when something stays patched.
    const run = promisify(execFile)(process.execPath, args);
    const { stdout } = await run.catch((failed: { readonly stdout: string }) => failed);
    const { found, bytesPerCycle }: { found: object; bytesPerCycle: number } = JSON.parse(stdout);
    expect(found).toEqual({});
    expect(bytesPerCycle).toBeLessThan(most);
  },
);
