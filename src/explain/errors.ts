import { propertyOf } from "../core/general/property.ts";

export function messageIn(error: unknown): string {
  const message = typeof error === "object" ? propertyOf(error, "message") : error;
  return typeof message === "string" ? message : "";
}

/** Appends text to an error, for every reporter once. Returns false if the value is no error or cannot be changed. */
export function appendToError(error: unknown, text: string): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { message, stack }: { message?: unknown; stack?: unknown } = error;
  if (typeof message !== "string") return false;
  const extended = `${message.trimEnd()}\n\n${text}`;
  try {
    // Both, because reporters print either the message or the stack.
    Object.assign(error, {
      message: extended,
      ...(typeof stack === "string" && { stack: extendedStack(stack, message, extended, text) }),
    });
    return true;
  } catch {
    return false;
  }
}

function extendedStack(stack: string, message: string, extended: string, text: string): string {
  const start = message === "" ? -1 : stack.indexOf(message);
  if (start >= 0) return stack.slice(0, start) + extended + stack.slice(start + message.length);
  const frames = stack.search(/\n\s+at /);
  return frames < 0 ? `${stack}\n\n${text}` : `${stack.slice(0, frames)}\n\n${text}${stack.slice(frames)}`;
}
