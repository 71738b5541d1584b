import { isIP } from "node:net";
import type { Services as EmulatorServices } from "../apis/services.ts";
import { Faults } from "../emulator/faults.ts";
import { Journal } from "../emulator/journal.ts";
import { type HeaderList, header, type Result, type WireRequest } from "../emulator/message.ts";
import type { MalformedKind } from "../emulator/operation.ts";
import type { ServerRefusal } from "../emulator/router.ts";
import { codeOf, messageOf, show } from "../emulator/text.ts";
import { DecoderError } from "../images/decode.ts";
import { localHost } from "../schema/base-url.ts";
import { StateUnavailableError } from "../store/unavailable.ts";
import type { RequestHead, ServedHandler } from "./http/http-messages.ts";
import { HttpServer, type HttpServerOptions } from "./http/http-server.ts";

/**
 * Called while servers start: with what is being added, how much has been, and how much there is. Targets of a seed file are
 * counted; a state file is measured in megabytes.
 */
export type StartProgress = (what: "targets" | "state", done: number, total: number) => void;

/** Answers CORS preflight requests, and lets scripts of an origin read the responses to others. */
function withCors(origin: string, handle: ServedHandler): ServedHandler {
  const allowed = ["Access-Control-Allow-Origin", origin] as const;
  return async (request) => {
    const method = header(request, "access-control-request-method");
    if (request.method === "OPTIONS" && method !== undefined) {
      const wanted = header(request, "access-control-request-headers");
      const headers: HeaderList = [
        allowed,
        ["Access-Control-Allow-Methods", method],
        ...(wanted === undefined ? [] : [["Access-Control-Allow-Headers", wanted] as const]),
        ["Access-Control-Max-Age", "600"],
      ];
      return { response: { status: 204, headers, body: Buffer.alloc(0) } };
    }
    const outcome = await handle(request);
    if (outcome.response === undefined) return outcome;
    const headers: HeaderList = [
      ...outcome.response.headers,
      allowed,
      ["Access-Control-Expose-Headers", "*"],
    ];
    return { response: { ...outcome.response, headers } };
  };
}

/** Where and how a server listens. */
export interface Listen extends HttpServerOptions {
  readonly host: string;
  /** 0: the system chooses. */
  readonly port: number;
  /** The server's name and the option that sets its port, for the error when the port is taken. */
  readonly name?: string | undefined;
  readonly portOption?: string | undefined;
  /** Pages of this origin may use the server; `*`: any. Default: no CORS headers. */
  readonly corsOrigin?: string | undefined;
}

export interface RunningServer {
  /** Base URL, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Lets running requests finish, and cuts off those that take longer than `graceSeconds`. */
  close(graceSeconds?: number): Promise<void>;
  /** Closes every connection at once. */
  kill(): Promise<void>;
}

export interface Serving {
  readonly answer: ServedHandler;
  /** Answers a request that could not be read. */
  readonly answerMalformed: (why: MalformedKind, head: RequestHead | undefined) => Promise<Result>;
}

/**
 * Starts a server.
 *
 * @param serve - called with the server's URL; returns how it answers requests.
 * @throws the system's error when it cannot listen there.
 */
export async function startServer(listen: Listen, serve: (url: string) => Serving): Promise<RunningServer> {
  let serving: Serving | undefined;
  const ready = (): Serving => {
    if (serving === undefined) throw new Error("the server is not ready");
    return serving;
  };
  const { corsOrigin } = listen;
  const handle: ServedHandler = (request) => ready().answer(request);
  const server = new HttpServer(
    {
      answer: corsOrigin === undefined ? handle : withCors(corsOrigin, handle),
      answerMalformed: (why, head) => ready().answerMalformed(why, head),
    },
    listen,
  );
  const port = await server.listen(listen.port, listen.host).catch((error: unknown) => {
    const { host, name = "server", portOption = "port" } = listen;
    const message = `the ${name} cannot listen on ${localHost(host)}:${listen.port}: ${messageOf(error)}`;
    const code = codeOf(error);
    const advice = code === "EADDRINUSE" ? `; choose another port with ${portOption}` : "";
    throw Object.assign(new Error(message + advice, { cause: error }), { code });
  });
  const url = `${listen.tls === undefined ? "http" : "https"}://${localHost(listen.host)}:${port}`;
  serving = serve(url);
  return { url, port, close: (graceSeconds) => server.close(graceSeconds), kill: () => server.kill() };
}

/** What the command `healthcheck` calls itself. */
export const HEALTH_CHECK_AGENT = "mock-cloud-reco-healthcheck";
const HEALTH_CHECKS = new RegExp(`^(${HEALTH_CHECK_AGENT}|kube-probe)(/|$)`);

/** Whether a request is a health check of a container or of Kubernetes, which come every few seconds. */
export const isHealthCheck = (request: WireRequest): boolean =>
  request.method === "GET" && HEALTH_CHECKS.test(header(request, "user-agent") ?? "");

/** The services that answer health checks: they record nothing, and take no fault or delay, which are for clients. */
export const forHealthChecks = <Given extends EmulatorServices>(services: Given): Given => ({
  ...services,
  journal: new Journal(1),
  faults: new Faults([]),
  settings: { ...services.settings, responseDelaySeconds: 0 },
});

/** One line of text for a failure of the emulator itself: 502 while the state is unavailable, 503 for the decoder, otherwise 500. */
export function failureReply(error: unknown): ServerRefusal {
  const reason = messageOf(error).replace(/\s+/g, " ");
  if (error instanceof DecoderError) return { status: 503, refusedBy: "imageDecoder", reason };
  return error instanceof StateUnavailableError
    ? { status: 502, refusedBy: "targetManager", reason }
    : { status: 500, refusedBy: "emulator", reason, line: `the emulator failed: ${reason}` };
}

/** Which browser requests the target manager answers. Requests of other programs are always answered. */
export interface TrustRules {
  /** Host names, in addition to those of loopback and private networks; a leading dot allows all subdomains. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Pages of this origin may use the target manager; `*`: any. */
  readonly allowOrigin?: string | undefined;
}

/**
 * Why a request may come from an untrusted web page; undefined when it does not. A page of another site can make a browser
 * send requests, under the page's own host name (DNS rebinding) or across origins. Other clients send neither a foreign
 * `Host` nor these headers.
 */
export function whyDistrusted(
  request: WireRequest,
  { allowedHosts = [], allowOrigin }: TrustRules = {},
): Pick<ServerRefusal, "refusedBy" | "reason"> | undefined {
  const host = header(request, "host");
  if (host !== undefined && !isTrustedHost(host, allowedHosts)) {
    return {
      refusedBy: "trustedHost",
      reason: `the Host ${show(host)} is no name of a private network; add it to ALLOWED_HOSTS`,
    };
  }
  const origin = header(request, "origin");
  if (allowOrigin === "*" || (origin !== undefined && origin === allowOrigin)) return undefined;
  if (origin !== undefined) {
    return isSameOrigin(origin, host)
      ? undefined
      : foreign(`the request comes from a page of another origin, ${show(origin)}`);
  }
  const site = header(request, "sec-fetch-site");
  if ((site === "cross-site" || site === "same-site") && !opensThePage(request))
    return foreign(`the request comes from a page of another origin: Sec-Fetch-Site is ${show(site)}`);
  return undefined;
}

const foreign = (reason: string) => ({
  refusedBy: "trustedOrigin",
  reason: `${reason}; set MANAGER_CORS_ALLOW_ORIGIN to allow it`,
});

/** No public name has one of these endings, so that no stranger's page can be served under them. */
const PRIVATE_ENDING = /\.(localhost|local|internal|test|lan|home\.arpa|svc|cluster\.local)$/;
/** The name of a machine, a container or a service: without a dot, nobody can register it. */
const MACHINE_NAME = /^[\w-]+$/;

function isTrustedHost(host: string, allowed: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
  if (MACHINE_NAME.test(name) || PRIVATE_ENDING.test(name)) return true;
  if (isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0) return true;
  return allowed
    .map((each) => each.toLowerCase())
    .some((each) => (each.startsWith(".") ? name.endsWith(each) || name === each.slice(1) : name === each));
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  const [, authority] = /^https?:\/\/([^/]+)$/.exec(origin) ?? [];
  return authority !== undefined && authority.toLowerCase() === host?.toLowerCase();
}

/** Whether a link or a typed address opens the page; the page that links to it cannot read it. */
function opensThePage(request: WireRequest): boolean {
  const { method, path } = request;
  return (
    method === "GET" &&
    path === "/" &&
    header(request, "sec-fetch-mode") === "navigate" &&
    header(request, "sec-fetch-dest") === "document"
  );
}
