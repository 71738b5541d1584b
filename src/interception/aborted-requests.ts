import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { OutgoingMessage } from "node:http";
import { originOf } from "./host-table.ts";

const REQUEST_SENT = "http.client.request.start";

/**
 * Keeps the process alive when a request to one of our hosts fails after its client has aborted it: nock reports the error all
 * the same, when some clients (got) no longer listen.
 *
 * @returns ends it.
 */
export function ignoreErrorsAfterAbort(isOurs: (origin: string) => boolean): () => void {
  const onSent = (message: unknown) => {
    const request = typeof message === "object" && message !== null && Reflect.get(message, "request");
    if (!(request instanceof OutgoingMessage)) return;
    const { socket } = request;
    const url = `${Reflect.get(request, "protocol")}//${request.getHeader("host")}`;
    if (!URL.canParse(url) || !isOurs(originOf(new URL(url)))) return;
    // Before node:http's own listener, which passes the error on to the request.
    socket?.prependListener("error", () => socket.destroyed && request.on("error", () => {}));
  };
  subscribe(REQUEST_SENT, onSent);
  return () => unsubscribe(REQUEST_SENT, onSent);
}
