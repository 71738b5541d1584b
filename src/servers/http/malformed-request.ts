import type { MalformedKind } from "../../emulator/api.ts";
import type { Emulator, EmulatorServices } from "../../emulator/emulator.ts";
import type { Result } from "../../emulator/message.ts";
import { LONGEST_HEADER_LINE_BYTES } from "../../schema/limits.ts";
import type { Service } from "../../schema/operation-names.ts";
import type { RequestHead } from "./http-messages.ts";

/** The fields of the error that node:http emits as `clientError`. */
export interface ParserError {
  readonly code?: string;
  /** The last bytes received. */
  readonly rawPacket?: Buffer;
}

/** Classifies a parser error; undefined when the connection itself failed. */
export function malformedKind(code: string | undefined): MalformedKind | undefined {
  if (code === "HPE_INVALID_CONTENT_LENGTH" || code === "HPE_UNEXPECTED_CONTENT_LENGTH")
    return "contentLength";
  if (code === "HPE_HEADER_OVERFLOW") return "headersTooLarge";
  return code?.startsWith("HPE_") === true ? "malformed" : undefined;
}

interface Refused {
  readonly refusedBy: string;
  readonly reason: string;
}

const REFUSALS: Readonly<Record<MalformedKind, Refused>> = {
  contentLength: {
    refusedBy: "contentLengthFits",
    reason: "Content-Length must be one whole number, the length of the body in bytes",
  },
  headersTooLarge: {
    refusedBy: "headerLinesFit",
    reason: `the header lines are too long: expected at most ${LONGEST_HEADER_LINE_BYTES} bytes in each`,
  },
  malformed: { refusedBy: "http", reason: "malformed HTTP/1.1 request" },
  bodyTooLarge: { refusedBy: "bodyLimit", reason: "the request body is larger than 64 MiB" },
  overloaded: {
    refusedBy: "bodyLimit",
    reason: "the bodies of the requests that are being answered exceed 512 MiB: send fewer at a time",
  },
};

/** Answers a request that could not be read completely, as the real service's front end does. */
export function answerMalformed(
  emulator: Pick<Emulator<EmulatorServices>, "handle">,
  host: readonly [Service, ...Service[]],
  why: MalformedKind,
  head: RequestHead = { method: "", path: "", query: "", headers: [] },
): Promise<Result> {
  return emulator.handle(host, { ...head, body: Buffer.alloc(0) }, { malformed: why, ...REFUSALS[why] });
}
