import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { codeBlocks } from "../support/code-blocks.ts";

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const read = (name: string): string => readFileSync(path(name), "utf8");

/** The guides by question, as a list of links from the root of the package. */
const guides = (): string =>
  [...read("examples/README.md").matchAll(/^\| (.+\?|.+\.) \| (.+) \|$/gm)]
    .map(([, question, links = ""]) => `- ${question} ${links.replaceAll("](", "](examples/")}\n`)
    .join("");

/** What a coding assistant reads first: https://llmstxt.org. */
function expectedText(): string {
  const readme = read("README.md");
  const [, what = ""] = /^# .*\n\n([\s\S]*?)\n\n/.exec(readme) ?? [];
  const [test] = codeBlocks(readme).filter(({ language }) => language === "ts");
  const [, calls = ""] =
    /^## The main calls\n\n([\s\S]*?)\n\n## /m.exec(read("examples/reference/README.md")) ?? [];
  return `# mock-cloud-reco

> ${what.replaceAll("\n", " ")}

A test, with Vitest; \`VuforiaClient\` stands for the client under test:

\`\`\`ts
${test?.text}
\`\`\`

## Calls

${calls}

## Guides

${guides()}`;
}

it("llms.txt is made from the README and the guides' index: write it with `npx vitest run test/docs/llms.test.ts -u`", async () => {
  expect(guides().split("\n").length).toBeGreaterThan(15);
  await expect(expectedText()).toMatchFileSnapshot(path("llms.txt"));
});
