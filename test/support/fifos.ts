import { execFileSync, spawnSync } from "node:child_process";
import { sayWhatIsSkipped } from "./skipped.ts";

export const hasFifos = spawnSync("mkfifo", ["--version"]).status === 0;
if (!hasFifos) sayWhatIsSkipped("FIFOs (no mkfifo)");

/** Makes a FIFO, which whoever opens it for writing or reading waits for the other. */
export const makeFifo = (path: string, mode = "600"): void => void execFileSync("mkfifo", ["-m", mode, path]);
