import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/** Path of a Chromium: `CHROMIUM`, or the first one in `PATH`; undefined when there is none. */
export function findChromium(): string | undefined {
  const { CHROMIUM, PATH = "" } = process.env;
  const found = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [CHROMIUM ?? "", ...found].find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return file !== "";
    } catch {
      return false;
    }
  });
}

/** @throws when there is none. */
export async function launchChromium(args: readonly string[] = []): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("no Chromium was found");
  // Containers lack the privileges for Chromium's sandbox and have little shared memory. The pages are trusted.
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage", ...args] });
}
