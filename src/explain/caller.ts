import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** A line of a stack: the file, as a path or a URL, and the line. */
const FRAME = /^ {4}at (?:.* \()?(?:async )?(.+?):(\d+):\d+\)?$/;

type Called = ((...args: never[]) => unknown) | (abstract new (...args: never[]) => unknown);

/**
 * The caller of a running function, as `file:line` from the working directory: the nearest place outside of packages and Node.
 * Undefined if the stack does not reach it.
 */
export const callerOf = (called: Called): string | undefined => callerNow(called)();

/** As {@link callerOf}, but reads the stack only when the result is called: to capture it takes some microseconds. */
export function callerNow(called: Called): () => string | undefined {
  const holder: { stack?: unknown } = {};
  Error.captureStackTrace(holder, called);
  return () => {
    // Some programs let stacks be lists.
    if (typeof holder.stack !== "string") return undefined;
    for (const text of holder.stack.split("\n")) {
      const { file, line } = frameIn(text);
      if (file === undefined || file.startsWith("node:") || /[\\/]node_modules[\\/]/.test(file)) continue;
      return `${shown(file)}:${line}`;
    }
    return undefined;
  };
}

/** The line of a stack, as the engine writes it, where a running function was called; undefined if the stack has none. */
export function callingFrame(called: Called): string | undefined {
  const holder: { stack?: unknown } = {};
  Error.captureStackTrace(holder, called);
  return typeof holder.stack === "string" ? /^ {4}at .*$/m.exec(holder.stack)?.[0] : undefined;
}

function frameIn(text: string): { readonly file?: string; readonly line?: string } {
  const [, file, line] = FRAME.exec(text) ?? [];
  if (file === undefined || line === undefined) return {};
  return { file: file.startsWith("file:") ? fileURLToPath(file) : file, line };
}

/** Whether an error's stack begins in this package. */
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
