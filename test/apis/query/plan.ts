import type { CloudDatabase, DatabaseState } from "../../../src/domain/database.ts";
import type { WireRequest } from "../../../src/http/wire-message.ts";
import { authorizationHeader, rfc1123Date } from "../../../src/signing.ts";
import { makePng } from "../../support/png.ts";

export interface Part {
  readonly name: string;
  readonly filename?: string | undefined;
  readonly content: Buffer | string;
}

/** A query before it is signed and sent: the good one, and what a test changes about it. */
export interface Plan {
  state: DatabaseState;
  parts: readonly Part[];
  /** What the body is written with. */
  boundary: string;
  contentType: string | undefined;
  date: string | undefined;
  accept: string | undefined;
  /** Replaces what belongs there: a function of the right value, or undefined for no header. */
  authorization: ((right: string) => string) | undefined;
  contentLength: ((right: number) => string) | undefined;
  extraHeader: string | undefined;
}

export const queryImage = makePng();
export const imagePart = (content: Buffer = queryImage): Part => ({
  name: "image",
  filename: "query.png",
  content,
});

export const goodPlan = (now: number): Plan => ({
  state: "WORKING",
  parts: [imagePart()],
  boundary: "b0undary",
  contentType: "multipart/form-data; boundary=b0undary",
  date: rfc1123Date(new Date(now)),
  accept: undefined,
  authorization: (right) => right,
  contentLength: undefined,
  extraHeader: undefined,
});

export function multipart(parts: readonly Part[], boundary: string): Buffer {
  const pieces = parts.flatMap(({ name, filename, content }) => {
    const file = filename === undefined ? "" : `; filename="${filename}"\r\nContent-Type: image/png`;
    return [
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`,
      content,
      "\r\n",
    ];
  });
  return Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece)));
}

/** The request of a plan, signed with the database's client keys. */
export function requestOf(plan: Plan, database: CloudDatabase): WireRequest {
  return signedQuery(plan, database, multipart(plan.parts, plan.boundary));
}

export function signedQuery(plan: Plan, database: CloudDatabase, body: Buffer): WireRequest {
  const { contentType, date, accept, extraHeader } = plan;
  const authorization = authorizationHeader({
    accessKey: database.clientAccessKey,
    secretKey: database.clientSecretKey,
    method: "POST",
    path: "/v1/query",
    body,
    contentType,
    date,
  });
  const headers: Record<string, string | undefined> = {
    Authorization: plan.authorization?.(authorization),
    "Content-Type": contentType,
    Date: date,
    Accept: accept,
    "Content-Length": plan.contentLength?.(body.length),
    "X-Extra": extraHeader,
  };
  return {
    method: "POST",
    path: "/v1/query",
    query: "",
    headers: Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
    body,
  };
}
