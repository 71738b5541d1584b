import type { Database } from "../../../core/schema/database.ts";
import type { ShownRequest } from "../../model.ts";
import { state } from "./connection.ts";

/** Headers that curl or the signing below sets itself. */
const OWN_HEADERS = [
  "host",
  "content-length",
  "connection",
  "authorization",
  "date",
  "accept-encoding",
  "transfer-encoding",
];

const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;

/** The base URLs of the servers, or those of the service when another process serves them. */
export const baseUrlOf = (api: ShownRequest["api"]): string => {
  const urls = state.value?.urls;
  if (api === "manager") return urls?.manager ?? location.origin;
  return api === "query"
    ? (urls?.query ?? "https://cloudreco.vuforia.com")
    : (urls?.target ?? "https://vws.vuforia.com");
};

interface CurlRequest {
  readonly baseUrl: string;
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  /** Without those that depend on the moment or on the connection. */
  readonly headers?: readonly (readonly [string, string])[];
  /** The keys to sign with; without them, the request is not signed. */
  readonly keys?: { readonly access: string; readonly secret: string } | undefined;
  readonly body?: string | undefined;
}

export function curlCommands(request: CurlRequest): string {
  const { baseUrl, method, path, query = "", headers = [], keys, body } = request;
  const [, type = ""] = headers.find(([name]) => name.toLowerCase() === "content-type") ?? [];
  const md5 = body === undefined ? "printf '' | openssl md5" : "openssl md5 < request-body";
  const options = [
    `curl -i -X ${method} ${quoted(`${baseUrl}${path}${query === "" ? "" : `?${query}`}`)}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(keys ? ['-H "Date: $DATE"', `-H "Authorization: VWS "${quoted(keys.access)}":$SIGNATURE"`] : []),
    ...(body === undefined ? [] : ["--data-binary @request-body"]),
  ];
  const signing = (secret: string) => [
    `DATE=$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')`,
    `MD5=$(${md5} | sed 's/.* //')`,
    `SIGNATURE=$(printf '${method}\\n%s\\n%s\\n%s\\n%s' "$MD5" ${quoted(type.replace(/;.*$/, ""))} "$DATE" ${quoted(path)} |`,
    `  openssl dgst -sha1 -hmac ${quoted(secret)} -binary | openssl base64)`,
  ];
  const lines = [
    ...(body === undefined ? [] : [`curl -s ${quoted(body)} -o request-body`]),
    ...(keys ? signing(keys.secret) : []),
    options.join(" \\\n  "),
  ];
  return `${lines.join("\n")}\n`;
}

function keysOf({ api }: ShownRequest, database: Database | undefined) {
  if (database?.kind === "cloud" && api === "query")
    return { access: database.clientAccessKey, secret: database.clientSecretKey };
  return database && { access: database.serverAccessKey, secret: database.serverSecretKey };
}

/** Commands that send a request again, with a new signature. */
export const curlOf = (request: ShownRequest, database: Database | undefined): string =>
  curlCommands({
    baseUrl: baseUrlOf(request.api),
    method: request.method,
    path: request.path,
    query: request.request.query,
    headers: request.request.headers.filter(([name]) => !OWN_HEADERS.includes(name.toLowerCase())),
    keys: keysOf(request, database),
    body: request.request.size > 0 ? `${location.origin}/page/bodies/${request.number}` : undefined,
  });
