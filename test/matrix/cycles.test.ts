import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const CYCLES = 600;
/** What caches of the process may still take in the second half, in bytes for each cycle. */
const MOST_BYTES = 4000;

it("mocks of every mode that start and stop beside other interceptors leave nothing patched, and no memory", async () => {
  const file = fileURLToPath(new URL("cycles.ts", import.meta.url));
  const args = ["--expose-gc", "--import", "tsx", file, String(CYCLES)];
  // Its exit code is 1 when something stays patched.
  const run = promisify(execFile)(process.execPath, args);
  const { stdout } = await run.catch((failed: { readonly stdout: string }) => failed);
  const { found, heaps }: { found: object; heaps: readonly number[] } = JSON.parse(stdout);
  expect(found).toEqual({});
  const [middle = Number.NaN, end = Number.NaN] = [heaps[4], heaps[9]];
  expect(end - middle).toBeLessThan(MOST_BYTES * (CYCLES / 2));
});
