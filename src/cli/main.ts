#!/usr/bin/env node
import { LogOutput } from "./output.ts";
import { run } from "./run.ts";

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  // The empty text is the title of the window.
  win32: ["cmd", "/c", "start", '""'],
};

/** Opens a URL in the user's browser; without a browser it only prints a message. */
async function openBrowser(url: string): Promise<void> {
  const { spawn } = await import("node:child_process");
  const [command, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, url], { detached: true, stdio: "ignore" });
  child.once("error", ({ message }) => {
    process.stderr.write(`mock-cloud-reco: cannot open a browser (${message}); open ${url} yourself\n`);
  });
  child.unref();
}

/** Resolves at the first signal. Any second signal exits at once. */
function stopRequested(): Promise<void> {
  let isRequested = false;
  return new Promise((resolve) => {
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const) {
      process.on(signal, () => {
        if (isRequested) process.exit(code);
        isRequested = true;
        resolve();
      });
    }
  });
}

const STOP_MILLISECONDS = 1000;

const log = new LogOutput(process.stderr);
// A reader that closes the pipe, such as `head`, must not stop the servers.
process.stdout.on("error", () => {});

// Until the command succeeds: an event loop may run empty before that.
process.exitCode = 1;
const unfinished = () => log.write("mock-cloud-reco: ended before the command was finished\n");
process.once("beforeExit", unfinished);

void run(process.argv.slice(2), {
  environment: process.env,
  print: (output) => void process.stdout.write(output),
  complain: (text) => log.write(text),
  showProgress: process.stderr.isTTY ? (text) => log.write(text) : undefined,
  openBrowser: (url) => void openBrowser(url),
  stopRequested,
}).then(async (code) => {
  process.off("beforeExit", unfinished);
  process.exitCode = code;
  if (!(await log.drain(STOP_MILLISECONDS))) process.exit(code);
});
