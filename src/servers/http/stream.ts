import { once } from "node:events";
import type { ServerResponse } from "node:http";
import {
  type ConnectionError,
  type HeaderList,
  header,
  type WireRequest,
  type WireResponse,
} from "../../emulator/message.ts";
import { yieldToEventLoop } from "../../emulator/scheduling.ts";

/** A response whose body is sent in chunks until it ends or the client disconnects. */
export interface StreamedResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body?: undefined;
  readonly stream: (signal: AbortSignal) => Iterable<Buffer> | AsyncIterable<Buffer>;
}

/** A response of an HTTP server. */
export type ServedResponse = WireResponse | StreamedResponse;

export const isStreamed = (response: ServedResponse): response is StreamedResponse =>
  response.stream !== undefined;

/** How an HTTP server ends a request. */
export type ServedResult =
  | { readonly response: ServedResponse; readonly connectionError?: undefined }
  | { readonly response?: undefined; readonly connectionError: ConnectionError };

/** Handles a request that arrived over a socket. */
export type ServedHandler = (request: WireRequest) => Promise<ServedResult>;

/** Sends chunks as they become available, at the speed of the client. */
export async function sendStream(
  { status, headers, stream }: Pick<StreamedResponse, "status" | "headers" | "stream">,
  to: ServerResponse,
  closing: AbortSignal,
): Promise<void> {
  const disconnected = new AbortController();
  to.once("close", () => disconnected.abort());
  const hasEnd = header({ headers }, "content-length") !== undefined;
  const signal = hasEnd ? disconnected.signal : AbortSignal.any([disconnected.signal, closing]);
  to.sendDate = false;
  if (hasEnd) to.removeHeader("Connection");
  to.writeHead(status, headers.flat());
  to.flushHeaders();
  for await (const chunk of stream(signal)) {
    if (signal.aborted) break;
    if (!to.write(chunk)) await once(to, "drain", { signal }).catch(() => undefined);
    // A client that reads as fast as this writes would keep all others waiting.
    await yieldToEventLoop();
  }
  to.end();
}
