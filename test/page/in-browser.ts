import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";
import { findChromium, launchChromium } from "./chromium.ts";

/** Describes what one Chromium shows, which the tests share. Without a Chromium, they are skipped. */
export function describeInBrowser(title: string, tests: (browser: () => Browser) => void): void {
  describe.skipIf(findChromium() === undefined)(title, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchChromium();
    });
    afterAll(() => browser.close());
    tests(() => browser);
  });
}
