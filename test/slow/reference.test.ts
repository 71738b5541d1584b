import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ALL } from "../support/combinations.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test.runIf(ALL)(
  "the public documentation becomes a reference without a warning",
  { timeout: 400_000 },
  async () => {
    const typedoc = `${root}node_modules/typedoc/bin/typedoc`;
    // `npm run types` checks the types.
    const args = [typedoc, "--emit", "none", "--skipErrorChecking"];
    const { stderr, stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
    expect(stdout + stderr).not.toMatch(/warning|error/);
  },
);
