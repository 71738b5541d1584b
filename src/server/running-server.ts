import { localHost } from "../base-url.ts";
import type { Emulator } from "../emulator.ts";
import type { Outcome, RequestHandler } from "../http/outcome.ts";
import type { WireRequest } from "../http/wire-message.ts";
import type { Service } from "../runtime/operation.ts";
import type { Settings } from "../services.ts";
import { preflightReply, readableFrom } from "./cors.ts";
import { HttpServer, type HttpServerOptions } from "./http-server.ts";
import { answerUnreadable } from "./unreadable.ts";

/** Where and how a server listens. */
export interface Listen extends HttpServerOptions {
  readonly host: string;
  /** 0: the system chooses. */
  readonly port: number;
  /** Browsers may use the server from pages of this origin; `*`: any. Default: no header is added for them. */
  readonly corsOrigin?: string | undefined;
}

export interface RunningServer {
  /** Base URL, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Lets running requests end, and cuts those that take longer than `graceSeconds`. */
  close(graceSeconds?: number): Promise<void>;
  /** Cuts every connection at once. */
  kill(): Promise<void>;
}

/** What a server does with its requests. */
export interface Serving {
  readonly api: Service;
  readonly emulator: Emulator;
  readonly settings: Pick<Settings, "queryContentEncoding">;
  readonly handle: RequestHandler;
}

/**
 * Starts a server.
 *
 * @param serve - makes what it does, knowing its own URL.
 * @throws what the system says when it cannot listen there.
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
      answerUnreadable: async (why, head) => {
        const { emulator, api, settings } = ready();
        return answerUnreadable(emulator, api, settings, why, head);
      },
    },
    listen,
  );
  const port = await server.listen(listen.port, listen.host);
  const url = `${listen.tls === undefined ? "http" : "https"}://${localHost(listen.host)}:${port}`;
  serving = serve(url);
  return { url, port, close: (graceSeconds) => server.close(graceSeconds), kill: () => server.kill() };
}

async function withCors(
  origin: string | undefined,
  request: WireRequest,
  handle: RequestHandler,
): Promise<Outcome> {
  if (origin === undefined) return handle(request);
  const preflight = preflightReply(request, origin);
  if (preflight !== undefined) return { response: preflight };
  const outcome = await handle(request);
  return outcome.response === undefined ? outcome : { response: readableFrom(outcome.response, origin) };
}
