import { spawnSync } from "node:child_process";
import { sayWhatIsSkipped } from "./skipped.ts";

/** Options of unshare for a network and mounts of its own, in which a program may use every port. */
export const ISOLATED = ["--net", "--mount", ...(process.getuid?.() === 0 ? [] : ["--map-root-user"])];

const program = "ip link set lo up && mount --bind /dev/null /etc/hosts";
/** Whether this machine has them. */
export const canIsolate =
  spawnSync("unshare", [...ISOLATED, "sh", "-c", program], { stdio: "ignore" }).status === 0;
if (!canIsolate) sayWhatIsSkipped("clients by the service's names (no name spaces)");
