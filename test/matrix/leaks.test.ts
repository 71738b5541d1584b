import { expect, it } from "vitest";
import { copySamples, inModules, runNode } from "../package/run.ts";

it("mocha --check-leaks finds none, although a hook loads the package and starts a mock", async () => {
  await copySamples("leaks");
  const mocha = [inModules("mocha/bin/mocha.js"), "--check-leaks", "--timeout=60000", "leaks.mjs"];
  const { code, printed } = await runNode("leaks", mocha);
  expect([code, printed]).toEqual([0, expect.stringContaining("1 passing")]);
});
