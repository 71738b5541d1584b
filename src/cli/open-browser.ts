import { spawn } from "node:child_process";

/** By platform: what opens an address in the user's browser. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  // The empty text is the window's title.
  win32: ["cmd", "/c", "start", '""'],
};

/** Opens an address in the user's browser; where there is none it says so, and all goes on. */
export function openBrowser(url: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, url], { detached: true, stdio: "ignore" });
  child.once("error", ({ message }) => {
    process.stderr.write(`mock-cloud-reco: cannot open a browser (${message}); open ${url} yourself\n`);
  });
  child.unref();
}
