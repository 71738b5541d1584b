import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";
import { makePng } from "../support/png.ts";
import type { RequestParts, Situation } from "./engine/fact.ts";
import { ANSWERS, type RequestChange, ROUTES, type Route } from "./rows.ts";
import { filled, type Lookup, lookupIn, made, without } from "./values.ts";

export function routeNamed(on: string): Route {
  const route = ROUTES[on];
  if (route === undefined) throw new Error(`no route ${on}`);
  return route;
}

const BOUNDARY = "b0undary";

/** Writes the form of a query. */
function formOf(
  { image, filename, part_headers: headers, form = [], boundary = BOUNDARY }: RequestChange,
  lookup: Lookup,
): Buffer {
  const content = image === undefined ? makePng() : made(image, lookup);
  const file = filename === null ? "" : '; filename="query.png"\r\nContent-Type: image/png';
  const others = form.flatMap(([name, value, times = 1]) =>
    Array.from({ length: times }, () => [name, filled(value, lookup), ""] as const),
  );
  const parts = [...(content === null ? [] : [["image", content, file] as const]), ...others];
  const pieces = parts.flatMap(([name, value, rest]) => [
    `--${boundary}\r\n${headers ?? `Content-Disposition: form-data; name="${name}"${rest}`}\r\n\r\n`,
    Buffer.isBuffer(value) ? value : String(value),
    "\r\n",
  ]);
  return Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece)));
}

function bodyOf(route: Route, send: RequestChange, lookup: Lookup): Buffer | undefined {
  const { body, json, fields } = send;
  if (body !== undefined) {
    const bytes = made(body, lookup);
    return Buffer.isBuffer(bytes) ? bytes : Buffer.from(String(bytes));
  }
  if (json !== undefined) return Buffer.from(JSON.stringify(made(json, lookup)));
  if (route.form === true) return formOf(send, lookup);
  if (route.fields === undefined && (fields === undefined || Object.keys(fields).length === 0))
    return undefined;
  const content = { ...Object(made(route.fields ?? {}, lookup)), ...Object(made(fields ?? {}, lookup)) };
  return Buffer.from(JSON.stringify(without(content, send.without)));
}

/** The parameters of the URL that an earlier response named, with changes; null: under other names. */
function withParameters(
  changes: Readonly<Record<string, string | null>>,
  path: string,
  { given, profile }: Situation,
): string {
  const url = given("presigned_url");
  const [own = "", query = ""] = url.slice(Math.max(0, url.indexOf("/reports/"))).split("?");
  const parameters = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    const full = `${ANSWERS.profiles[profile].parameter}${name}`;
    if (value !== null) {
      parameters.set(full, value);
      continue;
    }
    // Another prefix, or lower case, is another parameter.
    for (const other of [`X-Other-${name}`, full.toLowerCase()])
      parameters.set(other, parameters.get(full) ?? "");
    parameters.delete(full);
  }
  return `${path === "" ? own : path}?${parameters}`;
}

function dateOf({ date }: RequestChange, { now }: Situation, lookup: Lookup): string | null {
  if (date === undefined) return rfc1123Date(now);
  if (date === null || typeof date === "string") return date && filled(date, lookup);
  return new Date(now.getTime() + date.minutes * 60_000).toUTCString();
}

/** Writes the request to a route with what is special about it, and signs it. */
export function requestTo(
  to: string,
  send: RequestChange,
  at: Situation,
  own?: Readonly<Record<string, unknown>>,
): RequestParts {
  const route = routeNamed(to);
  const lookup = lookupIn(at, own);
  const [usualMethod = "", usualPath = ""] = route.send.split(" ");
  const method = send.method ?? usualMethod;
  const given = filled(send.path ?? usualPath, lookup);
  const path =
    send.parameters === undefined
      ? given
      : withParameters(send.parameters, send.path === undefined ? "" : given, at);
  const body = bodyOf(route, send, lookup);
  const signed = signedHeaders(route, send, { method, path, body }, at, lookup);
  const lookupSigned: Lookup = (name) =>
    name === "signature" ? (signed.Authorization?.split(":")[1] ?? "") : lookup(name);
  const headers: Record<string, unknown> = {
    ...signed,
    ...Object(made(route.headers ?? {}, lookupSigned)),
    ...Object(made(send.headers ?? {}, lookupSigned)),
  };
  const length = send.length?.replace(/\{length([+-]\d+)\}/, (_, more) =>
    String((body?.length ?? 0) + Number(more)),
  );
  const { offers_http2: offersHttp2, moment } = send;
  return {
    ...{ method, path, body, contentLength: length, headers: present(headers) },
    ...(offersHttp2 !== undefined && { offersHttp2 }),
    ...(moment !== undefined && { moment }),
  };
}

function signedHeaders(
  { signed, form }: Route,
  send: RequestChange,
  parts: Pick<RequestParts, "method" | "path" | "body">,
  at: Situation,
  lookup: Lookup,
): Record<string, string> {
  if (signed === undefined) return {};
  const { serverAccessKey, serverSecretKey, clientAccessKey, clientSecretKey } = at.keys;
  const [accessKey = "", secretKey = ""] =
    signed === "server" ? [serverAccessKey, serverSecretKey] : [clientAccessKey, clientSecretKey];
  const usual = form === true ? `multipart/form-data; boundary=${BOUNDARY}` : "application/json";
  const type = send.type === undefined ? parts.body && usual : send.type && filled(send.type, lookup);
  const date = dateOf(send, at, lookup);
  const Authorization = authorizationHeader({
    ...parts,
    path: parts.path.split("?", 1)[0] ?? parts.path,
    accessKey,
    secretKey: send.secret ?? secretKey,
    contentType: type ?? undefined,
    date: date ?? undefined,
  });
  return present({ Authorization, Date: date, "Content-Type": type });
}

/** The headers that have a value. */
const present = (headers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );

/** The method and the path of a route, as sentences show them. */
export const routeInWords = (on: string): string =>
  routeNamed(on).send.replaceAll("{added.", "{").replaceAll("{target_id}", "{id}");
