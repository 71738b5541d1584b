import { execFile, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { samplePicture } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { describe, expect, it } from "vitest";
import { start } from "../cli/command.ts";
import { codeBlocks, wordsOf } from "../support/code-blocks.ts";
import { blockPath } from "../support/markdown-blocks-plugin.ts";
import { sayWhatIsSkipped } from "../support/skipped.ts";

const examples = new URL("../../examples/", import.meta.url);
/** Every README below `examples`, with its code blocks. */
const guides = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(new URL(`${entry.name}/README.md`, examples)))
  .map(({ name }) => {
    const blocks = codeBlocks(readFileSync(new URL(`${name}/README.md`, examples), "utf8"));
    return { name, document: `examples/${name}/README.md`, blocks };
  });
/** The one block of a guide in a language. */
const only = (guide: string, language: string): string => {
  const [block, ...more] =
    guides.find(({ name }) => name === guide)?.blocks.filter((one) => one.language === language) ?? [];
  if (block === undefined || more.length > 0) throw new Error(`${guide} has not one block of ${language}`);
  return block.text;
};
const run = promisify(execFile);
const works = (command: string, ...args: readonly string[]): boolean => spawnSync(command, args).status === 0;

/** What a program prints that gets the URLs of running servers. */
async function printedBeside(command: string, ...args: readonly string[]): Promise<string> {
  await using servers = await startServers();
  const { target, query, manager } = servers.urls;
  const env = { ...process.env, TARGET_API: target, QUERY_API: query, TARGET_MANAGER: manager };
  const cwd = await mkdtemp(join(tmpdir(), "guides-"));
  try {
    await writeFile(join(cwd, "poster.jpg"), await samplePicture(1));
    return (await run(command, args, { env, cwd })).stdout;
  } finally {
    await rm(cwd, { recursive: true });
  }
}

/** Blocks that are not TypeScript, and what runs them. */
const RUN_ELSEWHERE = new Map([
  ...["text", "sh", "python", "ruby", "php", "go", "java", "cs"].map(
    (language) => [`languages ${language}`, "test/cli/host-names.test.ts"] as const,
  ),
  ["containers js", "test/docs/containers.test.ts"],
  ["containers sh", "test/cli/walkthrough.test.ts"],
  ["containers yaml", "test/docs/containers.test.ts"],
  ["signing js", "test/cli/sign.test.ts"],
  ["signing sh", "test/cli/sign.test.ts"],
  ["signing text", "test/cli/sign.test.ts"],
  ["manager json", "test/cli/walkthrough.test.ts"],
  ["redis sh", "test/cli/walkthrough.test.ts"],
  ["recognition sh", "test/page/camera.test.ts"],
  ["runners js", "test/package/runners.test.ts"],
  ["runners mjs", "test/package/runners.test.ts"],
  ["server-settings sh", "test/cli/walkthrough.test.ts"],
  ["servers sh", "below"],
  ["servers python", "below"],
  ["playwright js", "below"],
  ["playwright mjs", "test/package/playwright.test.ts"],
]);

// Each of these blocks registers its own tests.
for (const { document, blocks } of guides) {
  for (const [index, { language, line }] of blocks.entries()) {
    if (language !== "ts") continue;
    describe(`the block at ${document}:${line}`, async () => {
      await import(/* @vite-ignore */ blockPath(document, index));
    });
  }
}

const hasCurl = works("curl", "--version") && works("openssl", "version");
if (!hasCurl) sayWhatIsSkipped("the guides' signature by curl (no curl or no openssl)");
const hasPython = works("python3", "--version");
if (!hasPython) sayWhatIsSkipped("the guides' signature by Python (no python3)");

describe("the other blocks of the guides", () => {
  it("are all run by a test", () => {
    const others = guides.flatMap(({ name, blocks }) =>
      blocks.filter(({ language }) => language !== "ts").map(({ language }) => `${name} ${language}`),
    );
    expect(others.filter((block) => !RUN_ELSEWHERE.has(block))).toEqual([]);
  });

  it.skipIf(!hasCurl)("curl signs a request", async () => {
    const script = only("servers", "sh");
    await run("sh", ["-n", "-c", script]);
    const printed = await printedBeside("sh", "-ec", script);
    const [summary, found] = JSON.parse(`[${printed.replace("}{", "},{")}]`);
    expect([summary.name, found.results]).toEqual(["curl", []]);
  });

  it.skipIf(!hasPython)("Python signs a request", async () => {
    const script = only("servers", "python");
    expect(script).toContain('os.environ.get("TARGET_API"');
    expect(await printedBeside("python3", "-c", script)).toBe("Success\n");
  });

  it("Playwright starts a command that serves, and waits for a URL that responds", async () => {
    const source = `data:text/javascript,${encodeURIComponent(only("playwright", "js"))}`;
    const { default: config } = await import(/* @vite-ignore */ source);
    const [npx, name, ...args] = config.webServer.command.split(" ");
    expect([npx, name]).toEqual(["npx", "mock-cloud-reco"]);
    // Any free port: those of the block may be in use.
    const anyPort = args.map((word: string) => (/^\d+$/.test(word) ? "0" : word));
    const command = start([...anyPort, "--json"], {
      ...config.webServer.env,
      MOCK_CLOUD_RECO_LOG_LEVEL: "silent",
    });
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

const textOf = (path: string): string => readFileSync(new URL(path, examples), "utf8");

describe("the guides", () => {
  it("are all listed, by question", () => {
    const list = textOf("README.md");
    expect(guides.map(({ name }) => name).filter((name) => !list.includes(`(${name}/README.md`))).toEqual([]);
  });

  it.each(guides)("$name begins with one sentence and a block that runs", ({ name, blocks: [first] }) => {
    const [title, ...lines] = textOf(`${name}/README.md`)
      .split("\n")
      .slice(0, (first?.line ?? 0) - 1);
    const sentence = lines.join(" ").trim();
    expect(title).toMatch(/^# \S/);
    expect(sentence).toMatch(/[.:]$/);
    expect(sentence).not.toMatch(/\. |^#|\|/);
    expect(wordsOf(sentence)).toBeLessThanOrEqual(30);
  });

  it("have few words together", () => {
    const words = guides.map(({ name }) => wordsOf(textOf(`${name}/README.md`)));
    expect(words.reduce((total, count) => total + count, 0)).toBeLessThanOrEqual(6500);
  });
});
