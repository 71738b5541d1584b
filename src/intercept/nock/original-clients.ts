import http, { type ClientRequest, OutgoingMessage } from "node:http";
import https from "node:https";
import { types } from "node:util";
import type { AnyFunction } from "../replace.ts";
import { type Scheme, secureArguments } from "./request-arguments.ts";

/** Functions that open connections, instead of nock's. */
export interface OriginalClients {
  readonly ClientRequest: typeof ClientRequest;
  /** Class of requests to other hosts: that of nock 13, which its own functions expect. */
  readonly OtherClientRequest: typeof ClientRequest;
  readonly fetch: AnyFunction | undefined;
  readonly Request: typeof Request;
  readonly Response: typeof Response;
  /** Whether another interceptor was skipped, which may handle requests to other hosts. */
  readonly hasSkipped: boolean;
  of(scheme: Scheme, name: "request" | "get"): AnyFunction;
}

export const OWNERS = [
  ["http:", http],
  ["https:", https],
] as const;
export const NAMES = ["request", "get"] as const;

/**
 * Remembers the functions before nock is activated. Node's own function replaces another interceptor's proxy (nock 14, MSW 2); a
 * plain function, such as a tracer's, is kept.
 * Why requests go around nock: decision 0001.
 */
export function originalClients(): OriginalClients {
  const Genuine = genuineClientRequest();
  // agent-base finds out from the call stack whether a request is secure: one of its lines must contain "node:https:".
  const genuine = {
    "http:": {
      "node:http:request": (...args: unknown[]): unknown => Reflect.construct(Genuine, args),
    }["node:http:request"],
    "https:": {
      "node:https:request": (...args: unknown[]): unknown =>
        Reflect.construct(Genuine, secureArguments(args)),
    }["node:https:request"],
  };
  const functions = new Map<string, AnyFunction>();
  let hasSkipped = false;
  for (const [scheme, owner] of OWNERS) {
    for (const name of NAMES) {
      const installed: unknown = owner[name];
      const send = genuine[scheme];
      const own = name === "get" ? (...args: unknown[]) => ended(send(...args)) : send;
      const isPlain = isPlainFunction(installed);
      functions.set(scheme + name, isPlain ? installed : own);
      hasSkipped ||= !isPlain;
    }
  }
  const { fetch, Request, Response } = globalThis;
  return {
    Request,
    Response,
    ClientRequest: Genuine,
    OtherClientRequest: isPlainFunction(http.ClientRequest) ? http.ClientRequest : Genuine,
    hasSkipped,
    // The `fetch` of nock or MSW would bring the request back here.
    fetch: isPlainFunction(fetch) && isNodes(fetch) ? fetch : undefined,
    of: (scheme, name) => functions.get(scheme + name) ?? genuine[scheme],
  };
}

function ended(request: unknown): unknown {
  if (request instanceof OutgoingMessage) request.end();
  return request;
}

/** Node's class, from which those of nock 13 and 14 inherit. */
function genuineClientRequest(): typeof ClientRequest {
  let prototype: object = http.ClientRequest.prototype;
  for (;;) {
    const parent: object | null = Object.getPrototypeOf(prototype);
    if (parent === OutgoingMessage.prototype || parent === null) return Reflect.get(prototype, "constructor");
    prototype = parent;
  }
}

export const isPlainFunction = (value: unknown): value is AnyFunction =>
  typeof value === "function" && !types.isProxy(value);

/** Whether it is Node's own `fetch`, which loads undici when it is called. */
export const isNodes = (fetch: AnyFunction): boolean => {
  const source = Function.prototype.toString.call(fetch);
  return source.includes("internal/deps/undici");
};
