import type { Profile } from "../emulator/profiles.ts";
import { assumed, type Expected, type Fact, type Situation, slug } from "./fact.ts";
import { draftOf, signed } from "./requests.ts";
import { refused, success } from "./target-answer.ts";
import { targetAnswer } from "./target-facts.ts";

/** The first day of the month that is so many months after this one. */
const month = (now: Date, later: number): string =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + later)).toISOString().slice(0, 7);

const presigned = (file: string) => (at: Situation) => {
  const { reportParameterPrefix: prefix, reportAlgorithm, reportCredentialScope } = at.profile;
  const parameters = {
    "Security-Token": "<text>",
    Algorithm: reportAlgorithm,
    Date: "<text>",
    SignedHeaders: "host",
    Credential: `<text>${encodeURIComponent(reportCredentialScope)}`,
    Expires: "604799",
    Signature: "<text>",
  };
  const query = Object.entries(parameters).map(([name, value]) => `${prefix}${name}=${value}`);
  return `{"result_code":"Success","transaction_id":"<id>","presigned_url":"<text>/reports/${at.keys.databaseId}/${file}.csv?${query.join("&")}"}`;
};

const asked = (id: string, says: string, at: (now: Date) => unknown, file?: string): Fact => {
  const fact = success({
    id: `report-${id}`,
    says,
    on: "report",
    database: {},
    known: assumed,
    ...(file === undefined
      ? { status: 400, body: refused("Fail"), check: "monthAccepted" }
      : { body: presigned(file) }),
  });
  const request: Fact["request"] = (situation) =>
    signed({ ...draftOf("report", situation), fields: { month: at(situation.now) } }, situation);
  return { ...fact, request };
};

const request: Fact["request"] = (at) => signed(draftOf("report", at), at);
/** The path of the report, whichever host the URL names, with changed parameters. */
const pathOf = ({ given, profile }: Situation, changes: Readonly<Record<string, string | null>> = {}) => {
  const text = given("presigned_url");
  const [path = "", query = ""] = text.slice(Math.max(0, text.indexOf("/reports/"))).split("?");
  const parameters = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) {
      const [full, wrong] = [profile.reportParameterPrefix + name, `X-Other-${name}`];
      // Another prefix, or lower case, is another parameter.
      for (const other of [wrong, full.toLowerCase()]) parameters.set(other, parameters.get(full) ?? "");
      parameters.delete(full);
    } else parameters.set(profile.reportParameterPrefix + name, value);
  }
  return `${path}?${parameters}`;
};

type Path = (at: Situation) => string;
const download = (
  id: string,
  says: string,
  path: Path,
  expected: Fact["expected"],
  more: Partial<Fact> = {},
): Fact => ({
  id: `target-report-${id}`,
  api: "target",
  sentence: `The download of a report ${says}.`,
  known: assumed,
  needs: "writing",
  database: {},
  before: [request],
  request: (at) => ({ method: "GET", path: path(at), headers: {} }),
  expected,
  ...more,
});

const answered = (status: number, contentType: string, body: string): Expected => ({
  status,
  headers: [
    ["Content-Type", contentType],
    ["Date", "<date>"],
  ],
  body,
});
const document = (status: number, code: string, message: string, inside = ""): Expected =>
  answered(
    status,
    "application/xml",
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message>${inside}<RequestId><key></RequestId><HostId><base64></HostId></Error>\n`,
  );
const denied = (): Expected => document(403, "AccessDenied", "Access Denied");
const noSuchKey = (key: string): Expected =>
  document(404, "NoSuchKey", "The specified key does not exist.", `<Key>${key}</Key>`);
const expired = ({ reportParameterPrefix: prefix }: Profile, seconds: string): Expected =>
  document(
    403,
    "AccessDenied",
    "Request has expired",
    `<${prefix}Expires>${seconds}</${prefix}Expires><Expires><moment></Expires><ServerTime><moment></ServerTime>`,
  );

/** A parameter that is missing or malformed. */
const refusedWith = (name: string, value: string | null): Fact =>
  download(
    slug(`${value === null ? "without" : "with the"} ${name} ${value === "" ? "empty" : (value ?? "")}`),
    `${value === null ? `without ${name}` : `with the ${name} ${JSON.stringify(value)}`} is answered with 403`,
    (at) => pathOf(at, { [name]: value }),
    denied,
    { check: "urlValid" },
  );

export const REPORT_FACTS: readonly Fact[] = [
  asked("this-month", "answers with the URL of this month's report", (now) => month(now, 0), "<text>"),
  asked("last-month", "answers with the URL of last month's report", (now) => month(now, -1), "<text>"),
  ...(
    [
      ["two months ago", (now) => month(now, -2)],
      ["next month", (now) => month(now, 1)],
      ["a year ago", (now) => month(now, -12)],
      ["a month without zero", (now) => month(now, 0).replace("-0", "-").replace("-1", "-")],
      ["a month and a space", (now) => `${month(now, 0)} `],
      ["a day", (now) => `${month(now, 0)}-01`],
      ["an empty text", () => ""],
      ["a number", () => 202_611],
      ["null", () => null],
      ["an array", (now) => [month(now, 0)]],
    ] satisfies readonly (readonly [string, (now: Date) => unknown])[]
  ).map(([what, at]) => asked(what.replaceAll(" ", "-"), `refuses ${what} as month`, at)),
  {
    ...asked("order", "refuses an empty Content-Type before it reads the month", () => ""),
    request: (at) => signed({ ...draftOf("report", at), fields: { month: "" }, contentType: "" }, at),
    expected: ({ profile }) => targetAnswer("AuthenticationFailure 401", profile),
    check: "contentTypeGiven",
  },
  download(
    "early",
    "that is not ready is answered with 404",
    (at) => pathOf(at),
    (at) => noSuchKey(`${at.keys.databaseId}/<any>.csv`),
  ),
  download(
    "download",
    "that is ready is a table of targets and counts",
    (at) => pathOf(at),
    () => answered(200, "text/plain", "target_id,reco_count\r\n<any>"),
    { again: ({ status }) => status === 404 },
  ),
  download(
    "unknown",
    "that nobody asked for is answered with 404, and its name is escaped",
    (at) => pathOf(at).replace(/[^/]+\.csv/, "%3Ca%26%00%3E.csv"),
    (at) => noSuchKey(`${at.keys.databaseId}/&lt;a&amp;\ufffd&gt;.csv`),
  ),
  download(
    "expired",
    "after its URL has expired is answered with 403",
    (at) => pathOf(at, { Expires: "-1" }),
    ({ profile }) => expired(profile, "-1"),
    { check: "urlValid" },
  ),
  ...["Security-Token", "Algorithm", "Date", "SignedHeaders", "Credential", "Expires", "Signature"].map(
    (name) => refusedWith(name, null),
  ),
  ...["", "20260301T00000Z", "20260230T000000Z", "20260301T246060Z", "2026-03-01T00:00:00Z"].map((date) =>
    refusedWith("Date", date),
  ),
  ...["", "6e5", "604799.5"].map((seconds) => refusedWith("Expires", seconds)),
  download(
    "without-any-parameter",
    "that does not exist, without parameters, is answered with 403",
    () => "/reports/x/y.csv",
    denied,
    {
      check: "urlValid",
      before: [],
    },
  ),
];
