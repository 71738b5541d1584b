import { crc32, deflateSync } from "node:zlib";
import { authorizationHeader, rfc1123Date } from "../emulator/signing.ts";
import { withoutUndefined } from "../schema/kernel/record.ts";
import type { RequestParts, Situation } from "./fact.ts";

/** Properties of a generated PNG; by default a 32x24 8-bit RGB image. */
interface PngShape {
  readonly width?: number;
  readonly height?: number;
  readonly depth?: number;
  readonly colourType?: number;
  /** Chunks between IHDR and IDAT. */
  readonly before?: readonly Buffer[];
  /** Returns the byte at a position of the unfiltered pixel data. Default: noise. */
  readonly fill?: (index: number) => number;
}

/** By colour type. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

/** One chunk with its checksum. */
export function pngChunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** Writes a PNG file byte by byte, because image libraries do not write all kinds. */
export function makePng(shape: PngShape = {}): Buffer {
  const { width = 32, height = 24, depth = 8, colourType = 2, before = [], fill = noiseByte } = shape;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(depth, 8);
  header.writeUInt8(colourType, 9);
  const rowBytes = Math.ceil((width * depth * (SAMPLES[colourType] ?? 1)) / 8);
  const rows = Buffer.alloc((rowBytes + 1) * height);
  for (let index = 0; index < rows.length; index++) {
    rows[index] = index % (rowBytes + 1) === 0 ? 0 : fill(index);
  }
  return Buffer.concat([
    SIGNATURE,
    pngChunk("IHDR", header),
    ...before,
    pngChunk("IDAT", deflateSync(rows)),
    pngChunk("IEND"),
  ]);
}

/** A pseudo-random byte, the same for the same index. */
export function noiseByte(index: number): number {
  return (Math.imul(index + 1, 2654435761) >>> 13) & 255;
}

/** A request that is right in every point until a fact changes it. */
export interface Draft {
  method: string;
  path: string;
  fields?: Readonly<Record<string, unknown>> | undefined;
  /** Replaces the JSON of the fields. */
  bytes?: Buffer;
  contentType?: string;
  /** Replaces the current date; signed. */
  date?: string;
  /** Replace headers after signing; null removes one. */
  headers: Record<string, string | null>;
  wrongKey?: boolean;
  /** Without `Authorization`, `Date` and `Content-Type`, but for those among the headers. */
  isUnsigned?: boolean;
  contentLength?: string;
  offersHttp2?: boolean;
  moment?: RequestParts["moment"];
}

/** Small noise: an accepted image that ends `success`. */
export const acceptedImage = (): string => makePng().toString("base64");

type Route = readonly [
  method: string,
  path: (at: Situation) => string,
  fields?: ((at: Situation) => Record<string, unknown>) | undefined,
  headers?: (at: Situation) => Record<string, string>,
];

/** The Model Target API's families of datasets, and its client credentials. */
export const STANDARD = "/modeltargets/datasets";
export const ADVANCED = "/modeltargets/advancedDatasets";
export const CREDENTIALS = "/oauth2/clientcredentials";

const bearer = ({ token }: Situation) => ({ Authorization: `Bearer ${token}` });
const jsonBearer = (at: Situation) => ({ ...bearer(at), "Content-Type": "application/json" });
const asForm = () => ({ "Content-Type": "application/x-www-form-urlencoded" });
/** `{client_id}` and `{uuid}` are what the requests before were answered with. */
const credential = () => `${CREDENTIALS}/{client_id}`;
const dataset = () => `${STANDARD}/{uuid}`;

/** The id of nothing. */
export const UNKNOWN_ID = "0123456789abcdef0123456789abcdef";

/** A creation of a dataset that both families and both profiles accept. */
export const rightModel = { name: "engine", cadDataUrl: "https://cad.example/engine.glb", views: [] };
export const rightDataset = { name: "verify", targetSdk: "10.9", models: [rightModel] };

/** The target API's routes, whose requests are signed. */
const SIGNED: Readonly<Record<string, Route>> = {
  summary: ["GET", () => "/summary"],
  list: ["GET", () => "/targets"],
  get: ["GET", ({ targetId }) => `/targets/${targetId}`],
  add: ["POST", () => "/targets", ({ newName }) => ({ name: newName, width: 1, image: acceptedImage() })],
  update: ["PUT", ({ targetId }) => `/targets/${targetId}`, () => ({})],
  delete: ["DELETE", ({ targetId }) => `/targets/${targetId}`],
  duplicates: ["GET", ({ targetId }) => `/duplicates/${targetId}`],
  "target summary": ["GET", ({ targetId }) => `/summary/${targetId}`],
  instance: [
    "POST",
    ({ targetId }) => `/targets/${targetId}/instances`,
    () => ({ instance_id: "1" }),
    () => ({ Accept: "image/png" }),
  ],
  report: [
    "POST",
    ({ keys }) => `/imagetargets/databases/${keys.databaseId}/reports/recoCounts`,
    ({ now }) => ({ month: now.toISOString().slice(0, 7) }),
  ],
};

const UNSIGNED: Readonly<Record<string, Route>> = {
  unserved: ["PATCH", () => "/", undefined, () => ({ "Accept-Encoding": "gzip" })],
  "report download": ["GET", () => "/reports/x/y.csv"],
  token: ["POST", () => "/oauth2/token", undefined, asForm],
  "list credentials": ["GET", () => CREDENTIALS, undefined, bearer],
  "create credential": ["POST", () => CREDENTIALS, () => ({ scopes: ["modeltargets.all"] }), jsonBearer],
  "set scopes": ["PUT", () => `${credential()}/scopes`, undefined, jsonBearer],
  "delete credential": ["DELETE", credential, undefined, bearer],
  "create dataset": ["POST", () => STANDARD, () => rightDataset, jsonBearer],
  "create advanced dataset": ["POST", () => ADVANCED, () => rightDataset, jsonBearer],
  "dataset status": ["GET", () => `${dataset()}/status`, undefined, bearer],
  "dataset download": ["GET", () => `${dataset()}/dataset`, undefined, bearer],
  "delete dataset": ["DELETE", dataset, undefined, bearer],
};

const ROUTES: Readonly<Record<string, Route>> = { ...SIGNED, ...UNSIGNED };

/** A request to a route, with all that it takes. */
export function draftOf(on: string, at: Situation): Draft {
  const route = ROUTES[on];
  if (route === undefined) throw new Error(`no route ${on}`);
  const [method, path, fields, headers] = route;
  const isUnsigned = SIGNED[on] === undefined;
  return { method, path: path(at), fields: fields?.(at), headers: { ...headers?.(at) }, isUnsigned };
}

/** The method and the path of a route, as sentences show them. */
export const routeOf = (on: string): string => {
  const given = (name: string) => `{${name}}`;
  const shown = { targetId: "{id}", keys: { databaseId: "{database_id}" }, given } as Situation;
  const [method, path] = ROUTES[on] ?? ["", () => on];
  return `${method} ${path(shown)}`;
};

/** Writes a draft, and signs it with the server keys. */
export function written(draft: Draft, { keys, now, given }: Situation): RequestParts {
  const path = draft.path.replace(/\{(uuid|client_id)\}/, (_, name: string) => given(name));
  const { method, fields, contentLength, offersHttp2, moment } = draft;
  const body = draft.bytes ?? (fields === undefined ? undefined : Buffer.from(JSON.stringify(fields)));
  const rest = { method, path, body, contentLength, ...withoutUndefined({ offersHttp2, moment }) };
  if (draft.isUnsigned === true) return { ...rest, headers: present(draft.headers) };
  const contentType = draft.contentType ?? (body === undefined ? undefined : "application/json");
  const date = draft.date ?? rfc1123Date(now);
  const authorization = authorizationHeader({
    accessKey: keys.serverAccessKey ?? "",
    secretKey: draft.wrongKey === true ? "wrong" : (keys.serverSecretKey ?? ""),
    method,
    path: path.split("?", 1)[0] ?? path,
    body,
    contentType,
    date,
  });
  const headers = {
    Authorization: authorization,
    Date: date,
    ...(contentType !== undefined && { "Content-Type": contentType }),
    ...draft.headers,
  };
  return { ...rest, headers: present(headers) };
}

/** The headers that have a value. */
export const present = (
  headers: Readonly<Record<string, string | null | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );

export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;

type DraftChange = (draft: Draft, at: Situation) => void;
type Made<Value> = Value | ((at: Situation) => Value);
const made = <Value extends string | object>(value: Made<Value>, at: Situation): Value =>
  typeof value === "function" ? value(at) : value;

/** Sets a header, or removes it. */
export const header =
  (name: string, value: Made<string> | null): DraftChange =>
  (draft, at) => {
    draft.headers[name] = value === null ? null : made(value, at);
  };
/** Sets fields of the JSON body; undefined removes one. */
export const fields =
  (given: Made<Record<string, unknown>>): DraftChange =>
  (draft, at) => {
    draft.fields = { ...draft.fields, ...made(given, at) };
  };
/** Replaces the body. */
export const body =
  (given: Made<string | Buffer>, encoding: BufferEncoding = "utf8"): DraftChange =>
  (draft, at) => {
    const bytes = made(given, at);
    draft.bytes = typeof bytes === "string" ? Buffer.from(bytes, encoding) : bytes;
  };
export const path =
  (given: Made<string>): DraftChange =>
  (draft, at) => {
    draft.path = made(given, at);
  };
/** Sets other parts of a request. */
export const set =
  (parts: Made<Partial<Draft>>): DraftChange =>
  (draft, at) => {
    Object.assign(draft, made(parts, at));
  };
/** A date so many minutes away. */
export const minutesAway =
  (minutes: number): DraftChange =>
  (draft, { now }) => {
    draft.date = new Date(now.getTime() + minutes * 60_000).toUTCString();
  };
