import { type Browser, chromium } from "playwright-core";
import { findProgram, isExecutable } from "../support/find-program.ts";

/** First the one without a window, which takes less of the processor. */
const NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
];

/** Path of a Chromium: `CHROMIUM`, or the first one in `PATH`; undefined when there is none. */
export function findChromium(): string | undefined {
  const { CHROMIUM = "" } = process.env;
  return isExecutable(CHROMIUM) ? CHROMIUM : findProgram(...NAMES);
}

/** Gives pages a camera that shows a pattern, without asking anybody. */
export const FAKE_CAMERA = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];

/** @throws when there is none. */
export async function launchChromium(args: readonly string[] = []): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("no Chromium was found");
  // Containers lack the privileges for Chromium's sandbox and have little shared memory. The pages are trusted.
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage", ...args] });
}
