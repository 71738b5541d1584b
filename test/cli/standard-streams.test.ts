import { fileURLToPath } from "node:url";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";

// processes.test.ts tests the process itself; this tests how main.ts uses it.
const before = { argv: process.argv, logLevel: process.env.LOG_LEVEL };
afterEach(() => {
  vi.restoreAllMocks();
  vi.resetModules();
  process.argv = before.argv;
  process.exitCode = undefined;
});

/** Runs the file and returns what it writes. */
async function runMain(...args: string[]) {
  const written = { out: "", err: "" };
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    written.out += String(text);
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written.err += String(text);
    return true;
  });
  process.argv = [
    process.execPath,
    fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url)),
    ...args,
  ];
  await import("../../src/cli/main.ts");
  return written;
}

const ended = () => vi.waitUntil(() => process.exitCode !== undefined, 30_000);

test("prints output to standard output", async () => {
  const written = await runMain("--version");
  await ended();
  expect({ ...written, code: process.exitCode }).toEqual({
    out: expect.stringMatching(/^20\d\d\.\d\d\.\d\d(\.\d+)? \(npm: 20\d\d\.\d{3,4}\.\d+\)\n$/),
    err: "",
    code: 0,
  });
});

test("prints errors to standard error", async () => {
  const written = await runMain("surf");
  await ended();
  expect(written.out).toBe("");
  expect(written.err).toMatch(/^mock-cloud-reco: unknown command "surf"/);
  expect(process.exitCode).toBe(2);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("a first %s stops the servers, a second one ends the process at once", async (signal, code) => {
  const exit = vi.spyOn(process, "exit").mockImplementation((() => {}) as () => never);
  const others = new Set(process.listeners(signal));
  /** Only the listeners of this command: the test runner has its own. */
  const own = () => process.listeners(signal).filter((each) => !others.has(each));
  const send = () => {
    for (const listener of own()) listener(signal);
  };
  onTestFinished(() => {
    for (const listener of own()) process.off(signal, listener);
  });
  const written = await runMain("serve", "--json");
  await vi.waitUntil(() => written.out !== "", 30_000);
  const { urls }: { urls: { manager: string } } = JSON.parse(written.out);
  expect((await fetch(`${urls.manager}/livez`)).status).toBe(200);
  send();
  expect(exit).not.toHaveBeenCalled();
  send();
  expect(exit).toHaveBeenCalledExactlyOnceWith(code);
  // Until then it is 1: a process that ends by itself before its command has failed.
  await vi.waitUntil(() => process.exitCode === 0, 30_000);
  await expect(fetch(`${urls.manager}/livez`)).rejects.toThrow();
});
