import { createHash, createHmac } from "node:crypto";
import { rfc1123Date } from "mock-cloud-reco";
import type { DatabaseKeys, ServiceUnderTest } from "../../support/backends.ts";
import { nodeClient } from "../../support/clients.ts";
import { makePng } from "../../support/png.ts";

/** A request as it is signed and sent; a mistake changes a part of it. */
export interface Sent {
  api: "target" | "query" | "modelTarget";
  /** Between the signed lines. */
  separator: string;
  method: string;
  path: string;
  /** As it is signed. */
  signed: { method: string; digest: string; type: string; date: string; path: string };
  accessKey: string;
  secretKey: string | Buffer;
  algorithm: "sha1" | "sha224" | "sha256" | "sha384" | "sha512" | "md5";
  encode: (hmac: Buffer) => string;
  /** Whether the HMAC's key and message are swapped. */
  isSwapped?: boolean;
  scheme: string;
  headers: Record<string, string | undefined>;
  body: Buffer;
}

export interface Situation {
  readonly service: ServiceUnderTest;
  readonly keys: DatabaseKeys;
  readonly other: DatabaseKeys;
}

/** What a client gets wrong, how, and what the journal must say: the mistake, and the fix. */
export type Mistake = readonly [
  what: string,
  make: (situation: Situation) => Sent | Promise<Sent>,
  mistake: string,
  fix: string,
];

export const image = makePng({ width: 40, height: 30 });
const BOUNDARY = "b0undary";
export const md5 = (bytes: Buffer | string, encoding: "hex" | "base64" = "hex") =>
  createHash("md5").update(bytes).digest(encoding);

/** What a correct client sends to add a target. */
export function adding({ service, keys }: Situation, fields: object = {}): Sent {
  const body = Buffer.from(
    JSON.stringify({ name: "Käfer", width: 1, image: image.toString("base64"), ...fields }),
  );
  return request({ service, keys }, "POST", "/targets", body, "application/json");
}

/** What a correct client sends to the target API. */
export function request(
  { service, keys }: Pick<Situation, "service" | "keys">,
  method: string,
  path: string,
  body = Buffer.alloc(0),
  type = "",
): Sent {
  const date = rfc1123Date(service.clock.now());
  return {
    api: "target",
    separator: "\n",
    method,
    path,
    signed: { method, digest: md5(body), type, date, path },
    accessKey: keys.serverAccessKey,
    secretKey: keys.serverSecretKey,
    algorithm: "sha1",
    encode: (hmac) => hmac.toString("base64"),
    scheme: "VWS",
    headers: { Date: date, ...(type && { "Content-Type": type }) },
    body,
  };
}

/** What a correct client sends to search for a picture. */
export function searching(
  situation: Situation,
  file: Buffer = image,
  disposition = 'name="image"; filename="a.png"',
): Sent {
  const body = Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
    file,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);
  const sent = request(situation, "POST", "/v1/query", body, "multipart/form-data");
  return {
    ...sent,
    api: "query",
    accessKey: situation.keys.clientAccessKey,
    secretKey: situation.keys.clientSecretKey,
    headers: {
      ...sent.headers,
      "Content-Type": `multipart/form-data; boundary=${BOUNDARY}`,
      "Accept-Encoding": "gzip",
    },
  };
}

/** A request of which something else is signed than it sends. */
export const changed = (sent: Sent, signed: Partial<Sent["signed"]>): Sent => ({
  ...sent,
  signed: { ...sent.signed, ...signed },
});

/** What a correct client sends to list its targets. */
export const listing = (situation: Situation) => request(situation, "GET", "/targets");

/** The date that many hours from the service's. */
export const moved = ({ service }: Situation, hours: number) =>
  new Date(service.clock.now().getTime() + hours * 3_600_000).toUTCString();

/** Sends it; the journal then has it. */
export async function send({ service }: Situation, sent: Sent): Promise<void> {
  const { method, digest, type, date, path } = sent.signed;
  const message = [method, digest, type, date, path].join(sent.separator);
  const [key, text] = sent.isSwapped === true ? [message, sent.secretKey] : [sent.secretKey, message];
  const hmac = createHmac(sent.algorithm, key).update(text).digest();
  const all = { Authorization: `${sent.scheme} ${sent.accessKey}:${sent.encode(hmac)}`, ...sent.headers };
  const headers = Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const { body } = sent;
  await nodeClient({
    method: sent.method,
    url: service.urls[sent.api] + sent.path,
    headers,
    ...(body.length > 0 && { body }),
  }).catch(() => undefined); // Nothing is served at some of the paths.
}
