import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { markdownBlocks } from "./test/support/markdown-blocks-plugin.ts";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [markdownBlocks()],
  resolve: {
    alias: [
      { find: /^mock-cloud-reco$/, replacement: source("./src/index.ts") },
      { find: /^mock-cloud-reco\/server$/, replacement: source("./src/server/index.ts") },
      { find: /^mock-cloud-reco\/(jest|node-test|vitest)$/, replacement: source("./src/testing/$1.ts") },
      { find: /^mock-cloud-reco\/openapi$/, replacement: source("./src/openapi/index.ts") },
    ],
  },
  test: {
    testTimeout: 30_000,
    coverage: { provider: "v8", include: ["src/**/*.ts"], thresholds: { lines: 95, branches: 95 } },
    projects: [
      {
        extends: true,
        test: { name: "source", include: ["test/**/*.test.ts"], exclude: ["test/package/**"] },
      },
      {
        extends: true,
        test: {
          name: "package",
          include: ["test/package/**/*.test.ts"],
          globalSetup: "test/package/pack.ts",
          testTimeout: 120_000,
        },
      },
    ],
  },
});
