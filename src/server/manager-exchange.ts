import { Agent, request as httpRequest } from "node:http";
import { request as httpsRequest, Agent as TlsAgent } from "node:https";
import type { HeaderList, WireRequest, WireResponse } from "../http/wire-message.ts";
import { type ManagerExchange, ManagerUnavailableError } from "../store/manager-client.ts";

/** Shorter than servers keep idle connections, so that none is used in the moment it is closed. */
const IDLE_CONNECTION_MILLISECONDS = 30_000;
const ANSWER_MILLISECONDS = 60_000;
const BROKEN = new Set(["ECONNRESET", "EPIPE"]);

/** The way to a target manager, over connections that are used again. */
export interface ManagerConnection {
  readonly exchange: ManagerExchange;
  /** Ends the idle connections. */
  close(): void;
}

/**
 * Makes the way to the target manager; nothing is sent until the first request.
 *
 * @param baseUrl - with scheme; a path prefix is kept.
 * @param ca - certificate, as PEM text, to trust beside the known ones.
 */
export function connectToManager(baseUrl: URL, ca?: string): ManagerConnection {
  const secure = baseUrl.protocol === "https:";
  const options = { keepAlive: true, timeout: IDLE_CONNECTION_MILLISECONDS };
  const agent = secure ? new TlsAgent({ ...options, ...(ca !== undefined && { ca }) }) : new Agent(options);
  const open = secure ? httpsRequest : httpRequest;
  const shown = baseUrl.href.replace(/\/$/, "");
  const away = (why: string) =>
    new ManagerUnavailableError(`the target manager at ${shown} cannot be reached: ${why}`);

  const send = (message: WireRequest, again: boolean): Promise<WireResponse> =>
    new Promise((resolve, reject) => {
      const { method, path, headers, body } = message;
      const outgoing = open(
        {
          agent,
          method,
          hostname: baseUrl.hostname.replace(/^\[|\]$/g, ""),
          port: baseUrl.port,
          path: baseUrl.pathname.replace(/\/$/, "") + path,
          headers: Object.fromEntries(headers),
          timeout: ANSWER_MILLISECONDS,
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming
            .on("data", (chunk: Buffer) => chunks.push(chunk))
            .once("error", (error) => reject(away(error.message)))
            .once("end", () =>
              resolve({
                status: incoming.statusCode ?? 0,
                headers: pairs(incoming.rawHeaders),
                body: Buffer.concat(chunks),
              }),
            );
        },
      );
      outgoing
        .once("error", (error: Error & { code?: string }) => {
          const { code = error.message } = error;
          // A kept connection may belong to a manager that is gone, and its state with it: another may be there now.
          if (outgoing.reusedSocket && !again && BROKEN.has(code)) resolve(send(message, true));
          else reject(away(code));
        })
        .once("timeout", () => outgoing.destroy(new Error(`no answer in ${ANSWER_MILLISECONDS / 1000} s`)))
        .end(body);
    });
  return { exchange: (message) => send(message, false), close: () => agent.destroy() };
}

const pairs = (flat: readonly string[]): HeaderList =>
  flat.flatMap((name, index): [string, string][] => (index % 2 === 0 ? [[name, flat[index + 1] ?? ""]] : []));
