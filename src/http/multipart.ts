import { createHash } from "node:crypto";
import type Busboy from "busboy";
import { loadModule } from "../runtime/load-module.ts";
import { type RawPart, splitParts } from "./multipart-parts.ts";

/** One part of a multipart form. */
export interface FormPart {
  /** The field's name, with case; empty when it has none. */
  readonly name: string;
  /** Whether it has a `filename` parameter, possibly an empty one. */
  readonly isFile: boolean;
  /** Exactly the bytes between the part's headers and the next boundary. */
  readonly content: Buffer;
}

/**
 * Reads a multipart form. Never fails: parts that did not end, or whose headers are broken, are left out.
 *
 * @param boundary - as the `Content-Type` header has it: one character per byte.
 */
export async function readForm(body: Buffer, boundary: string): Promise<readonly FormPart[]> {
  // A hash of the body does not occur in the body, and needs no quoting.
  const safeBoundary = createHash("sha256").update(body).digest("hex");
  const busboy: typeof Busboy = loadModule("busboy");
  const parser = busboy({
    headers: { "content-type": `multipart/form-data; boundary=${safeBoundary}` },
    preservePath: true,
  });
  const parts: Promise<FormPart>[] = [];
  parser.on("file", (name: string | undefined, stream, { filename }: { filename: string | undefined }) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    parts.push(
      new Promise((resolve) => {
        stream.on("end", () =>
          resolve({ name: name ?? "", isFile: filename !== undefined, content: Buffer.concat(chunks) }),
        );
      }),
    );
  });
  // So it reports broken part headers, and reads on behind them.
  parser.on("error", () => undefined);
  const closed = new Promise((resolve) => parser.on("close", resolve));
  parser.end(forBusboy(splitParts(body, Buffer.from(boundary, "latin1")), safeBoundary));
  await closed;
  return Promise.all(parts);
}

/** A `filename` parameter, or anything else in quotes. */
const FILE_NAME = /;\s*filename\*?=(?:"(?:[^"\\\r\n]|\\.)*"|[^;\r\n]*)|"(?:[^"\\\r\n]|\\.)*"/gi;

/**
 * The parts as one complete body. Every part is declared `application/octet-stream`, which makes busboy hand over its
 * bytes: it would decode, and cut, what it takes for text. File names, which matter to nobody, are made ones that
 * busboy accepts: it takes an empty one for none.
 */
function forBusboy(parts: readonly RawPart[], boundary: string): Buffer {
  const pieces = parts.flatMap(({ headers, content }) => {
    const named = headers.replace(FILE_NAME, (found) => (found.startsWith(";") ? '; filename="-"' : found));
    const lines = `--${boundary}\r\nContent-Type: application/octet-stream\r\n${named}\r\n\r\n`;
    return [Buffer.from(lines, "latin1"), content, Buffer.from("\r\n")];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}
