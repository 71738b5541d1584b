import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { codeBlocks } from "./code-blocks.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Makes the README's code blocks importable as `/readme-blocks/<index>.ts`; relative imports start at the root. */
export function readmeBlocks(): Plugin {
  const isBlock = (id: string) => id.startsWith("/readme-blocks/");
  return {
    name: "readme-blocks",
    enforce: "pre",
    resolveId(id, importer) {
      if (isBlock(id)) return id;
      if (importer !== undefined && isBlock(importer) && id.startsWith("./")) return root + id.slice(2);
      return undefined;
    },
    load(id) {
      if (!isBlock(id)) return undefined;
      const index = Number(/(\d+)\.ts$/.exec(id)?.[1]);
      return codeBlocks(readFileSync(`${root}README.md`, "utf8"))[index]?.text;
    },
  };
}
