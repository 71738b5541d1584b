import { readFileSync } from "node:fs";

/** Linux reports the peak of the process itself; `maxRSS` is inherited from the parent process, and is useless here. */
const STATUS = "/proc/self/status";

/** This process's peak memory in megabytes; undefined where the system does not report it. */
export function peakMegabytes(): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(STATUS, "latin1"))?.[1];
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
  } catch {
    return undefined;
  }
}
