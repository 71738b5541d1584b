import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { codeBlocks } from "../support/code-blocks.ts";
import { ALL } from "../support/combinations.ts";
import { filesOfPackage, inConsumer, inModules, runNode } from "./run.ts";

const documents = (await filesOfPackage()).filter((file) => file.endsWith(".md"));
const installed = (file: string): Promise<string> =>
  readFile(inConsumer("node_modules/mock-cloud-reco", file), "utf8");

// By default, test/docs runs them from the source only.
it.runIf(ALL)(
  "every TypeScript block of the README and the guides runs with the installed package alone",
  async () => {
    await mkdir(inConsumer("guides"), { recursive: true });
    await cp(inConsumer("node_modules/mock-cloud-reco/examples"), inConsumer("guides/examples"), {
      recursive: true,
    });
    let count = 0;
    for (const document of documents)
      for (const [index, { language, text }] of codeBlocks(await installed(document)).entries()) {
        if (language !== "ts") continue;
        await writeFile(inConsumer("guides", dirname(document), `block-${index}.test.ts`), text);
        count += 1;
      }
    expect(count).toBeGreaterThan(25);
    // In one process: starting one for each would take most of the time.
    const args = [inModules("vitest/vitest.mjs"), "run", "--no-isolate", "block-"];
    const { code, printed } = await runNode("guides", args);
    expect(code, printed).toBe(0);
    expect(printed).toMatch(new RegExp(`Test Files +${count} passed \\(${count}\\)`));
  },
);

/** Where a link of a heading goes, as hosts of Git repositories name it. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

it("every link resolves inside the package", async () => {
  const files = new Set(await filesOfPackage());
  const broken: string[] = [];
  let count = 0;
  for (const document of documents) {
    const text = (await installed(document)).replace(/^```[\s\S]*?^```$/gm, "");
    for (const [link, inText, source] of text.matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)) {
      const [path = "", fragment] = (inText ?? source ?? "").split("#");
      if (/^https?:/.test(path)) continue;
      count += 1;
      const file = path === "" ? document : join(dirname(document), path);
      const headings = (fragment === undefined ? "" : await installed(file)).matchAll(/^#+ (.*)$/gm);
      const anchors = [...headings].map(([, heading = ""]) => anchor(heading));
      if (!files.has(file) || (fragment !== undefined && !anchors.includes(fragment)))
        broken.push(`${document}: ${link}`);
    }
  }
  expect(broken).toEqual([]);
  expect(count).toBeGreaterThan(50);
});
