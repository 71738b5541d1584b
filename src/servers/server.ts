import type { Emulator } from "../apis/index.ts";
import type { ServerRefusal } from "../emulator/emulator.ts";
import { type HeaderList, header, type WireRequest, type WireResponse } from "../emulator/message.ts";
import { codeOf, messageOf } from "../emulator/text.ts";
import { DecoderError } from "../images/decode.ts";
import { localHost } from "../schema/base-url.ts";
import type { Service } from "../schema/operation-names.ts";
import { StateUnavailableError } from "../store/backing.ts";
import { HttpServer, type HttpServerOptions } from "./http/http-server.ts";
import { answerMalformed } from "./http/malformed-request.ts";
import type { ServedHandler, ServedResult } from "./http/stream.ts";

/**
 * Called while servers start: with what is being added, how much has been, and how much there is. Targets of a seed file are
 * counted; a state file is measured in megabytes.
 */
export type StartProgress = (what: "targets" | "state", done: number, total: number) => void;

const NO_BODY = Buffer.alloc(0);

/** Answers a CORS preflight request; undefined for any other request. */
function preflightReply(request: WireRequest, allowOrigin: string): WireResponse | undefined {
  const method = header(request, "access-control-request-method");
  if (request.method !== "OPTIONS" || method === undefined) return undefined;
  const headers = header(request, "access-control-request-headers");
  return {
    status: 204,
    headers: [
      ["Access-Control-Allow-Origin", allowOrigin],
      ["Access-Control-Allow-Methods", method],
      ...(headers === undefined ? [] : [["Access-Control-Allow-Headers", headers] as const]),
      ["Access-Control-Max-Age", "600"],
    ],
    body: NO_BODY,
  };
}

/** Adds the headers that let scripts of an origin read a response. */
const readableFrom = <T extends { readonly headers: HeaderList }>(response: T, allowOrigin: string): T => ({
  ...response,
  headers: [
    ...response.headers,
    ["Access-Control-Allow-Origin", allowOrigin],
    ["Access-Control-Expose-Headers", "*"],
  ],
});

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

/** How a server answers its requests. */
export interface Serving {
  /** The first one answers what belongs to none of them. */
  readonly apis: readonly [Service, ...Service[]];
  readonly emulator: Emulator;
  readonly handle: ServedHandler;
  /** Runs before a malformed request is answered; {@link handle} prepares for the others. */
  readonly prepare?: () => Promise<void>;
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
  const server = new HttpServer(
    {
      answer: (request) => withCors(corsOrigin, request, (message) => ready().handle(message)),
      answerMalformed: async (why, head) => {
        const { emulator, apis, prepare } = ready();
        await prepare?.();
        return answerMalformed(emulator, apis, why, head);
      },
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

async function withCors(
  origin: string | undefined,
  request: WireRequest,
  handle: ServedHandler,
): Promise<ServedResult> {
  if (origin === undefined) return handle(request);
  const preflight = preflightReply(request, origin);
  if (preflight !== undefined) return { response: preflight };
  const outcome = await handle(request);
  return outcome.response === undefined ? outcome : { response: readableFrom(outcome.response, origin) };
}

/** One line of text for a failure of the emulator itself: 502 while the state is unavailable, 503 for the decoder, otherwise 500. */
export function failureReply(error: unknown): ServerRefusal {
  const reason = messageOf(error).replace(/\s+/g, " ");
  if (error instanceof DecoderError) return { status: 503, refusedBy: "imageDecoder", reason };
  return error instanceof StateUnavailableError
    ? { status: 502, refusedBy: "targetManager", reason }
    : { status: 500, refusedBy: "emulator", reason, line: `the emulator failed: ${reason}` };
}
