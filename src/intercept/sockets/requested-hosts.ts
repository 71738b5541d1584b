import http from "node:http";
import { isFunction, replace } from "../replace.ts";

/** The request for which an agent of node:http is opening a connection. */
let opening: unknown;

/** Notes for which request an agent opens a connection. Returns a function that ends this. */
export function followOpening(): () => void {
  // Bun's agents are its own.
  if (!isFunction(Reflect.get(http.Agent.prototype, "createSocket"))) return () => {};
  return replace(http.Agent.prototype, "createSocket", (original) => {
    return function (...args) {
      const before = opening;
      [opening] = args;
      try {
        return original.apply(this, args);
      } finally {
        opening = before;
      }
    };
  });
}

/** The host that this request names, unless it is for a proxy. */
export function requestedHost(): string | undefined {
  if (!(opening instanceof http.OutgoingMessage)) return undefined;
  const [method, path] = ["method", "path"].map((name) => String(Reflect.get(Object(opening), name)));
  return method === "CONNECT" || urlIn(path) ? undefined : hostOfHeader(opening.getHeader("host"));
}

export function hostOfHeader(header: unknown): string | undefined {
  const url = `http://${header}`;
  return header && URL.canParse(url) ? new URL(url).hostname : undefined;
}

/** The URL that a request for a proxy has in place of a path. */
export const urlIn = (target: unknown): URL | undefined =>
  /^https?:\/\//i.test(String(target)) && URL.canParse(String(target)) ? new URL(String(target)) : undefined;
