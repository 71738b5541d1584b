import {
  type HeaderList,
  header,
  type MalformedKind,
  type RequestHead,
  type Result,
  type WireRequest,
} from "../emulator/message.ts";
import { requireNetwork } from "../general/permissions.ts";
import { codeOf, messageOf } from "../general/text.ts";
import { localHost } from "../schema/base-url.ts";
import type { ServedResult } from "./http-messages.ts";
import { HttpServer } from "./http-server.ts";
import type { HttpServerOptions } from "./http-server-options.ts";

/** Answers CORS preflight requests, and lets scripts of an origin read the responses to all others. */
function withCors(origin: string, { answer, answerMalformed }: Serving): Serving {
  const allowed = ["Access-Control-Allow-Origin", origin] as const;
  const readable = <T extends ServedResult>(result: T): T => {
    const { response } = result;
    if (response === undefined) return result;
    const headers = [...response.headers, allowed, ["Access-Control-Expose-Headers", "*"] as const];
    return { ...result, response: { ...response, headers } };
  };
  return {
    answer: async (request) => {
      const method = header(request, "access-control-request-method");
      if (request.method !== "OPTIONS" || method === undefined) return readable(await answer(request));
      const wanted = header(request, "access-control-request-headers");
      const headers: HeaderList = [
        allowed,
        ["Access-Control-Allow-Methods", method],
        ...(wanted === undefined ? [] : [["Access-Control-Allow-Headers", wanted] as const]),
        ["Access-Control-Max-Age", "600"],
      ];
      return { response: { status: 204, headers, body: Buffer.alloc(0) } };
    },
    answerMalformed: async (why, head) => readable(await answerMalformed(why, head)),
  };
}

/** More requests would time out: a server answers some hundreds a second. */
export const MAX_REQUESTS = 1000;

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
  readonly answer: (request: WireRequest) => Promise<ServedResult>;
  /** Answers a request that could not be read. */
  readonly answerMalformed: (why: MalformedKind, head: RequestHead) => Promise<Result>;
}

const IN_PROCESS = ", or use a mock in the process (new MockCloudReco()), which needs no network";

/**
 * @param serve - called with the server's URL.
 * @throws the system's error if it cannot listen, or a NotPermittedError.
 */
export async function startServer(listen: Listen, serve: (url: string) => Serving): Promise<RunningServer> {
  let serving: Serving | undefined;
  const ready = (): Serving => {
    if (serving === undefined) throw new Error("the server is not ready");
    return serving;
  };
  const { corsOrigin, host, name = "server", portOption = "port" } = listen;
  const failed = `the ${name} cannot listen on ${localHost(host)}:${listen.port}`;
  requireNetwork(failed, IN_PROCESS);
  const server = new HttpServer(
    {
      answer: (request) => ready().answer(request),
      answerMalformed: (why, head) => ready().answerMalformed(why, head),
    },
    { maxRequests: MAX_REQUESTS, ...listen },
  );
  const port = await server.listen(listen.port, host).catch((error: unknown) => {
    const code = codeOf(error);
    const advice = code === "EADDRINUSE" ? `; choose another port with ${portOption}` : "";
    throw Object.assign(new Error(`${failed}: ${messageOf(error)}${advice}`, { cause: error }), { code });
  });
  const url = `${listen.tls === undefined ? "http" : "https"}://${localHost(listen.host)}:${port}`;
  serving = corsOrigin === undefined ? serve(url) : withCors(corsOrigin, serve(url));
  return { url, port, close: (graceSeconds) => server.close(graceSeconds), kill: () => server.kill() };
}
