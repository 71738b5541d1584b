import { promises as fs } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { MockReport } from "./model.ts";

export interface PageFile {
  readonly html: Buffer;
  /** The page's own content security policy. */
  readonly policy: string;
}

export const NOT_BUILT = "the page has not been built; run `npm run build:page` in the checkout";

/** Compressed, because the package is small without it. Next to this module in the package; in the build's output folder in a checkout. */
const LOCATIONS = ["./page.html.br", "../../dist/page.html.br"];

/** Reads the built page; undefined in a checkout where it has not been built. */
export async function readPage(): Promise<PageFile | undefined> {
  for (const location of LOCATIONS) {
    try {
      const compressed = await fs.readFile(fileURLToPath(new URL(location, import.meta.url)));
      const html = await promisify(brotliDecompress)(compressed);
      const [, policy = ""] =
        /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html.toString()) ?? [];
      return { html, policy };
    } catch {
      // Try the next location.
    }
  }
  return undefined;
}

/**
 * Returns the page with a report embedded, which needs no server.
 *
 * @throws Error in a checkout where the page has not been built.
 */
export async function reportPage(report: MockReport): Promise<string> {
  const page = await readPage();
  if (page === undefined) throw new Error(NOT_BUILT);
  // Escaped, so that no text in the report can end the script element.
  const data = JSON.stringify(report).replaceAll("<", "\\u003c");
  const element = `<script type="application/json" id="report">${data}</script>\n`;
  return page.html.toString().replace(/<script>/, () => `${element}<script>`);
}
