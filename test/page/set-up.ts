import { buildPage } from "../../src/page/ui/build.ts";
import { sayWhatIsSkipped } from "../support/skipped.ts";
import { findChromium } from "./chromium.ts";

/** Builds the page, and says so when no browser can test it. */
export default async function setUp(): Promise<void> {
  await buildPage();
  if (findChromium() !== undefined) return;
  sayWhatIsSkipped("the page in a browser (no Chromium in PATH or CHROMIUM)");
}
