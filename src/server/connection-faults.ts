import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ConnectionError } from "../http/outcome.ts";

/** Why no request could be made of what came. */
export type Unreadable = "contentLength" | "headersTooLarge" | "malformed" | "bodyTooLarge";

/** What node:http tells with a `clientError`. */
export interface ParserFault {
  readonly code?: string;
  /** The bytes that came last. */
  readonly rawPacket?: Buffer;
}

/** What kind of a fault it is; undefined when the connection itself failed. */
export function unreadable(code: string | undefined): Unreadable | undefined {
  if (code === "HPE_INVALID_CONTENT_LENGTH" || code === "HPE_UNEXPECTED_CONTENT_LENGTH")
    return "contentLength";
  if (code === "HPE_HEADER_OVERFLOW") return "headersTooLarge";
  return code?.startsWith("HPE_") === true ? "malformed" : undefined;
}

/** Whether the client wants to send another request on the connection. */
export function keepsAlive({ httpVersion, headers }: IncomingMessage): boolean {
  const wishes = headers.connection?.toLowerCase() ?? "";
  return httpVersion === "1.0" ? wishes.includes("keep-alive") : !wishes.includes("close");
}

/** Fails a connection as it was configured: cut in the middle, or simply gone. */
export function cut(socket: Duplex, kind: ConnectionError["kind"] | undefined): void {
  if (kind === "reset" && socket instanceof Socket) socket.resetAndDestroy();
  else socket.destroy();
}
