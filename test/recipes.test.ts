import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { startServers } from "../src/server/index.ts";
import { start } from "./cli/command.ts";
import { codeBlocks } from "./support/code-blocks.ts";
import { blockPath } from "./support/markdown-blocks-plugin.ts";

const DOCUMENT = "examples/recipes.md";
const blocks = codeBlocks(readFileSync(new URL(`../${DOCUMENT}`, import.meta.url), "utf8"));
const only = (language: string): string => {
  const [block, ...more] = blocks.filter((one) => one.language === language);
  if (block === undefined || more.length > 0) throw new Error(`${DOCUMENT} has not one block of ${language}`);
  return block.text;
};
const run = promisify(execFile);
const works = (command: string, ...args: readonly string[]): boolean => spawnSync(command, args).status === 0;

/** What a program prints that is told where three servers listen. */
async function printedBeside(command: string, ...args: readonly string[]): Promise<string> {
  await using servers = await startServers();
  const env = { ...process.env, TARGET_API: servers.urls.target, TARGET_MANAGER: servers.urls.manager };
  return (await run(command, args, { env })).stdout;
}

// Each of these blocks registers its own tests.
for (const [index, { language, line }] of blocks.entries()) {
  if (language !== "ts") continue;
  describe(`the block at ${DOCUMENT}:${line}`, async () => {
    await import(/* @vite-ignore */ blockPath(DOCUMENT, index));
  });
}

describe("the other recipes", () => {
  it("are all known here", () => {
    const others = blocks.map(({ language }) => language).filter((language) => language !== "ts");
    expect(others).toEqual(["sh", "python", "js"]);
  });

  it("curl signs a request", async () => {
    const script = only("sh");
    await run("sh", ["-n", "-c", script]);
    if (!works("curl", "--version") || !works("openssl", "version")) return;
    expect(JSON.parse(await printedBeside("sh", "-ec", script))).toMatchObject({
      result_code: "Success",
      name: "curl",
    });
  });

  it("Python signs a request", async () => {
    const script = only("python");
    expect(script).toContain('os.environ.get("TARGET_API"');
    if (!works("python3", "--version")) return;
    expect(await printedBeside("python3", "-c", script)).toBe("Success\n");
  });

  it("Playwright starts a command that serves, and waits for a URL that answers", async () => {
    const source = `data:text/javascript,${encodeURIComponent(only("js"))}`;
    const { default: config } = await import(/* @vite-ignore */ source);
    const [npx, name, ...args] = config.webServer.command.split(" ");
    expect([npx, name]).toEqual(["npx", "mock-cloud-reco"]);
    // Ports of the system's choice: others may be using these.
    const anyPort = args.map((word: string) => (/^\d+$/.test(word) ? "0" : word));
    const command = start([...anyPort, "--json"], { ...config.webServer.env, LOG_LEVEL: "silent" });
    const { urls } = JSON.parse(await command.printed());
    const { pathname } = new URL(config.webServer.url);
    const ready = await fetch(urls.manager + pathname);
    const preflight = await fetch(`${urls.query}/v1/query`, {
      method: "POST",
      headers: { Origin: "https://a.example" },
    });
    expect([ready.status, preflight.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    expect((await command.stop()).code).toBe(0);
  });
});
