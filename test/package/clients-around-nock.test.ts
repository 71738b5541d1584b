import { cp } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { inConsumer, inModules, runNode } from "./run.ts";

/** Tests of the source that use the package only by its name, with their helpers. */
const FILES = [
  ...[
    "clients-around-nock.test.ts",
    "proxies.test.ts",
    "failures.ts",
    "real-server.ts",
    "undici-versions.ts",
  ].map((name) => `intercept/${name}`),
  "support/matrix.ts",
];

it("clients with captured functions, HTTP/2 or a proxy are answered or refused by the installed package", async () => {
  for (const name of FILES) {
    const file = fileURLToPath(new URL(`../${name}`, import.meta.url));
    await cp(file, inConsumer("bypassing", name));
  }
  const { code, printed } = await runNode("bypassing", [inModules("vitest/vitest.mjs"), "run"]);
  expect(code, printed).toBe(0);
  // As many as there are versions of undici.
  expect(printed).toMatch(/Tests +(\d\d) passed \(\1\)/);
});
