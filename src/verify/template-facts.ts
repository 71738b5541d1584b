import type { Profile } from "../emulator/profiles.ts";
import { type Expected, type Fact, type Situation, slug } from "./fact.ts";
import { ok, TARGET } from "./kinds.ts";
import { type Draft, fields, header, path, set } from "./requests.ts";
import { ASSUMED, type Change, factsOf, type More, type Row, requestTo, type Table } from "./row.ts";

/** How each kind of image begins, read as UTF-8. */
const PNG = ok("\ufffdPNG\r\n\u001a\n<any>", 200, "image/png");
const SVG = ok("<any><svg<any>", 200, "image/svg+xml");
const PDF = ok("%PDF<any>", 200, "application/pdf");
const accept = (value: string | null) => header("Accept", value);
const UNKNOWN = path("/targets/unknown/instances");
const inState = (state_name: string): More => ({ template: { database: { state_name } } });
const INACTIVE = inState("PROJECT_INACTIVE");
const SUSPENDED = inState("PROJECT_SUSPENDED");
const NO_ACCESS = inState("PROJECT_HAS_NO_API_ACCESS");
const UNKNOWN_TARGET = "UnknownTarget 404";
const BAD_ACCEPT = "InvalidAcceptHeader 400";
const NOT_SUCCESS = "TargetStatusNotSuccess 403";
const UNAUTHENTICATED = "AuthenticationFailure 401";
const ACCESS_REFUSED = "ProjectHasNoApiAccess 403";
const PROCESSING: More = { template: { target: { processing_time_seconds: 600 } } };
const OF_CLOUD: More = { template: undefined, uses: "processed" };

/** Instances of a template in a VuMark database. */
const VUMARKS: Table<Draft> = {
  ids: "target vumark",
  more: { ...ASSUMED, template: {}, needs: "writing" },
  rows: {
    served: [
      ["instance", "image-png: answers with a PNG", PNG],
      ["instance", "image-svg-xml: answers with an SVG", SVG, accept("image/svg+xml")],
      ["instance", "application-pdf: answers with a PDF", PDF, accept("application/pdf")],
      ["instance", "inactive: is served for an inactive VuMark database", PNG, INACTIVE],
      [
        "instance",
        "inactive-unknown: looks for the target in an inactive database",
        UNKNOWN_TARGET,
        UNKNOWN,
        INACTIVE,
      ],
    ],
    mediaTypeAccepted: [
      ["instance", "accept-1: refuses a request without Accept", BAD_ACCEPT, accept(null)],
      ["instance", "accept-2: refuses Accept */*", BAD_ACCEPT, accept("*/*")],
      ["instance", "accept-3: refuses Accept image/gif", BAD_ACCEPT, accept("image/gif")],
      [
        "instance",
        "accept-4: refuses Accept image/png, image/svg+xml",
        BAD_ACCEPT,
        accept("image/png, image/svg+xml"),
      ],
    ],
    templateProcessed: [
      [
        "instance",
        "processing: refuses a new template, whatever its Accept",
        NOT_SUCCESS,
        accept("x"),
        PROCESSING,
      ],
    ],
    knownTarget: [["instance", "unknown: does not know another target", UNKNOWN_TARGET, UNKNOWN]],
    signatureMatches: [
      ["instance", "wrong-key: refuses a wrong signature", UNAUTHENTICATED, set({ wrongKey: true })],
    ],
    stateAllows: [
      [
        "instance",
        "suspended: refuses a template of a suspended database",
        "ProjectSuspended 403",
        SUSPENDED,
      ],
      ["instance", "has-no-api-access: refuses a template without API access", ACCESS_REFUSED, NO_ACCESS],
    ],
    databaseHasTemplates: [
      [
        "instance",
        "cloud-target: refuses a cloud target, whatever its Accept",
        "InvalidTargetType 422",
        accept("x"),
        OF_CLOUD,
      ],
    ],
    knownAccessKey: [["summary", "keys: refuses the keys of a VuMark database", "Fail 400"]],
  },
};

/** The first day of the month that is so many months after this one. */
const month =
  (later: number) =>
  ({ now }: Situation): string =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + later)).toISOString().slice(0, 7);
const thisMonth = month(0);
const asking = (value: unknown) => fields({ month: value });
const askingAt = (value: (at: Situation) => unknown) => fields((at) => ({ month: value(at) }));
const withoutZero = askingAt((at) => thisMonth(at).replace("-0", "-").replace("-1", "-"));
const noTypeOrMonth = set({ fields: { month: "" }, contentType: "" });

const PRESIGNED = ok(({ keys, profile }) => {
  const { reportParameterPrefix: prefix, reportAlgorithm, reportCredentialScope } = profile;
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
  return `{"result_code":"Success","transaction_id":"<id>","presigned_url":"<text>/reports/${keys.databaseId}/<text>.csv?${query.join("&")}"}`;
});

const ASKED: Table<Draft> = {
  ids: "target report",
  more: ASSUMED,
  rows: {
    served: [
      ["report", "this-month: answers with the URL of this month's report", PRESIGNED],
      ["report", "last-month: answers with the URL of last month's report", PRESIGNED, askingAt(month(-1))],
    ],
    monthAccepted: [
      ["report", "two-months-ago: refuses two months ago as month", "Fail 400", askingAt(month(-2))],
      ["report", "next-month: refuses next month as month", "Fail 400", askingAt(month(1))],
      ["report", "a-year-ago: refuses a year ago as month", "Fail 400", askingAt(month(-12))],
      ["report", "a-month-without-zero: refuses a month of one digit", "Fail 400", withoutZero],
      [
        "report",
        "a-month-and-a-space: refuses a space after it",
        "Fail 400",
        askingAt((at) => `${thisMonth(at)} `),
      ],
      ["report", "a-day: refuses a day as month", "Fail 400", askingAt((at) => `${thisMonth(at)}-01`)],
      ["report", "an-empty-text: refuses an empty text as month", "Fail 400", asking("")],
      ["report", "a-number: refuses a number as month", "Fail 400", asking(202_611)],
      ["report", "null: refuses null as month", "Fail 400", asking(null)],
      ["report", "an-array: refuses an array as month", "Fail 400", askingAt((at) => [thisMonth(at)])],
    ],
    contentTypeGiven: [
      ["report", "order: refuses an empty Content-Type first", UNAUTHENTICATED, noTypeOrMonth],
    ],
  },
};

/** The path of the report, whichever host the URL names, with changed parameters; null is given under other names. */
const download = (changes: Readonly<Record<string, string | null>> = {}): Change<Draft> =>
  path(({ given, profile }) => {
    const text = given("presigned_url");
    const [path = "", query = ""] = text.slice(Math.max(0, text.indexOf("/reports/"))).split("?");
    const parameters = new URLSearchParams(query);
    for (const [name, value] of Object.entries(changes)) {
      const full = profile.reportParameterPrefix + name;
      if (value === null) {
        // Another prefix, or lower case, is another parameter.
        for (const other of [`X-Other-${name}`, full.toLowerCase()])
          parameters.set(other, parameters.get(full) ?? "");
        parameters.delete(full);
      } else parameters.set(full, value);
    }
    return `${path}?${parameters}`;
  });

const answered = (status: number, contentType: string, body: string): Expected => ({
  status,
  headers: Object.entries({ "Content-Type": contentType, Date: "<date>" }),
  body,
});
const document = (status: number, code: string, message: string, inside = ""): Expected =>
  answered(
    status,
    "application/xml",
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message>${inside}<RequestId><key></RequestId><HostId><base64></HostId></Error>`,
  );
const DENIED = document(403, "AccessDenied", "Access Denied");
const TABLE = answered(200, "text/plain", "target_id,reco_count\r\n<any>");
const missing =
  (file: string) =>
  ({ keys: { databaseId } }: Situation): Expected =>
    document(
      404,
      "NoSuchKey",
      "The specified key does not exist.",
      `<Key>reports/${databaseId}/${file}.csv</Key>`,
    );
const EXPIRED = ({ profile: { reportParameterPrefix: prefix } }: { readonly profile: Profile }): Expected =>
  document(
    403,
    "AccessDenied",
    "Request has expired",
    `<${prefix}Expires>-1</${prefix}Expires><Expires><moment></Expires><ServerTime><moment></ServerTime>`,
  );
const UNTIL_READY: More = { again: ({ status }) => status === 404 };
const ON: "report download" = "report download";
/** A parameter that is missing or malformed. */
const denied = (name: string, value: string | null): Row<Draft> => {
  const what = value === null ? `without ${name}` : `with the ${name} ${JSON.stringify(value)}`;
  const id = slug(what.replace('""', "empty"));
  return [ON, `${id}: The download of a report ${what} is refused`, DENIED, download({ [name]: value })];
};

const DOWNLOADS: Table<Draft> = {
  ids: "target report",
  about: "The download of a report",
  more: { ...ASSUMED, needs: "writing", database: {}, before: [requestTo(TARGET, "report")] },
  rows: {
    served: [
      [ON, "early: that is not ready is answered with 404", missing("<any>"), download()],
      [ON, "download: that is ready is a table of targets and counts", TABLE, download(), UNTIL_READY],
      [
        ON,
        "unknown: that nobody asked for is answered with 404, and its name is escaped",
        missing("&lt;a&amp;\ufffd&gt;"),
        download(),
        (draft) => {
          draft.path = draft.path.replace(/[^/]+\.csv/, "%3Ca%26%00%3E.csv");
        },
      ],
    ],
    urlValid: [
      [ON, "expired: after its URL has expired is answered with 403", EXPIRED, download({ Expires: "-1" })],
      ...["Security-Token", "Algorithm", "Date", "SignedHeaders", "Credential", "Expires", "Signature"].map(
        (name) => denied(name, null),
      ),
      ...["", "20260301T00000Z", "20260230T000000Z", "20260301T246060Z", "2026-03-01T00:00:00Z"].map((date) =>
        denied("Date", date),
      ),
      ...["", "6e5", "604799.5"].map((seconds) => denied("Expires", seconds)),
      [ON, "without-any-parameter: without parameters is answered with 403", DENIED, { before: [] }],
    ],
  },
};

export const TEMPLATE_AND_REPORT_FACTS: readonly Fact[] = [
  ...factsOf(TARGET, VUMARKS),
  ...factsOf(TARGET, ASKED),
  ...factsOf(TARGET, DOWNLOADS),
];
