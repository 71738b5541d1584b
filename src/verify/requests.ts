import { authorizationHeader, rfc1123Date } from "../emulator/signing.ts";
import type { RequestParts, Situation } from "./fact.ts";
import { makePng } from "./png.ts";

/** A request to the target API that is right in every point until a fact changes it. */
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
  contentLength?: string;
}

export type OperationName =
  | "summary"
  | "list"
  | "get"
  | "add"
  | "update"
  | "delete"
  | "duplicates"
  | "target summary"
  | "instance"
  | "report";

/** Small noise: an accepted image that ends `success`. */
export const acceptedImage = (): string => makePng().toString("base64");

/** By operation: its method, its path, and the fields of a correct request. */
const OPERATIONS: Readonly<
  Record<OperationName, readonly [string, (at: Situation) => string, ((at: Situation) => object)?]>
> = {
  summary: ["GET", () => "/summary"],
  list: ["GET", () => "/targets"],
  get: ["GET", ({ targetId }) => `/targets/${targetId}`],
  add: ["POST", () => "/targets", ({ newName }) => ({ name: newName, width: 1, image: acceptedImage() })],
  update: ["PUT", ({ targetId }) => `/targets/${targetId}`, () => ({})],
  delete: ["DELETE", ({ targetId }) => `/targets/${targetId}`],
  duplicates: ["GET", ({ targetId }) => `/duplicates/${targetId}`],
  "target summary": ["GET", ({ targetId }) => `/summary/${targetId}`],
  instance: ["POST", ({ targetId }) => `/targets/${targetId}/instances`, () => ({ instance_id: "1" })],
  report: [
    "POST",
    ({ keys }) => `/imagetargets/databases/${keys.databaseId}/reports/recoCounts`,
    ({ now }) => ({ month: now.toISOString().slice(0, 7) }),
  ],
};

/** The operations that need a target in their path. */
export const ON_TARGETS: readonly OperationName[] = [
  "get",
  "update",
  "delete",
  "duplicates",
  "target summary",
  "instance",
];
export const READING: readonly OperationName[] = ["summary", "list", "get", "duplicates", "target summary"];

export const routeOf = (on: OperationName): string => {
  const [method, path] = OPERATIONS[on];
  const shown = { targetId: "{id}", keys: { databaseId: "{database_id}" } } as Situation;
  return `${method} ${path(shown)}`;
};

export function draftOf(on: OperationName, at: Situation): Draft {
  const [method, path, fields] = OPERATIONS[on];
  return {
    method,
    path: path(at),
    fields: { ...fields?.(at) },
    ...(fields === undefined && { fields: undefined }),
    headers: on === "instance" ? { Accept: "image/png" } : {},
  };
}

/** Signs a draft with the server keys. */
export function signed(draft: Draft, { keys, now }: Situation): RequestParts {
  const { method, path, fields, contentLength } = draft;
  const body = draft.bytes ?? (fields === undefined ? undefined : Buffer.from(JSON.stringify(fields)));
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
  return { method, path, headers: present(headers), body, contentLength };
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
