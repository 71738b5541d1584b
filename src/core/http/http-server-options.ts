import type { Duplex } from "node:stream";
import type { MalformedKind, RequestHead, Result, WireRequest } from "../emulator/message.ts";
import type { BodyFilter, BodyLimits } from "./body-reader.ts";
import type { ServedResult } from "./http-messages.ts";

/** Decides every response of a server; the transport only sends it. */
export interface RequestAnswerer {
  answer(request: WireRequest, connection: Duplex): Promise<ServedResult>;
  /** Answers bytes that could not be parsed as a request. The head may be empty. */
  answerMalformed(why: MalformedKind, head: RequestHead, connection: Duplex): Promise<Result>;
}

/** Certificate and key of a TLS server. */
export interface TlsFiles {
  /** Certificate chain as PEM text. */
  readonly cert: string;
  /** Private key as PEM text. */
  readonly key: string;
}

export interface HttpServerOptions {
  readonly tls?: TlsFiles | undefined;
  /** Default: 64 MiB per body, 512 MiB for all bodies together, and 2 seconds without data. */
  readonly limits?: Partial<BodyLimits> | undefined;
  /** How many requests are answered at a time, of each kind; further ones are refused. Default: any number. */
  readonly maxRequests?: number | undefined;
  /** Names a kind of requests for which others leave places. Default: all are of one kind. */
  readonly kindOf?: ((head: RequestHead) => string) | undefined;
  /** Whether a client that has ended its side no longer waits for its response. Default: it waits until the connection is closed. */
  readonly leavesAtEnd?: ((head: RequestHead) => boolean) | undefined;
  /** How many bytes more than others the body of a request may have. */
  readonly extraBytesOf?: ((head: RequestHead) => number) | undefined;
  /** Whether a paused client is expected to send more of its request. */
  readonly isSending?: ((socket: Duplex) => boolean) | undefined;
  /** Selects requests whose large parts are taken out, and do not count towards limits. */
  readonly filterFor?: ((head: RequestHead) => BodyFilter | undefined) | undefined;
}
