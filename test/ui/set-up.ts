import { buildPage } from "../../src/ui/build.ts";
import { sayWhatIsSkipped } from "../support/skipped.ts";
import { findChromium } from "./chromium.ts";

/** Builds the page as it is now, and says whether it can be looked at. */
export default async function setUp(): Promise<void> {
  await buildPage();
  if (findChromium() !== undefined) return;
  sayWhatIsSkipped("no Chromium was found in PATH or CHROMIUM: the browser tests of the page are skipped");
}
