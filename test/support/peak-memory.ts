import { readFileSync } from "node:fs";

/** Linux tells a process's own peak; `maxRSS` is inherited from the process that started it, and says nothing. */
const STATUS = "/proc/self/status";

/** The most memory that this process has held so far, in megabytes; undefined where the system does not tell. */
export function peakMegabytes(): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(STATUS, "latin1"))?.[1];
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
  } catch {
    return undefined;
  }
}
