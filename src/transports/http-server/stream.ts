import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { ConnectionError, HeaderList, WireRequest, WireResponse } from "../../core/message.ts";

/** A response whose body comes bit by bit, until there is no more of it or the client is gone. */
export interface StreamedResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body?: undefined;
  readonly stream: (signal: AbortSignal) => AsyncIterable<Buffer>;
}

/** What a real server can send. */
export type ServedResponse = (WireResponse & { readonly stream?: undefined }) | StreamedResponse;

/** What a real server does with a request. */
export type ServedOutcome =
  | { readonly response: ServedResponse; readonly connectionError?: undefined }
  | { readonly response?: undefined; readonly connectionError: ConnectionError };

/** Answers requests that came over a socket. */
export type ServedHandler = (request: WireRequest) => Promise<ServedOutcome>;

/** Sends what comes as it comes, not faster than the client takes it. */
export async function sendStream(
  { status, headers, stream }: StreamedResponse,
  to: ServerResponse,
  closing: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  to.once("close", () => gone.abort());
  const signal = AbortSignal.any([gone.signal, closing]);
  to.sendDate = false;
  to.writeHead(status, headers.flat());
  to.flushHeaders();
  for await (const chunk of stream(signal)) {
    if (signal.aborted) break;
    if (!to.write(chunk)) await once(to, "drain", { signal }).catch(() => undefined);
  }
  to.end();
}
