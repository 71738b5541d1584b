import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { MockReport } from "./report.ts";

export interface PageFile {
  readonly html: Buffer;
  /** The page's own content security policy. */
  readonly policy: string;
}

/** Says what to do about it. */
export const NOT_BUILT = "the page was not built: run npm run build:page in the checkout";

/** Beside this module in the package; in a checkout, where the build puts it. */
const PLACES = ["./page.html", "../../dist/page.html"];

/** The built page; undefined in a checkout where it was not built. */
export async function readPage(): Promise<PageFile | undefined> {
  for (const place of PLACES) {
    try {
      const html = await readFile(fileURLToPath(new URL(place, import.meta.url)));
      const [, policy = ""] =
        /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html.toString()) ?? [];
      return { html, policy };
    } catch {
      // The other place, then.
    }
  }
  return undefined;
}

/**
 * The page as a report that works from a file: it shows what is written in it, and asks nobody for anything.
 *
 * @throws Error in a checkout where the page was not built.
 */
export async function reportPage(report: MockReport): Promise<string> {
  const page = await readPage();
  if (page === undefined) throw new Error(NOT_BUILT);
  // No text in it can end the element.
  const data = JSON.stringify(report).replaceAll("<", "\\u003c");
  const element = `<script type="application/json" id="report">${data}</script>\n`;
  return page.html.toString().replace(/<script>/, () => `${element}<script>`);
}
