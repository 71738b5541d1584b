import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: { alias: [{ find: /^mock-cloud-reco$/, replacement: source("./src/index.ts") }] },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 30_000,
    coverage: { provider: "v8", include: ["src/**/*.ts"] },
  },
});
