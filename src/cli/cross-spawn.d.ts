declare module "cross-spawn" {
  import type { ChildProcess, SpawnOptions } from "node:child_process";

  /** Starts a program as `child_process.spawn` does, and on Windows also scripts. */
  export default function spawn(
    program: string,
    args: readonly string[],
    options: SpawnOptions,
  ): ChildProcess;
}
