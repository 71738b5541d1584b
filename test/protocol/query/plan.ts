import { authorizationHeader, type DatabaseState, rfc1123Date } from "mock-cloud-reco";
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

export interface ClientKeys {
  readonly clientAccessKey: string;
  readonly clientSecretKey: string;
}

/** 2026-11-21 10:42:00 GMT, a Saturday: the moment of the protocol's examples. */
export const START = new Date(Date.UTC(2026, 10, 21, 10, 42));

export const queryImage = makePng();
export const imagePart = (content: Buffer = queryImage): Part => ({
  name: "image",
  filename: "query.png",
  content,
});

export const goodPlan = (now: Date = START): Plan => ({
  state: "WORKING",
  parts: [imagePart()],
  boundary: "b0undary",
  contentType: "multipart/form-data; boundary=b0undary",
  date: rfc1123Date(now),
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

/** A query's headers, signed with the database's client keys, and its body. */
export interface Query {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Signs and serialises the planned query. */
export function queryOf(
  plan: Plan,
  keys: ClientKeys,
  body: Buffer = multipart(plan.parts, plan.boundary),
): Query {
  const { contentType, date, accept, extraHeader } = plan;
  const authorization = authorizationHeader({
    accessKey: keys.clientAccessKey,
    secretKey: keys.clientSecretKey,
    method: "POST",
    path: "/v1/query",
    body,
    contentType,
    date,
  });
  const headers = Object.entries({
    Authorization: plan.authorization?.(authorization),
    "Content-Type": contentType,
    Date: date,
    Accept: accept,
    "Content-Length": plan.contentLength?.(body.length),
    "X-Extra": extraHeader,
  });
  return {
    headers: Object.fromEntries(
      headers.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    body,
  };
}
