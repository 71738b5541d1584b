#!/usr/bin/env node
import { openBrowser } from "./open-browser.ts";
import { LogOutput } from "./output.ts";
import { run } from "./run.ts";

/** Resolves at the first signal; a second one ends the process at once. */
function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(code));
        resolve();
      });
    }
  });
}

/** How long a stop waits for the log's reader. */
const STOP_MILLISECONDS = 1000;

const log = new LogOutput(process.stderr);
// A reader that has seen enough, such as `head`, ends nothing.
process.stdout.on("error", () => {});

void run(process.argv.slice(2), {
  environment: process.env,
  print: (text) => void process.stdout.write(text),
  complain: (text) => log.write(text),
  openBrowser,
  stopRequested,
}).then(async (code) => {
  process.exitCode = code;
  if (!(await log.drain(STOP_MILLISECONDS))) process.exit(code);
});
