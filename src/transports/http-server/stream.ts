import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { ConnectionError, HeaderList, WireRequest, WireResponse } from "../../core/message.ts";

/** A response whose body is sent in chunks until it ends or the client disconnects. */
export interface StreamedResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body?: undefined;
  readonly stream: (signal: AbortSignal) => AsyncIterable<Buffer>;
}

/** A response of an HTTP server. */
export type ServedResponse = (WireResponse & { readonly stream?: undefined }) | StreamedResponse;

/** How an HTTP server ends a request. */
export type ServedResult =
  | { readonly response: ServedResponse; readonly connectionError?: undefined }
  | { readonly response?: undefined; readonly connectionError: ConnectionError };

/** Handles a request that arrived over a socket. */
export type ServedHandler = (request: WireRequest) => Promise<ServedResult>;

/** Sends chunks as they become available, at the speed of the client. */
export async function sendStream(
  { status, headers, stream }: StreamedResponse,
  to: ServerResponse,
  closing: AbortSignal,
): Promise<void> {
  const disconnected = new AbortController();
  to.once("close", () => disconnected.abort());
  const signal = AbortSignal.any([disconnected.signal, closing]);
  to.sendDate = false;
  to.writeHead(status, headers.flat());
  to.flushHeaders();
  for await (const chunk of stream(signal)) {
    if (signal.aborted) break;
    if (!to.write(chunk)) await once(to, "drain", { signal }).catch(() => undefined);
  }
  to.end();
}
