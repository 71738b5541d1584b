import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { readmeBlocks } from "./test/support/readme-blocks-plugin.ts";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [readmeBlocks()],
  resolve: { alias: [{ find: /^mock-cloud-reco$/, replacement: source("./src/index.ts") }] },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    coverage: { provider: "v8", include: ["src/**/*.ts"] },
  },
});
