import { channel } from "node:diagnostics_channel";
import http, { type ClientRequest, OutgoingMessage } from "node:http";
import https from "node:https";
import { urlToHttpOptions } from "node:url";
import { types } from "node:util";
import { fetchFrom } from "../fetch/fetch-transport.ts";
import { type HostTable, originOf } from "../host-table.ts";
import { type AnyFunction, replace } from "../replace.ts";
import { canonicalHost } from "../sockets/openers.ts";
import { sendOnUnread } from "./unread-requests.ts";

type Scheme = "http:" | "https:";
type Name = "request" | "get";
type Fields = Readonly<Record<string, unknown>>;

/** Functions that open connections, instead of nock's. */
export interface Unmocked {
  readonly ClientRequest: typeof ClientRequest;
  /** Class of requests to other hosts: that of nock 13, which its own functions expect. */
  readonly OtherClientRequest: typeof ClientRequest;
  readonly fetch: AnyFunction | undefined;
  readonly Request: typeof Request;
  readonly Response: typeof Response;
  /** Whether another interceptor was skipped, which may handle requests to other hosts. */
  readonly passesOver: boolean;
  of(scheme: Scheme, name: Name): AnyFunction;
}

const OWNERS = [
  ["http:", http],
  ["https:", https],
] as const;
const NAMES = ["request", "get"] as const;

/**
 * Remembers the functions before nock is activated. Node's own function replaces another interceptor's proxy (nock 14, MSW 2); a
 * plain function, such as a tracer's, is kept.
 * Why requests go around nock: decision 0001.
 */
export function unmockedClients(): Unmocked {
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
  let passesOver = false;
  for (const [scheme, owner] of OWNERS) {
    for (const name of NAMES) {
      const installed: unknown = owner[name];
      const send = genuine[scheme];
      const own = name === "get" ? (...args: unknown[]) => ended(send(...args)) : send;
      const isPlain = isPlainFunction(installed);
      functions.set(scheme + name, isPlain ? installed : own);
      passesOver ||= !isPlain;
    }
  }
  const { fetch, Request, Response } = globalThis;
  return {
    Request,
    Response,
    ClientRequest: Genuine,
    OtherClientRequest: isPlainFunction(http.ClientRequest) ? http.ClientRequest : Genuine,
    passesOver,
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

function secureArguments(args: readonly unknown[]): unknown[] {
  const rest = [...args];
  const url = urlIn(rest[0]);
  if (url !== undefined) rest.shift();
  const given = typeof rest[0] === "function" ? undefined : rest.shift();
  const options = { ...(url && urlToHttpOptions(url)), ...(isFields(given) && given) };
  return [{ ...options, _defaultAgent: https.globalAgent }, ...rest];
}

/**
 * Sends requests to served hosts past nock's interceptor, so that they are read as sent: `fetch` is answered where it is called, and
 * requests of node:http at their sockets. Other requests go to nock, unless skipping nock is unobservable.
 *
 * @param isUsers - whether a mock of the user in nock may answer requests to a served origin.
 * @param isIgnored - whether nock would do nothing with a request to another origin but send it, with an agent of its own.
 * @returns a function that restores what nock had installed.
 */
export function answerDirectly(
  hosts: HostTable,
  unmocked: Unmocked,
  isUsers: (origin: string) => boolean,
  isIgnored: (origin: string) => boolean,
): () => void {
  let isActive = true;
  const isDirect: IsOrigin = (origin) =>
    isActive && origin !== undefined && hosts.has(origin) && !isUsers(origin);
  const isSent: IsOrigin = (origin) =>
    isDirect(origin) ||
    (isActive && origin !== undefined && !unmocked.passesOver && !hosts.has(origin) && isIgnored(origin));
  const restorers = OWNERS.flatMap(([scheme, owner]) =>
    NAMES.map((name) =>
      replace(owner, name, (original) => {
        const direct = unmocked.of(scheme, name);
        return function (...args) {
          return (isSent(originIn(scheme, args)) ? direct : original).apply(this, args);
        };
      }),
    ),
  );
  restorers.push(
    replace(http, "ClientRequest", (original) => {
      const proxy: AnyFunction = new Proxy(original, {
        construct: (target, args, newTarget) => {
          const origin = originIn("http:", args);
          // With `newTarget`, so that it is an instance of subclasses too.
          if (isDirect(origin)) return Reflect.construct(unmocked.ClientRequest, args, newTarget);
          const used = isSent(origin) ? unmocked.OtherClientRequest : target;
          return Reflect.construct(used, args, newTarget === proxy ? used : newTarget);
        },
        get: (target, key) => (key === Symbol.hasInstance ? isInstance : Reflect.get(target, key)),
      });
      // Of Node's class, which nock's extends: requests that pass nock are instances too.
      function isInstance(this: unknown, value: unknown): boolean {
        return Function.prototype[Symbol.hasInstance].call(
          this === proxy ? unmocked.ClientRequest : this,
          value,
        );
      }
      return proxy;
    }),
    replace(globalThis, "fetch", (original) => {
      const { fetch: genuine } = unmocked;
      return function fetch(this: unknown, ...args) {
        // Clients that keep this function (axios) also call it after the stop, when other mocks may intercept.
        if (!isActive) return (genuine ?? original).apply(this, args);
        const [input] = args;
        const url = isFields(input) && typeof input.url === "string" ? input.url : String(input);
        if (!URL.canParse(url) || !isDirect(originOf(new URL(url)))) return original.apply(this, args);
        return (async () => {
          // nock's classes would record each header again.
          const { Request, Response } = unmocked;
          const request: Request = Reflect.construct(Request, args);
          return genuine !== undefined && isForFetch(request)
            ? sendKept(genuine, this, request)
            : fetchFrom(hosts, request, {
                isIntercepted: true,
                isUnabortable: !args.some(hasSignal),
                Response,
                elsewhere,
              });
        })();
      };
    }),
    replace(globalThis, "Request", (recording) => {
      const proxy: AnyFunction = new Proxy(recording, {
        // Clients that keep this class (axios) also use it after the stop, when nock's class throws.
        construct: (target, args, newTarget) => {
          const used = isActive ? target : unmocked.Request;
          return Reflect.construct(used, args, newTarget === proxy ? used : newTarget);
        },
      });
      return proxy;
    }),
    restoreAgents(isDirect, (origin) => origin !== undefined && hosts.has(origin)),
  );
  return () => {
    isActive = false;
    for (const restore of restorers) restore();
  };
}

type IsOrigin = (origin: string | undefined) => boolean;

/** Leaves a request to nock and the user's mocks, if nock reads it. */
function watch(request: OutgoingMessage): void {
  request.once("socket", (socket: unknown) => {
    const sent = sendOnUnread(socket);
    request.once("prefinish", sent);
  });
}

/**
 * Passes requests that still reach an interceptor's agent to the client's agent: requests by captured functions of nock or MSW 2,
 * or after a user's `nock.activate()`.
 */
const restoreAgents = (isDirect: IsOrigin, isServed: IsOrigin): (() => void) =>
  replace(http.Agent.prototype, "addRequest", (original) => {
    return function (...args) {
      const [request, options] = args;
      const isInterceptors = this instanceof http.Agent && "customAgent" in this && "onRequest" in this;
      if (!isInterceptors || !isFields(options) || typeof request !== "object" || request === null)
        return original.apply(this, args);
      const isSecure = this instanceof https.Agent;
      const origin = originIn(isSecure ? "https:" : "http:", [options]);
      if (!isDirect(origin)) {
        if (isServed(origin) && request instanceof OutgoingMessage) watch(request);
        return original.apply(this, args);
      }
      const { customAgent: meant } = this;
      const { Agent, globalAgent } = isSecure ? https : http;
      const agent = meant instanceof http.Agent ? meant : meant === false ? new Agent() : globalAgent;
      Object.assign(request, { agent });
      return Reflect.apply(Reflect.get(agent, "addRequest"), agent, args);
    };
  });

const elsewhere = (next: Request): Promise<Response> => globalThis.fetch(next);

const hasSignal = (value: unknown): boolean => isFields(value) && Boolean(value.signal);

/** Requests that wait for a response. */
const waiting = new Set<Request>();

/** Sends a request by Node's `fetch`, which no longer hears of the signal of a request that is garbage. */
async function sendKept(fetch: AnyFunction, client: unknown, request: Request): Promise<unknown> {
  waiting.add(request);
  try {
    return await fetch.call(client, request);
  } finally {
    waiting.delete(request);
  }
}

/** Channels of Node's `fetch`, to which this package does not listen. */
const [ANSWERED, ENDED, FAILED] = ["headers", "trailers", "error"].map((name) =>
  channel(`undici:request:${name}`),
);

/** `fetch` sends only some values of these headers. */
const JUDGED = ["connection", "expect", "keep-alive", "transfer-encoding", "upgrade"];

/** Whether Node's `fetch` must send a request: for tracers, or because it or a server's parser refuses it. */
const isForFetch = ({ method, headers }: Request): boolean =>
  (ANSWERED?.hasSubscribers || ENDED?.hasSubscribers || FAILED?.hasSubscribers) === true ||
  !http.METHODS.includes(method) ||
  JUDGED.some((name) => headers.has(name)) ||
  Number.isNaN(Number.parseInt(headers.get("content-length") ?? "0", 10));

/** The origin that a request of node:http with these arguments is for. */
function originIn(scheme: Scheme, [first, second]: readonly unknown[]): string | undefined {
  const url = urlIn(first);
  if (typeof first === "string" && url === undefined) return undefined;
  const given = url === undefined ? first : second;
  const options = isFields(given) ? given : {};
  if (options.socketPath) return undefined;
  // A request for a proxy names its host in the path, which nock cannot parse.
  const { path } = options;
  if (typeof path === "string" && /^https?:\/\//i.test(path) && URL.canParse(path))
    return originOf(new URL(path));
  const agent = isFields(options._defaultAgent) ? options._defaultAgent : {};
  const protocol = String(options.protocol || url?.protocol || agent.protocol || scheme);
  const host = String(options.hostname || url?.hostname || options.host || "localhost");
  const port = options.port || url?.port || options.defaultPort || (protocol === "https:" ? 443 : 80);
  return `${protocol}//${canonicalHost(host)}:${port}`;
}

/** A URL, also one of another realm, such as that of a test runner. */
function urlIn(value: unknown): URL | undefined {
  if (typeof value === "string") return URL.canParse(value) ? new URL(value) : undefined;
  if (!isFields(value)) return undefined;
  const { href, protocol, auth, path } = value;
  const isUrl = typeof href === "string" && protocol && auth === undefined && path === undefined;
  return isUrl && URL.canParse(href) ? new URL(href) : undefined;
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

export const isPlainFunction = (value: unknown): value is AnyFunction =>
  typeof value === "function" && !types.isProxy(value);

/** Whether it is Node's own `fetch`, which loads undici when it is called. */
export const isNodes = (fetch: AnyFunction): boolean => {
  const source = Function.prototype.toString.call(fetch);
  return source.includes("internal/deps/undici");
};
