import { copyFile, mkdir, readFile } from "node:fs/promises";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { inConsumer, runNode } from "./run.ts";

const MOCK = 'import { MockCloudReco } from "mock-cloud-reco";';

/** Bundles a program with the package. Returns what the bundle printed, in a folder without the package if `elsewhere`. */
async function runBundled(platform: "node" | "browser", source: string, elsewhere = false): Promise<string> {
  await mkdir(inConsumer("bundled"), { recursive: true });
  const outfile = inConsumer("bundled", "program.cjs");
  await build({
    stdin: { contents: source, resolveDir: inConsumer() },
    outfile,
    bundle: true,
    platform,
    format: "cjs",
    external: ["nock", "sharp"],
    logLevel: "silent",
  });
  if (!elsewhere) return (await runNode("bundled", [outfile])).printed;
  const moved = inConsumer("../bundled-elsewhere.cjs");
  await copyFile(outfile, moved);
  return (await runNode("..", [moved])).printed;
}

describe("in a bundle", () => {
  const report = `${MOCK}
    const mock = new MockCloudReco({ intercept: false });
    mock.page.writeReport(__dirname + "/report.html").then(() => console.log("written"), (error) => console.log(error.message));`;

  it("a mock writes its report by the installed package", async () => {
    expect(await runBundled("node", report)).toBe("written");
    expect(await readFile(inConsumer("bundled/report.html"), "utf8")).toContain('type="application/json"');
  });

  it("a mock says why it cannot write one where the package is not installed", async () => {
    expect(await runBundled("node", report, true)).toBe(
      "the page's file page.html.br was not found; install mock-cloud-reco where this bundle runs, or do not bundle it",
    );
  });
});

it.each(["", "/server", "/vitest"])(
  "mock-cloud-reco%s says in a browser's bundle to use servers",
  async (entry) => {
    const source = `import { test, startServers, MockCloudReco } from "mock-cloud-reco${entry}"; console.log(MockCloudReco, startServers, test);`;
    expect(await runBundled("browser", source)).toContain(
      "mock-cloud-reco runs in Node, not in browsers: start its servers (npx mock-cloud-reco serve)",
    );
  },
);
