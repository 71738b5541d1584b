import { spawn } from "node:child_process";

/** The command that opens a URL in the user's browser, by platform. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  // The empty text is the title of the window.
  win32: ["cmd", "/c", "start", '""'],
};

/** Opens a URL in the user's browser; without a browser it only prints a message. */
export function openBrowser(url: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, url], { detached: true, stdio: "ignore" });
  child.once("error", ({ message }) => {
    process.stderr.write(`mock-cloud-reco: cannot open a browser (${message}); open ${url} yourself\n`);
  });
  child.unref();
}
