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

/** Quotes a value for a POSIX shell. */
export const shellQuoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;

const baseUrlOf = (api: ShownRequest["api"]): string => {
  const urls = state.value?.urls;
  if (api === "manager") return urls?.manager ?? location.origin;
  return api === "query"
    ? (urls?.query ?? "https://cloudreco.vuforia.com")
    : (urls?.target ?? "https://vws.vuforia.com");
};

/** The keys that sign requests of a request's API to its database. */
function keysOf({ api, database: name }: ShownRequest) {
  const cloud = state.value?.cloudDatabases.find(({ databaseName }) => databaseName === name);
  if (cloud !== undefined && api === "query")
    return { access: cloud.clientAccessKey, secret: cloud.clientSecretKey };
  const database = cloud ?? state.value?.vuMarkDatabases.find(({ databaseName }) => databaseName === name);
  return database && { access: database.serverAccessKey, secret: database.serverSecretKey };
}

/** Commands that send a request again, signed anew with the database's keys and with the same body. */
export function curlOf(id: string, request: ShownRequest): string {
  const { method, path, request: sent } = request;
  const { query } = sent;
  const url = `${baseUrlOf(request.api)}${path}${query === "" ? "" : `?${query}`}`;
  const keys = keysOf(request);
  const headers = sent.headers.filter(([name]) => !OWN_HEADERS.includes(name.toLowerCase()));
  const contentType = sent.headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  const hasBody = sent.size > 0;
  const lines = hasBody
    ? [`curl -s ${shellQuoted(`${location.origin}/page/bodies/${encodeURIComponent(id)}`)} -o request-body`]
    : [];
  if (keys !== undefined) {
    const body = hasBody ? "openssl md5 < request-body" : "printf '' | openssl md5";
    const format = `${method}\\n%s\\n%s\\n%s\\n%s`;
    lines.push(
      `DATE=$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')`,
      `MD5=$(${body} | sed 's/.* //')`,
      `SIGNATURE=$(printf '${format}' "$MD5" ${shellQuoted(contentType.replace(/;.*$/, ""))} "$DATE" ${shellQuoted(path)} |`,
      `  openssl dgst -sha1 -hmac ${shellQuoted(keys.secret)} -binary | openssl base64)`,
    );
  }
  const options = [
    ...headers.map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(keys === undefined
      ? []
      : ['-H "Date: $DATE"', `-H "Authorization: VWS "${shellQuoted(keys.access)}":$SIGNATURE"`]),
    ...(hasBody ? ["--data-binary @request-body"] : []),
  ];
  lines.push([`curl -i -X ${method} ${shellQuoted(url)}`, ...options].join(" \\\n  "));
  return `${lines.join("\n")}\n`;
}
