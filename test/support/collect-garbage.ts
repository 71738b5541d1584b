import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** All of it, at once. */
export const collectGarbage: () => void = runInNewContext("gc");
