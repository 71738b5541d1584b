import { channel } from "node:diagnostics_channel";
import http, { OutgoingMessage } from "node:http";
import https from "node:https";
import { fetchFrom, hasSignal } from "../fetch/fetch-transport.ts";
import { type HostTable, originOf } from "../host-table.ts";
import { type AnyFunction, replace } from "../replace.ts";
import { isRecord } from "../sockets/openers.ts";
import { NAMES, type OriginalClients, OWNERS } from "./original-clients.ts";
import { originIn } from "./request-arguments.ts";
import { sendOnUnread } from "./unread-requests.ts";

type IsOrigin = (origin: string | undefined) => boolean;

/** Which requests go past nock. */
interface Choice {
  /** False after the stop: clients also use then what they found while the mock was started. */
  isActive: boolean;
  /** Whether the mock answers requests to this origin, rather than a mock of the user. */
  readonly isDirect: IsOrigin;
  /** Also origins whose requests nock would only send. */
  readonly isPastNock: IsOrigin;
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
  originals: OriginalClients,
  isUsers: (origin: string) => boolean,
  isIgnored: (origin: string) => boolean,
): () => void {
  const choice: Choice = {
    isActive: true,
    isDirect: (origin) => choice.isActive && origin !== undefined && hosts.has(origin) && !isUsers(origin),
    isPastNock: (origin) =>
      choice.isDirect(origin) ||
      (choice.isActive &&
        origin !== undefined &&
        !originals.hasSkipped &&
        !hosts.has(origin) &&
        isIgnored(origin)),
  };
  const restorers = [
    ...replaceFunctions(choice, originals),
    replaceClientRequest(choice, originals),
    replaceFetch(choice, originals, hosts),
    replaceRequest(choice, originals),
    restoreAgents(choice, (origin) => origin !== undefined && hosts.has(origin)),
  ];
  return () => {
    choice.isActive = false;
    for (const restore of restorers) restore();
  };
}

/** `http.request`, `http.get` and those of https: each request chooses between nock's function and Node's. */
const replaceFunctions = ({ isPastNock }: Choice, originals: OriginalClients): readonly (() => void)[] =>
  OWNERS.flatMap(([scheme, owner]) =>
    NAMES.map((name) =>
      replace(owner, name, (original) => {
        const direct = originals.of(scheme, name);
        return function (...args) {
          return (isPastNock(originIn(scheme, args)) ? direct : original).apply(this, args);
        };
      }),
    ),
  );

/** For clients that construct the class, or extend it, instead of calling `http.request`. */
const replaceClientRequest = ({ isDirect, isPastNock }: Choice, originals: OriginalClients): (() => void) =>
  replace(http, "ClientRequest", (original) => {
    const proxy: AnyFunction = new Proxy(original, {
      construct: (target, args, newTarget) => {
        const origin = originIn("http:", args);
        // With `newTarget`, so that it is an instance of subclasses too.
        if (isDirect(origin)) return Reflect.construct(originals.ClientRequest, args, newTarget);
        const used = isPastNock(origin) ? originals.OtherClientRequest : target;
        return Reflect.construct(used, args, newTarget === proxy ? used : newTarget);
      },
      get: (target, key) => (key === Symbol.hasInstance ? isInstance : Reflect.get(target, key)),
    });
    // Of Node's class, which nock's extends: requests that pass nock are instances too.
    function isInstance(this: unknown, value: unknown): boolean {
      return Function.prototype[Symbol.hasInstance].call(
        this === proxy ? originals.ClientRequest : this,
        value,
      );
    }
    return proxy;
  });

/** Requests by `fetch` to served origins get their response here, and never reach a socket. */
const replaceFetch = (choice: Choice, originals: OriginalClients, hosts: HostTable): (() => void) =>
  replace(globalThis, "fetch", (original) => {
    const { fetch: genuine } = originals;
    return function fetch(this: unknown, ...args) {
      // Clients that keep this function (axios) also call it after the stop, when other mocks may intercept.
      if (!choice.isActive) return (genuine ?? original).apply(this, args);
      const [input] = args;
      const url = isRecord(input) && typeof input.url === "string" ? input.url : String(input);
      if (!URL.canParse(url) || !choice.isDirect(originOf(new URL(url)))) return original.apply(this, args);
      return (async () => {
        // nock's classes would record each header again.
        const { Request, Response } = originals;
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
  });

const replaceRequest = (choice: Choice, originals: OriginalClients): (() => void) =>
  replace(globalThis, "Request", (recording) => {
    const proxy: AnyFunction = new Proxy(recording, {
      // Clients that keep this class (axios) also use it after the stop, when nock's class throws.
      construct: (target, args, newTarget) => {
        const used = choice.isActive ? target : originals.Request;
        return Reflect.construct(used, args, newTarget === proxy ? used : newTarget);
      },
    });
    return proxy;
  });

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
const restoreAgents = ({ isDirect }: Choice, isServed: IsOrigin): (() => void) =>
  replace(http.Agent.prototype, "addRequest", (original) => {
    return function (...args) {
      const [request, options] = args;
      const isInterceptors = this instanceof http.Agent && "customAgent" in this && "onRequest" in this;
      if (!isInterceptors || !isRecord(options) || typeof request !== "object" || request === null)
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
