import { REGIONS } from "../emulator/profiles.ts";
import { authorizationHeader, rfc1123Date } from "../emulator/signing.ts";
import type { Expected, Keys, RequestParts, Situation } from "./fact.ts";
import { makePng, pngChunk, present } from "./requests.ts";
import type { Answer, Kind, More, Row } from "./row.ts";

export interface Part {
  readonly name: string;
  readonly filename?: string | undefined;
  readonly content: Buffer | string;
  /** Replaces the part's headers. */
  readonly headers?: string;
}

/** A query before it is signed: a correct one, and what a fact or a test changes about it. */
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
  /** Is sent in place of a query. */
  instead?: RequestParts;
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
  keys: Pick<Keys, "clientAccessKey" | "clientSecretKey">,
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
    headers: present({
      Authorization: plan.authorization?.(authorization),
      "Content-Type": contentType,
      Date: date,
      Accept: accept,
      ...plan.headers,
    }),
    body,
    contentLength: plan.contentLength?.(body.length),
  };
}

export const NGINX = { Connection: "keep-alive", Server: "nginx", Date: "<date>" };
/** A response may be encoded: what is encoded when is a fact of its own. */
export const bare = (
  status: number,
  headers: Readonly<Record<string, string>> = NGINX,
  body = "",
): Expected => ({
  status,
  headers: Object.entries({ ...headers, "Content-Encoding?": "gzip" }),
  body,
});
export const text = (status: number, contentType: string, body: string, more = {}): Expected =>
  bare(status, { ...NGINX, "Content-Type": contentType, ...more }, body);
/** A result code and a status, in JSON. */
export const json = (answer: string, space = "", more = {}): Expected => {
  const [code, status] = answer.split(" ");
  const body = `{"transaction_id":${space}"<id>","result_code":"${code}"}`;
  return text(Number(status), "application/json", body, more);
};
/** The query API. By profile every response has the region, and failures are never encoded. */
export const QUERY: Kind<Plan> = {
  api: "query",
  about: () => "A query",
  right: (_on, { now }) => goodPlan(now),
  written: (plan, { keys }) => plan.instead ?? queryOf(plan, keys),
  needs: () => ({ needs: "reading" }),
  named: (answer) => json(answer),
  complete: ({ headers = [], ...rest }, { profile: { queryEncoding, queryRegion, regionHeader } }) => {
    const isPlain = queryEncoding !== "always" && rest.status !== 200;
    return {
      ...rest,
      headers: [
        ...headers.filter(([name]) => !isPlain || name !== "Content-Encoding?"),
        ...(queryRegion ? [[regionHeader, REGIONS] as const] : []),
      ],
    };
  },
};

export type QueryChange = (plan: Plan, at: Situation) => void;
export const set =
  (parts: Partial<Plan>): QueryChange =>
  (plan) => {
    Object.assign(plan, parts);
  };
export const field =
  (name: string, content: string): QueryChange =>
  (plan) => {
    plan.parts = [...plan.parts, { name, content }];
  };
export const eachPart =
  (change: (part: Part) => readonly Part[]): QueryChange =>
  (plan) => {
    plan.parts = plan.parts.flatMap(change);
  };
export const contentLength = (change: (right: number) => string) => set({ contentLength: change });
export const image = (content: Buffer) =>
  eachPart((part) => [part.name === "image" ? { ...part, content } : part]);
export const dated =
  (date: (now: Date) => string): QueryChange =>
  (plan, { now }) => {
    plan.date = date(now);
  };
export const minutesAway = (minutes: number) =>
  dated((now) => new Date(now.getTime() + minutes * 60_000).toUTCString());
/** A valid PNG, padded to a length by an extra chunk. */
export const pngOfLength = (bytes: number) =>
  makePng({ before: [pngChunk("tEXt", Buffer.alloc(bytes - makePng().length - 12, 65))] });

export const ON = "query";

/** A row for each value; the words end with it. */
export const each = <Value>(
  words: string,
  values: readonly Value[],
  answer: Answer,
  change: (value: Value) => QueryChange,
  ...more: readonly More[]
): Row<Plan>[] => values.map((value) => [ON, `${words} ${value}`, answer, change(value), ...more]);
/** The same for texts, whose quotation marks the words show. */
export const quoted = (
  words: string,
  values: readonly string[],
  answer: (value: string) => Answer,
  change: (value: string) => QueryChange,
  ...more: readonly More[]
): Row<Plan>[] =>
  values.map((value) => [ON, `${words} ${JSON.stringify(value)}`, answer(value), change(value), ...more]);
/** A row for each content of a field. */
export const eachField = (
  name: string,
  contents: readonly string[],
  answer: (content: string) => Answer,
): Row<Plan>[] => quoted(name, contents, answer, (content) => field(name, content));
export const ofType = (contentType: string) => set({ contentType });
export const accepting = (accept: string) => set({ accept });

export const inState = (state_name: string): More => ({ database: { state_name } });
