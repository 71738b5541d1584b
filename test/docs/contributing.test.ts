import { readFileSync } from "node:fs";
import { describe } from "vitest";
import { codeBlocks } from "../support/code-blocks.ts";
import { blockPath } from "../support/markdown-blocks-plugin.ts";

const DOCUMENT = ".github/CONTRIBUTING.md";
const blocks = codeBlocks(readFileSync(new URL(`../../${DOCUMENT}`, import.meta.url), "utf8"));

// The block registers its own tests.
for (const [index, { language, line }] of blocks.entries())
  if (language === "ts")
    describe(`the first change at ${DOCUMENT}:${line}`, async () => {
      await import(/* @vite-ignore */ blockPath(DOCUMENT, index));
    });
