import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** `npm run test:container`, which is no part of `npm test`: it builds an image, in minutes, as root. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: { include: ["test/container/*.test.ts"], testTimeout: 60_000, hookTimeout: 1_200_000 },
});
