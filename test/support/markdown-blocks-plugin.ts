import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { codeBlocks } from "./code-blocks.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const PREFIX = "/markdown-blocks/";

/** The import path of a code block in a Markdown document, whose path is relative to the repository. */
export const blockPath = (document: string, index: number): string => `${PREFIX}${document}/${index}.ts`;

const documentOf = (id: string): { file: string; index: number } | undefined => {
  const [, document, index] = id.startsWith(PREFIX)
    ? (/^(.+)\/(\d+)\.ts$/.exec(id.slice(PREFIX.length)) ?? [])
    : [];
  return document === undefined ? undefined : { file: resolve(root, document), index: Number(index) };
};

/** Makes code blocks of Markdown documents importable. Their relative imports are resolved from the document's folder. */
export function markdownBlocks(): Plugin {
  return {
    name: "markdown-blocks",
    enforce: "pre",
    resolveId(id, importer) {
      if (documentOf(id) !== undefined) return id;
      const document = documentOf(importer ?? "");
      if (document === undefined || !id.startsWith(".")) return undefined;
      return resolve(dirname(document.file), id);
    },
    load(id) {
      const document = documentOf(id);
      if (document === undefined) return undefined;
      return codeBlocks(readFileSync(document.file, "utf8"))[document.index]?.text;
    },
  };
}
