import type { JournalEntry } from "../../emulator/journal.ts";
import { header, type WireRequest } from "../../emulator/message.ts";
import { type AnyCause, cause, withFurther } from "../../schema/causes/causes.ts";
import type { ApiContext } from "../services.ts";
import { rightLines, type SignedLines, wrongLine } from "./signed-variants.ts";

const MOST_COMPARED = 20;

/** A request that was signed right a moment ago. */
export interface Earlier {
  readonly why: AnyCause;
  /** What was signed, if it is known. */
  readonly lines?: SignedLines;
}

/** Explains the signature of one of the latest requests: first by the line that differs from it, if it is one. */
export function reuseOf(
  { services: { journal }, request }: ApiContext,
  signature: string,
  right: SignedLines,
): Earlier | undefined {
  // A request whose own signature was wrong is not its source.
  const entry = journal
    .newest(MOST_COMPARED)
    .find((each) => each.signature === undefined && each.request.isSignedWith(signature));
  if (entry === undefined) return undefined;
  const { number, method, path } = entry;
  const reused = cause("signature.reused", { number, method, path });
  const isSameBody = entry.request.body.isOf(request.body);
  const lines = linesOf(entry, right);
  const differing = (["method", "type", "date", "path"] as const).filter(
    (line) => lines[line] !== right[line],
  );
  const [line, ...others] = isSameBody ? differing : [...differing, "digest" as const];
  if (line === undefined || others.length > 0) return { why: reused };
  const why = withFurther(wrongLine(line, request, right, lines[line]), reused);
  return isSameBody ? { why, lines } : { why };
}

/** The lines of an earlier request, with the digest of this one. */
function linesOf({ method, path, request }: JournalEntry, right: SignedLines): SignedLines {
  const { headers } = request;
  const text = { method, path, query: "", headers: Object.entries(headers), body: Buffer.alloc(0) };
  return rightLines(text satisfies WireRequest, right.digest);
}

/** Number of the latest request of this access key that was served: its secret key was right. */
export const servedBefore = ({ services: { journal } }: ApiContext, accessKey: string): number | undefined =>
  journal
    .newest(MOST_COMPARED)
    .find(
      ({ status, refusedBy, signature, request }) =>
        status !== undefined &&
        refusedBy === undefined &&
        signature === undefined &&
        request.namesKey(accessKey),
    )?.number;

/** Whether the request's own `Content-MD5` is that of its body; undefined if it has none. */
export function isContentRight(request: WireRequest, digest: string): boolean | undefined {
  const given = header(request, "content-md5");
  if (given === undefined) return undefined;
  return given.toLowerCase() === digest || Buffer.from(given, "base64").toString("hex") === digest;
}
