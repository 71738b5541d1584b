import { ENTITY_TOO_LARGE_PAGE, HEADER_TOO_LARGE_PAGE, JETTY_PAGE } from "../apis/signed/responses.ts";
import { REGIONS } from "../emulator/profiles.ts";
import type { Expected, Situation } from "./fact.ts";
import { goodPlan, type Part, type Plan, queryOf } from "./query-plan.ts";
import { makePng, pngChunk } from "./requests.ts";
import type { Answer, Kind, More, Row } from "./row.ts";

const NGINX = { Connection: "keep-alive", Server: "nginx", Date: "<date>" };
const text = (status: number, contentType: string, body: string, more = {}): Expected => ({
  status,
  headers: Object.entries({ ...NGINX, "Content-Type": contentType, ...more }),
  body,
});
export const bare = (
  status: number,
  headers: Readonly<Record<string, string>> = NGINX,
  body = "",
): Expected => ({
  status,
  headers: Object.entries(headers),
  body,
});
/** A result code and a status, in JSON. */
const json = (answer: string, space = "", more = {}): Expected => {
  const [code, status] = answer.split(" ");
  const body = `{"transaction_id":${space}"<id>","result_code":"${code}"}`;
  return text(Number(status), "application/json", body, more);
};
export const FOUND = text(
  200,
  "application/json",
  '{"result_code":"Success","results":[<any>],"query_id":"<id>"}',
);

/** The query API. Every response has its encoding, which is a fact of its own, and by profile the region. */
export const QUERY: Kind<Plan> = {
  api: "query",
  about: () => "A query",
  right: (_on, { now }) => goodPlan(now),
  written: (plan, { keys }) => queryOf(plan, keys),
  needs: () => ({ needs: "reading" }),
  named: (answer) => json(answer),
  complete: ({ headers = [], ...rest }, { profile: { queryRegion, regionHeader } }) => ({
    ...rest,
    headers: [
      ...headers,
      ["Content-Encoding?", "gzip"],
      ...(queryRegion ? [[regionHeader, REGIONS] as const] : []),
    ],
  }),
};

type QueryChange = (plan: Plan, at: Situation) => void;
export const set =
  (parts: Partial<Plan>): QueryChange =>
  (plan) => {
    Object.assign(plan, parts);
  };
export const unchanged = (): void => undefined;
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
const dated =
  (date: (now: Date) => string): QueryChange =>
  (plan, { now }) => {
    plan.date = date(now);
  };
export const minutesAway = (minutes: number) =>
  dated((now) => new Date(now.getTime() + minutes * 60_000).toUTCString());
/** A valid PNG, padded to a length by an extra chunk. */
export const pngOfLength = (bytes: number) =>
  makePng({ before: [pngChunk("tEXt", Buffer.alloc(bytes - makePng().length - 12, 65))] });

const LATIN1 = "text/plain;charset=iso-8859-1";
const challenge = (body: string) => text(401, LATIN1, body, { "WWW-Authenticate": "KWS" });
const formText = (body: string) => text(400, "application/json", body);
export const UNAUTHORIZED = json("AuthenticationFailure 401", "", { "WWW-Authenticate": "VWS" });
export const MALFORMED = challenge("Malformed authorization header.");
export const BAD_DATE = challenge("Malformed date header.");
export const NO_DATE = text(400, LATIN1, "Date header required.");
export const NO_BOUNDARY = text(400, "text/plain;charset=utf-8", "Unable to get boundary for multipart");
export const NO_IMAGE = formText("No image.");
export const BAD_IMAGE = json("BadImage 422", " ");
export const UNKNOWN_FIELD: Answer = {
  neutral: "UnknownParameters 400",
  vuforia: formText("Unknown parameters in the request."),
};
export const LONG_HEADER = bare(
  400,
  { Server: "nginx", "Content-Type": "text/html", Connection: "close" },
  HEADER_TOO_LARGE_PAGE.toString(),
);
export const NO_TYPE = text(400, "text/html;charset=iso-8859-1", JETTY_PAGE.toString(), {
  "Cache-Control": "must-revalidate,no-cache,no-store",
});
export const TOO_LARGE = bare(
  413,
  { ...NGINX, Connection: "Close", "Content-Type": "text/html" },
  ENTITY_TOO_LARGE_PAGE.toString(),
);
export const invalidNumber = (given: string) =>
  formText(
    `Invalid value '${given}' in form data part 'max_result'. Expecting integer value in range from 1 to 50 (inclusive).`,
  );
export const outOfRange = (given: string) =>
  formText(
    `Integer out of range (${given}) in form data part 'max_result'. Accepted range is from 1 to 50 (inclusive).`,
  );
export const invalidChoice = (given: string) =>
  formText(
    `Invalid value '${given.toLowerCase()}' in form data part 'include_target_data'. Expecting one of the (unquoted) string values 'all', 'none' or 'top'.`,
  );
export const INACTIVE = json("InactiveProject 403", " ");
export const NO_AUTHORIZATION = challenge("Authorization header missing.");
export const TIMED_OUT = bare(504, { Connection: "keep-alive" });
export const BAD_LENGTH = bare(400, { Connection: "Close" });

export const ON = "query";

/** A row for each value; the words end with it. */
export const each = <Value>(
  words: string,
  values: readonly Value[],
  answer: Answer,
  change: (value: Value) => QueryChange,
  more?: More,
): Row<Plan>[] => values.map((value) => [ON, `${words} ${value}`, answer, change(value), more]);
/** The same for texts, whose quotation marks the words show. */
export const quoted = (
  words: string,
  values: readonly string[],
  answer: (value: string) => Answer,
  change: (value: string) => QueryChange,
  more?: More,
): Row<Plan>[] =>
  values.map((value) => [ON, `${words} ${JSON.stringify(value)}`, answer(value), change(value), more]);
export const changed = (answer: Answer, ...changes: readonly ((right: string) => string)[]): Row<Plan>[] =>
  changes.map((change) => [
    ON,
    `Authorization like ${JSON.stringify(change("VWS key:signature"))}`,
    answer,
    set({ authorization: change }),
  ]);
export const fieldOf = (name: string) => (content: string) => field(name, content);
export const ofType = (contentType: string) => set({ contentType });
export const ofDate = (date: string) => set({ date });
export const accepting = (accept: string) => set({ accept });

export const UNACCEPTABLE = ["text/html, image/*", "application/json;q=0", "application/json; q=0.0, */*"];
export const MALFORMED_DATES = [
  "Sat, 21 Nov 2026 10:42:00 UTC",
  "Sat, 21 Nov 2026 10:42:00 +0000",
  "Sat, 31 Jun 2026 10:42:00 GMT",
  "21 Nov 2026 10:42:00 GMT",
  "Sat, 21 Nov 26 10:42:00 GMT",
  "Saturday, 21 Nov 2026 10:42:00 GMT",
];
export const NO_NUMBERS = [
  "",
  " ",
  "5.0",
  "1e1",
  "a",
  "0x5",
  "1_0",
  "--5",
  "+",
  "2147483648",
  "9".repeat(400),
  "é",
];
export const OUT_OF_RANGE = ["0", "51", "-1", "2147483647", " +00 ", "-2147483649"];

export const GIF_IMAGE = image(
  Buffer.from(
    "47494638396101000100800000000000ffffff21f90400000000002c00000000010001000002024401003b",
    "hex",
  ),
);
export const wideImage = (width: number, height: number) =>
  image(makePng({ width, height, depth: 1, colourType: 0 }));

export const ACCEPTED_TYPES = [
  "multipart/form-data; boundary=b0undary; charset=utf-8",
  'multipart/form-data; charset=utf-8; BOUNDARY="b0undary"',
  "Multipart/Form-Data;boundary=b0undary;",
  "multipart/form-data ; boundary = b0undary",
  "multipart/form-data; boundary=b0undary; boundary=other",
];
export const ACCEPTABLE = [
  "application/json, text/plain, */*",
  "application/json; charset=utf-8",
  "application/*",
  "Application/Json",
  "text/html;q=0.9, */*;q=0.1",
  "*/*;q=0, application/json",
];

/** The moment's weekday, day, month, year and time, in one of the accepted forms. */
export const inForm = (form: string) =>
  dated((now) => {
    const [weekday = "", day = "", month = "", year = "", time = ""] = now
      .toUTCString()
      .replace(",", "")
      .split(" ");
    const parts: Readonly<Record<string, string>> = {
      Sat: weekday,
      "21": day,
      Nov: month,
      "2026": year,
      "10:42:00": time,
    };
    return form.replaceAll(/10:42:00|2026|21|Sat|Nov/g, (part) => parts[part] ?? "");
  });
export const FORMS = [
  "Sat, 21 Nov 2026 10:42:00 GMT",
  "Sat 21 Nov 2026 10:42:00",
  "Sat, Nov 21 10:42:00 2026",
  "Sat Nov 21 10:42:00 2026 GMT",
];
