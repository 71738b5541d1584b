import type { HeaderList } from "../emulator/message.ts";
import { type Profile, REGIONS } from "../emulator/profiles.ts";
import { assumed, type Expected, type Fact, type Known, knownOf, observed, slug } from "./fact.ts";
import { LARGEST_QUERY_IMAGE } from "./query-form-rows.ts";
import { goodPlan, imagePart, type Plan, queryOf } from "./query-plan.ts";
import type { QueryRow } from "./query-row.ts";
import { QUERY_ROWS } from "./query-rows.ts";

/** The check of each numbered row of the query API's table, in order. */
export const QUERY_CHECKS = [
  "headerLinesFit",
  "contentLengthFits",
  "authorizationGiven",
  "authorizationWellFormed",
  "authenticated",
  "projectActive",
  "acceptsJson",
  "dateGiven",
  "dateWellFormed",
  "dateCurrent",
  "contentTypeGiven",
  "contentTypeIsMultipart",
  "boundaryNamed",
  "boundaryOccurs",
  "fieldsKnown",
  "imageGiven",
  "imageOpens",
  "imageSmallEnough",
  "maxNumResultsValid",
  "includeTargetDataValid",
] as const;

/** The headers that every response of the query API has besides its own; the encoding is a fact of its own. */
const added = ({ queryRegion, regionHeader }: Profile): HeaderList => [
  ["Content-Encoding?", "gzip"],
  ...(queryRegion ? [[regionHeader, REGIONS] as const] : []),
];

export const underProfile =
  (expected: Expected & { readonly headers: HeaderList }, vuforia = expected): Fact["expected"] =>
  ({ profile }) => {
    // The profile that answers an unknown field with text is the one that these answers are of.
    const chosen = profile.unknownQueryField === "text" ? vuforia : expected;
    return { ...chosen, headers: [...chosen.headers, ...added(profile)] };
  };

const requestWith =
  (change: (plan: Plan, now: Date) => void): Fact["request"] =>
  ({ keys, now }) => {
    const plan = goodPlan(now);
    change(plan, now);
    return queryOf(plan, keys);
  };

/** Texts that have no words to make an id of get the number of their case. */
const ids = new Map<string, number>();
function uniqueId(text: string): string {
  const id = slug(text);
  const count = (ids.get(id) ?? 0) + 1;
  ids.set(id, count);
  return count === 1 ? id : `${id}-${count}`;
}

const shown = ({ status, body }: Expected): string => {
  const code = /"result_code":"(\w+)"/.exec(body)?.[1];
  if (code !== undefined) return `${code} ${status}`;
  if (body === "" || body.startsWith("<html>"))
    return `${status}${body === "" ? " and an empty body" : " and a page"}`;
  return `${status} and the text "${body}"`;
};

const refusals = QUERY_ROWS.map((one): Fact => {
  const { row, what, spoil, expected, vuforia, database } = one;
  const check = QUERY_CHECKS[row - 1];
  return {
    id: uniqueId(`query ${row} ${what.replaceAll(/-(?=\d)/g, "minus ")}`),
    api: "query",
    sentence: `A query with ${what} is answered with ${shown(expected)}${vuforia === undefined ? "" : `, or by profile ${shown(vuforia)}`} (row ${row}).`,
    known: knownOf(what, one.assumed),
    // By profile, another row refuses a content type of any kind.
    ...(check !== undefined && !what.endsWith("*/*") && { check }),
    needs: "reading",
    ...(database !== undefined && { database }),
    request: requestWith(spoil),
    expected: underProfile(expected, vuforia),
  };
});

/** The first way of failing each row, and the first of a later row that can fail in the same request. */
const orders = QUERY_CHECKS.flatMap((check, index): Fact[] => {
  const firsts = QUERY_ROWS.filter(({ row }) => row === index + 1);
  const pairs = firsts.flatMap((first) => {
    const second = QUERY_ROWS.find(({ row }) => row > first.row && first.excludes?.includes(row) !== true);
    return second === undefined ? [] : [{ first, second }];
  });
  return pairs.slice(0, 1).map(({ first, second }) => orderOf(check, first, second));
});

function orderOf(check: string, first: QueryRow, second: QueryRow): Fact {
  return {
    id: `query-order-${first.row}-${second.row}`,
    api: "query",
    sentence: `A query with ${first.what} and ${second.what} is answered with ${shown(first.expected)}: row ${first.row} comes before row ${second.row}.`,
    known: first.assumed === true ? assumed : observed,
    check,
    needs: "reading",
    ...((first.database ?? second.database) !== undefined && {
      database: { ...second.database, ...first.database },
    }),
    // The later row first, so that it does not undo what breaks the earlier one.
    request: requestWith((plan, now) => {
      second.spoil(plan, now);
      first.spoil(plan, now);
    }),
    expected: underProfile(first.expected, first.vuforia),
  };
}

export const FOUND = {
  status: 200,
  headers: [
    ["Connection", "keep-alive"],
    ["Server", "nginx"],
    ["Date", "<date>"],
    ["Content-Type", "application/json"],
  ],
  body: '{"result_code":"Success","results":[<any>],"query_id":"<id>"}',
} as const;

const accepted = (what: string, change: (plan: Plan, now: Date) => void, more: Partial<Fact> = {}): Fact => ({
  id: uniqueId(`query accepts ${what}`),
  api: "query",
  sentence: `A query with ${what} is answered with Success 200.`,
  known: knownOf(what),
  needs: "reading",
  request: requestWith(change),
  expected: underProfile(FOUND),
  ...more,
});

const field =
  (name: string, content: string) =>
  (plan: Plan): void => {
    plan.parts = [...plan.parts, { name, content }];
  };
const set =
  <Key extends keyof Plan>(key: Key, value: Plan[Key]) =>
  (plan: Plan): void => {
    plan[key] = value;
  };
const inState = (state_name: string, what: string): Fact =>
  accepted(what, () => undefined, { database: { state_name } });
const assumedTo: { readonly known: Known } = { known: assumed };

/** The four forms of a date; each is also accepted without ` GMT`. */
function dateForms(now: Date): Record<string, string> {
  const [weekday = "", day = "", month = "", year = "", time = ""] = now
    .toUTCString()
    .replace(",", "")
    .split(" ");
  return {
    "a Date like Sat, 21 Nov 2026 10:42:00 GMT": `${weekday}, ${day} ${month} ${year} ${time} GMT`,
    "a Date like Sat 21 Nov 2026 10:42:00": `${weekday} ${day} ${month} ${year} ${time}`,
    "a Date like Sat, Nov 21 10:42:00 2026": `${weekday}, ${month} ${day} ${time} ${year}`,
    "a Date like Sat Nov 21 10:42:00 2026 GMT": `${weekday} ${month} ${day} ${time} ${year} GMT`,
  };
}

const successes: readonly Fact[] = [
  accepted("one image", () => undefined),
  accepted(
    "a header line of 8190 bytes",
    set("extraHeader", "x".repeat(8190 - "X-Extra: ".length)),
    assumedTo,
  ),
  inState("PROJECT_SUSPENDED", "keys of a suspended database"),
  inState("PROJECT_HAS_NO_API_ACCESS", "keys of a database without API access"),
  accepted("an image of 2097152 bytes", set("parts", [imagePart(LARGEST_QUERY_IMAGE)])),
  ...["application/json", "*/*"].map((accept) => accepted(`Accept ${accept}`, set("accept", accept))),
  ...[
    "application/json, text/plain, */*",
    "application/json; charset=utf-8",
    "application/*",
    "Application/Json",
    "text/html;q=0.9, */*;q=0.1",
    "*/*;q=0, application/json",
  ].map((accept) => accepted(`Accept ${accept}`, set("accept", accept), assumedTo)),
  ...Object.keys(dateForms(new Date(0))).map((what) =>
    accepted(what, (plan, now) => {
      plan.date = dateForms(now)[what];
    }),
  ),
  accepted("a Date 64 minutes away", (plan, now) => {
    plan.date = new Date(now.getTime() + 64 * 60_000).toUTCString();
  }),
  ...[
    "multipart/form-data; boundary=b0undary; charset=utf-8",
    'multipart/form-data; charset=utf-8; BOUNDARY="b0undary"',
    "Multipart/Form-Data;boundary=b0undary;",
    "multipart/form-data ; boundary = b0undary",
    "multipart/form-data; boundary=b0undary; boundary=other",
  ].map((contentType) => accepted(`Content-Type ${contentType}`, set("contentType", contentType))),
  ...["1", "50", "+5", "05", " 5 ", "+050"].map((content) =>
    accepted(`max_num_results ${JSON.stringify(content)}`, field("max_num_results", content)),
  ),
  ...["top", "ALL", "nOne"].map((content) =>
    accepted(`include_target_data ${content}`, field("include_target_data", content)),
  ),
];

const encoded: Fact = {
  ...accepted("one image", () => undefined),
  id: "query-gzip",
  sentence: "Every response to a query is encoded with gzip.",
  expected: (at) => {
    const { headers = [], ...rest } = underProfile(FOUND)(at);
    return { ...rest, headers: headers.map(([name, value]) => [name.replace("?", ""), value]) };
  },
};

const unserved: Fact = {
  id: "query-unserved-method",
  api: "query",
  sentence: "GET /v1/query, which nothing serves, is answered with an empty 404.",
  known: observed,
  needs: "reading",
  request: () => ({ method: "GET", path: "/v1/query", headers: {} }),
  expected: underProfile({ status: 404, headers: FOUND.headers.slice(0, 3), body: "" }),
};

export const QUERY_FACTS: readonly Fact[] = [...refusals, ...orders, ...successes, encoded, unserved];
