import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";
import type { RequestParts } from "../conformance/engine/fact.ts";
import { makePng } from "./png.ts";

interface Part {
  readonly name: string;
  readonly filename?: string | undefined;
  readonly content: Buffer | string;
  /** Replaces the part's headers. */
  readonly headers?: string;
}

/** A query before it is signed: a correct one, and what a test changes about it. */
export interface Plan {
  parts: readonly Part[];
  /** What the body is written with. */
  boundary: string;
  contentType: string | undefined;
  date: string | undefined;
  accept: string | undefined;
  /** Replaces what belongs there: a function of the right value, or undefined for no header. */
  authorization: ((right: string) => string) | undefined;
  contentLength: ((right: number) => string) | undefined;
  /** Others. */
  headers: Readonly<Record<string, string>>;
}

export const queryImage = makePng();
export const imagePart = (content: Buffer = queryImage): Part => ({
  name: "image",
  filename: "query.png",
  content,
});

export const goodPlan = (now: Date): Plan => ({
  parts: [imagePart()],
  boundary: "b0undary",
  contentType: "multipart/form-data; boundary=b0undary",
  date: rfc1123Date(now),
  accept: undefined,
  authorization: (right) => right,
  contentLength: undefined,
  headers: {},
});

export function multipart(parts: readonly Part[], boundary: string): Buffer {
  const pieces = parts.flatMap(({ name, filename, content, headers }) => {
    const file = filename === undefined ? "" : `; filename="${filename}"\r\nContent-Type: image/png`;
    return [
      `--${boundary}\r\n${headers ?? `Content-Disposition: form-data; name="${name}"${file}`}\r\n\r\n`,
      content,
      "\r\n",
    ];
  });
  return Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece)));
}

/** Signs and serialises the planned query. */
export function queryOf(
  plan: Plan,
  keys: { readonly clientAccessKey?: string | undefined; readonly clientSecretKey?: string | undefined },
  body: Buffer = multipart(plan.parts, plan.boundary),
): RequestParts & { readonly body: Buffer } {
  const { contentType, date, accept } = plan;
  const authorization = authorizationHeader({
    accessKey: keys.clientAccessKey ?? "",
    secretKey: keys.clientSecretKey ?? "",
    method: "POST",
    path: "/v1/query",
    body,
    contentType,
    date,
  });
  return {
    method: "POST",
    path: "/v1/query",
    headers: Object.fromEntries(
      Object.entries({
        Authorization: plan.authorization?.(authorization),
        "Content-Type": contentType,
        Date: date,
        Accept: accept,
        ...plan.headers,
      }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    body,
    contentLength: plan.contentLength?.(body.length),
  };
}
