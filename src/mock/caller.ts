import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** A line of a stack: the file, as a path or a URL, and the line. */
const FRAME = /^ {4}at (?:.* \()?(?:async )?(.+?):(\d+):\d+\)?$/;

/**
 * Where a function that is running was called, as `file:line`: the nearest place that is neither in a package nor in Node, its
 * path relative to the working directory. Undefined when the stack does not reach that far.
 */
export function callerOf(called: (...args: never[]) => unknown): string | undefined {
  const holder: { stack?: unknown } = {};
  Error.captureStackTrace(holder, called);
  // Some programs let stacks be lists.
  if (typeof holder.stack !== "string") return undefined;
  for (const text of holder.stack.split("\n")) {
    const { file, line } = frameIn(text);
    if (file === undefined || file.startsWith("node:") || /[\\/]node_modules[\\/]/.test(file)) continue;
    return `${shown(file)}:${line}`;
  }
  return undefined;
}

/** The file, as a path, and the line in a line of a stack. */
function frameIn(text: string): { readonly file?: string; readonly line?: string } {
  const [, file, line] = FRAME.exec(text) ?? [];
  if (file === undefined || line === undefined) return {};
  return { file: file.startsWith("file:") ? fileURLToPath(file) : file, line };
}

/** Whether the place where an error was made, by its stack, is in this package. */
export function isThrownHere(stack: unknown): boolean {
  if (typeof stack !== "string") return false;
  /** Of this package, or its sources. */
  const ownFolder = fileURLToPath(new URL("..", import.meta.url));
  const first = stack.split("\n").find((line) => FRAME.test(line)) ?? "";
  return frameIn(first).file?.startsWith(ownFolder) === true;
}

function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return (short.startsWith("..") ? path : short).split(sep).join("/");
}
