import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

test("Jest: two files in one worker, of which the first leaves a mock started; fake timers", async () => {
  const config = {
    rootDir: path("jest"),
    testMatch: ["**/*.jest.ts"],
    globalSetup: path("jest/close-hosts.ts"),
    moduleFileExtensions: ["ts", "js", "cjs", "mjs", "json"],
    transform: { "\\.ts$": path("jest/transform.cjs") },
  };
  const jest = path("../../node_modules/jest/bin/jest.js");
  const options = ["--config", JSON.stringify(config), "--runInBand", "--no-cache"];
  const run = await promisify(execFile)(process.execPath, [jest, ...options]).catch(
    (error: unknown) => error,
  );
  const { stderr } = Object(run);
  expect(stderr).toContain("Tests:       10 passed, 10 total");
  expect(stderr).not.toContain("did not exit");
}, 120_000);
