#!/usr/bin/env node
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

void run(process.argv.slice(2), {
  environment: process.env,
  print: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
  stopRequested,
}).then((code) => {
  process.exitCode = code;
});
