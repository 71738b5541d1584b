import type { Browser } from "playwright-core";
import { beforeAll, describe } from "vitest";
import { FAKE_CAMERA, findChromium, launchChromium } from "./chromium.ts";

let shared: Browser | undefined;

/**
 * Describes what Chromium shows. All files of a worker share one, which ends with the worker, because starting it takes as long as
 * several tests. Without a Chromium, they are skipped.
 */
export function describeInBrowser(title: string, tests: (browser: () => Browser) => void): void {
  describe.skipIf(findChromium() === undefined)(title, () => {
    let browser: Browser;
    beforeAll(async () => {
      // One that crashed is not shared.
      if (shared?.isConnected() !== true) shared = await launchChromium(FAKE_CAMERA);
      browser = shared;
    });
    tests(() => browser);
  });
}
