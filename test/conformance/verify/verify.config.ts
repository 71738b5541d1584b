import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Of `npm run verify`: one file, whose tests send requests to a service. */
export default defineConfig({
  root: fileURLToPath(new URL("../../..", import.meta.url)),
  // What the rows use of the package: loading all of it takes seconds.
  resolve: {
    alias: {
      "mock-cloud-reco": fileURLToPath(new URL("../../../src/core/emulator/signing.ts", import.meta.url)),
    },
  },
  test: {
    include: ["test/conformance/verify/verify-rows.ts"],
    // A process of its own would end with Ctrl+C, before what was added is removed.
    pool: "threads",
    maxWorkers: 1,
    // A target may be processed for long.
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
  },
});
