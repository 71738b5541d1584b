import type { Profile } from "../emulator/profiles.ts";
import { assumed, documented, type Fact } from "./fact.ts";
import {
  ACCEPTABLE,
  ACCEPTED_TYPES,
  accepting,
  BAD_DATE,
  BAD_IMAGE,
  BAD_LENGTH,
  bare,
  changed,
  contentLength,
  each,
  eachPart,
  FORMS,
  FOUND,
  field,
  fieldOf,
  GIF_IMAGE,
  INACTIVE,
  image,
  inForm,
  invalidChoice,
  invalidNumber,
  LONG_HEADER,
  MALFORMED,
  MALFORMED_DATES,
  minutesAway,
  NO_AUTHORIZATION,
  NO_BOUNDARY,
  NO_DATE,
  NO_IMAGE,
  NO_NUMBERS,
  NO_TYPE,
  ON,
  OUT_OF_RANGE,
  ofDate,
  ofType,
  outOfRange,
  pngOfLength,
  QUERY,
  quoted,
  set,
  TIMED_OUT,
  TOO_LARGE,
  UNACCEPTABLE,
  UNAUTHORIZED,
  UNKNOWN_FIELD,
  unchanged,
  wideImage,
} from "./query-kind.ts";
import { imagePart, type Plan, queryOf } from "./query-plan.ts";
import { present } from "./requests.ts";
import { type Answer, factsOf, type Kind, type More, orderFacts, type Table } from "./row.ts";

const ASSUMED: More = { known: assumed };
/** By profile, another check refuses a content type of any kind. */
const ANY_CHECK: More = { check: undefined };
const DOCUMENTED: More = { known: documented };

const inState = (state_name: string): More => ({ database: { state_name } });

const WITHOUT_BOUNDARY = ["", "; boundary=", '; boundary=""'].map((rest) => `multipart/form-data${rest}`);
const PARTS_101 = set({
  parts: [imagePart(), ...Array.from({ length: 100 }, () => ({ name: "max_num_results", content: "1" }))],
});

/** Queries that each check refuses, in the order of the checks. */
export const QUERY_REFUSED: Table<Plan> = {
  ids: "query",
  usualRoute: ON,
  rows: {
    headerLinesFit: [
      // It may answer with 431 too.
      [ON, "a header line of 8191 bytes", LONG_HEADER, set({ extraHeader: "x".repeat(8182) }), ASSUMED],
    ],
    contentLengthFits: [
      [ON, "a Content-Length that is too large", TIMED_OUT, contentLength((right) => `${right + 1}`)],
      [ON, "a Content-Length that is not an integer", BAD_LENGTH, contentLength(() => "0x10")],
      [ON, "a Content-Length that is too small", UNAUTHORIZED, contentLength((right) => `${right - 1}`)],
    ],
    authorizationGiven: [[ON, "no Authorization", NO_AUTHORIZATION, set({ authorization: undefined })]],
    authorizationWellFormed: changed(
      MALFORMED,
      (right) => right.replace(" ", ""),
      (right) => right.replace(" ", "  "),
      (right) => right.replace(":", ""),
      (right) => right.replace(":", "::"),
      (right) => right.replace(/:.*/, ":"),
      () => "VWS",
      () => "",
    ),
    authenticated: changed(
      UNAUTHORIZED,
      (right) => right.replace(/ .*:/, " unknown:"),
      (right) => right.replace(/:.*/, ":c2lnbmF0dXJl"),
      (right) => right.replace("VWS", "vws"),
      () => "VWS: something",
    ),
    projectActive: [[ON, "an inactive project", INACTIVE, unchanged, inState("PROJECT_INACTIVE")]],
    acceptsJson: [
      [ON, 'Accept ""', bare(406), set({ accept: "" })],
      ...quoted("Accept", UNACCEPTABLE, () => bare(406), accepting, ASSUMED),
    ],
    dateGiven: [[ON, "no Date", NO_DATE, set({ date: undefined })]],
    dateWellFormed: [
      [ON, 'Date ""', BAD_DATE, ofDate("")],
      [
        ON,
        "date-2026minus-11minus-21t10-42-00z: with a Date of ISO 8601 is refused",
        BAD_DATE,
        ofDate("2026-11-21T10:42:00Z"),
      ],
      ...quoted("Date", MALFORMED_DATES, () => BAD_DATE, ofDate),
    ],
    dateCurrent: [
      [ON, "a Date 66 minutes away", "RequestTimeTooSkewed 403", minutesAway(66)],
      [ON, "a Date -66 minutes away", "RequestTimeTooSkewed 403", minutesAway(-66)],
    ],
    contentTypeGiven: [
      [ON, "no Content-Type", NO_TYPE, set({ contentType: undefined })],
      [ON, "an empty Content-Type", NO_TYPE, ofType("")],
    ],
    contentTypeIsMultipart: [
      ...each("Content-Type", ["application/json", "multipart/mixed; boundary=b0undary"], bare(415), ofType),
      [ON, "Content-Type */*", { neutral: bare(415), vuforia: NO_BOUNDARY }, ofType("*/*"), ANY_CHECK],
      [ON, "Content-Type ; boundary=b0undary", bare(415), ofType("; boundary=b0undary")],
    ],
    boundaryNamed: [
      ...each("Content-Type", WITHOUT_BOUNDARY, NO_BOUNDARY, ofType),
      [
        ON,
        "content-type-multipart-form-data-charset-utfminus-8-xboundary-b0undary: with another parameter than boundary is refused",
        NO_BOUNDARY,
        ofType("multipart/form-data; charset=utf-8; xboundary=b0undary"),
      ],
      ...each("Content-Type", ['multipart/form-data; x="; boundary=b0undary"'], NO_BOUNDARY, ofType),
    ],
    boundaryOccurs: [[ON, "a boundary that does not occur", NO_IMAGE, set({ boundary: "another" })]],
    fieldsKnown: [
      ...quoted(
        "the unknown field",
        ["images", "Image", "MAX_NUM_RESULTS", "", "__proto__"],
        () => UNKNOWN_FIELD,
        (name) => field(name, "1"),
      ),
      [ON, "101 parts", UNKNOWN_FIELD, PARTS_101, ASSUMED],
    ],
    imageGiven: [
      [ON, "an image that is not a file", NO_IMAGE, eachPart((part) => [{ ...part, filename: undefined }])],
      [ON, "no image", NO_IMAGE, eachPart((part) => (part.name === "image" ? [] : [part]))],
    ],
    imageOpens: [
      [ON, "an empty image", BAD_IMAGE, image(Buffer.alloc(0))],
      [ON, "a text as image", BAD_IMAGE, image(Buffer.from("no image at all"))],
      [ON, "a GIF", BAD_IMAGE, GIF_IMAGE],
      [ON, "an image 30001 pixels wide", BAD_IMAGE, wideImage(30_001, 1)],
      [ON, "an image 30001 pixels high", BAD_IMAGE, wideImage(1, 30_001)],
      [ON, "a text of 2097153 bytes as image", BAD_IMAGE, image(Buffer.alloc(2_097_153, 65))],
    ],
    imageSmallEnough: [
      [ON, "an image of 2097153 bytes", TOO_LARGE, image(pngOfLength(2_097_153)), DOCUMENTED],
    ],
    maxNumResultsValid: [
      ...quoted("max_num_results", NO_NUMBERS, invalidNumber, fieldOf("max_num_results")),
      ...quoted("max_num_results", OUT_OF_RANGE, outOfRange, fieldOf("max_num_results")),
    ],
    includeTargetDataValid: quoted(
      "include_target_data",
      ["", "TOPS", " top", "true"],
      invalidChoice,
      fieldOf("include_target_data"),
    ),
  },
};

const SERVED: Table<Plan> = {
  ids: "query accepts",
  rows: {
    served: [
      [ON, "one image", FOUND],
      [ON, "a header line of 8190 bytes", FOUND, set({ extraHeader: "x".repeat(8181) }), ASSUMED],
      [ON, "keys of a suspended database", FOUND, unchanged, inState("PROJECT_SUSPENDED")],
      [ON, "keys of a database without API access", FOUND, unchanged, inState("PROJECT_HAS_NO_API_ACCESS")],
      [ON, "an image of 2097152 bytes", FOUND, image(pngOfLength(2_097_152)), DOCUMENTED],
      ...each("Accept", ["application/json", "*/*"], FOUND, accepting),
      ...each("Accept", ACCEPTABLE, FOUND, accepting, ASSUMED),
      ...each("a Date like", FORMS, FOUND, inForm),
      [ON, "a Date 64 minutes away", FOUND, minutesAway(64)],
      ...each("Content-Type", ACCEPTED_TYPES, FOUND, ofType),
      ...quoted(
        "max_num_results",
        ["1", "50", "+5", "05", " 5 ", "+050"],
        () => FOUND,
        fieldOf("max_num_results"),
      ),
      ...each("include_target_data", ["top", "ALL", "nOne"], FOUND, fieldOf("include_target_data")),
    ],
  },
};

/** Facts about what no other query does. */
const single = (what: string, answer: Answer, kind: Partial<Kind<Plan>>, more: More = {}): Fact[] =>
  factsOf({ ...QUERY, ...kind }, { ids: "query", rows: { served: [[ON, what, answer, unchanged, more]] } });

const encodedFor = (
  encoding: string | undefined,
  isGzipped: (profile: Profile) => boolean,
): Pick<Kind<Plan>, "written" | "complete"> => ({
  written: (plan, { keys }) => {
    const query = queryOf(plan, keys);
    return { ...query, headers: present({ ...query.headers, "Accept-Encoding": encoding }) };
  },
  complete: (expected, at) => {
    const { headers = [], ...rest } = QUERY.complete(expected, at);
    const others = headers.filter(([name]) => name !== "Content-Encoding?");
    const encoded = isGzipped(at.profile) ? [["Content-Encoding", "gzip"] as const] : [];
    return { ...rest, headers: [...others, ...encoded] };
  },
});

const OTHERS: readonly Fact[] = [
  ...single(
    "gzip: that accepts gzip is answered with gzip",
    FOUND,
    encodedFor("gzip", () => true),
  ),
  ...single(
    "gzip-not-accepted: that does not accept gzip is answered with gzip all the same, or without, by profile",
    FOUND,
    encodedFor("identity", ({ queryEncoding }) => queryEncoding === "always"),
  ),
  ...single(
    "gzip-not-mentioned: without Accept-Encoding is answered with gzip all the same, or without, by profile",
    FOUND,
    encodedFor(undefined, ({ queryEncoding }) => queryEncoding === "always"),
    ASSUMED,
  ),
  ...single(
    "unserved-method: GET /v1/query, which nothing serves, is answered with an empty 404",
    bare(404),
    {
      written: () => ({ method: "GET", path: "/v1/query", headers: {} }),
    },
  ),
  ...single(
    "expect-continue: with `Expect: 100-continue` is answered with 100 before the body",
    FOUND,
    {
      written: (plan, { keys }) => {
        const query = queryOf(plan, keys);
        return { ...query, headers: { ...query.headers, Expect: "100-continue" } };
      },
    },
    { ...ASSUMED, alsoExpected: { continued: true } },
  ),
];

export const QUERY_FACTS: readonly Fact[] = [
  ...factsOf(QUERY, QUERY_REFUSED),
  ...orderFacts(QUERY, QUERY_REFUSED, [
    [ON, "a header line of 8191 bytes", "a Content-Length that is too large"],
    [ON, "a Content-Length that is too large", "no Authorization"],
    [ON, "no Authorization", "an inactive project"],
    [ON, 'Authorization like "VWSkey:signature"', "an inactive project"],
    [ON, 'Authorization like "VWS unknown:signature"', "an inactive project"],
    [ON, "an inactive project", 'Accept ""'],
    [ON, 'Accept ""', "no Date"],
    [ON, "no Date", "no Content-Type"],
    [ON, 'Date ""', "no Content-Type"],
    [ON, "a Date 66 minutes away", "no Content-Type"],
    [ON, "no Content-Type", "a boundary that does not occur"],
    [ON, "Content-Type application/json", "a boundary that does not occur"],
    [ON, "Content-Type multipart/form-data", "a boundary that does not occur"],
    [ON, "a boundary that does not occur", 'the unknown field "images"'],
    [ON, 'the unknown field "images"', "an image that is not a file"],
    [ON, "an image that is not a file", "an empty image"],
    [ON, "an empty image", 'max_num_results ""'],
    [ON, "an image of 2097153 bytes", 'max_num_results ""'],
    [ON, 'max_num_results ""', 'include_target_data ""'],
  ]),
  ...factsOf(QUERY, SERVED),
  ...OTHERS,
];
