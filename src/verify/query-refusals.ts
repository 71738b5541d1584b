import { ENTITY_TOO_LARGE_PAGE, HEADER_TOO_LARGE_PAGE, JETTY_PAGE } from "../apis/signed/responses.ts";
import type { Fact } from "./fact.ts";
import {
  accepting,
  bare,
  contentLength,
  each,
  eachField,
  eachPart,
  field,
  image,
  imagePart,
  inState,
  json,
  minutesAway,
  NGINX,
  ON,
  ofType,
  type Plan,
  pngOfLength,
  QUERY,
  quoted,
  set,
  text,
} from "./query-plan.ts";
import { makePng } from "./requests.ts";
import {
  type Answer,
  ASSUMED,
  DOCUMENTED,
  factsOf,
  type More,
  orderFacts,
  type Row,
  type Table,
} from "./row.ts";

const LATIN1 = "text/plain;charset=iso-8859-1";
const challenge = (body: string) => text(401, LATIN1, body, { "WWW-Authenticate": "KWS" });
const formText = (body: string) => text(400, "application/json", body);
const UNAUTHORIZED = json("AuthenticationFailure 401", "", { "WWW-Authenticate": "VWS" });
const MALFORMED = challenge("Malformed authorization header.");
const BAD_DATE = challenge("Malformed date header.");
const NO_DATE = text(400, LATIN1, "Date header required.");
const NO_BOUNDARY = text(400, "text/plain;charset=utf-8", "Unable to get boundary for multipart");
const NO_IMAGE = formText("No image.");
const BAD_IMAGE = json("BadImage 422", " ");
const UNKNOWN_FIELD: Answer = {
  neutral: "UnknownParameters 400",
  vuforia: formText("Unknown parameters in the request."),
};
const LONG_HEADER = text(400, "text/html", HEADER_TOO_LARGE_PAGE.toString());
const NO_TYPE = text(400, "text/html;charset=iso-8859-1", JETTY_PAGE.toString(), {
  "Cache-Control": "must-revalidate,no-cache,no-store",
});
const TOO_LARGE = bare(
  413,
  { ...NGINX, Connection: "Close", "Content-Type": "text/html" },
  ENTITY_TOO_LARGE_PAGE.toString(),
);
const invalidNumber = (given: string) =>
  formText(
    `Invalid value '${given}' in form data part 'max_result'. Expecting integer value in range from 1 to 50 (inclusive).`,
  );
const outOfRange = (given: string) =>
  formText(
    `Integer out of range (${given}) in form data part 'max_result'. Accepted range is from 1 to 50 (inclusive).`,
  );
const invalidChoice = (given: string) =>
  formText(
    `Invalid value '${given.toLowerCase()}' in form data part 'include_target_data'. Expecting one of the (unquoted) string values 'all', 'none' or 'top'.`,
  );
const INACTIVE = json("InactiveProject 403", " ");
const NO_AUTHORIZATION = challenge("Authorization header missing.");
const TIMED_OUT = bare(504, { Connection: "keep-alive" });
const BAD_LENGTH = bare(400, { Connection: "Close" });

const changed = (answer: Answer, ...changes: readonly ((right: string) => string)[]): Row<Plan>[] =>
  changes.map((change) => [
    ON,
    `Authorization like ${JSON.stringify(change("VWS key:signature"))}`,
    answer,
    set({ authorization: change }),
  ]);
const ofDate = (date: string) => set({ date });

const GIF_IMAGE = image(
  Buffer.from(
    "47494638396101000100800000000000ffffff21f90400000000002c00000000010001000002024401003b",
    "hex",
  ),
);
const wideImage = (width: number, height: number) =>
  image(makePng({ width, height, depth: 1, colourType: 0 }));

/** By profile, another check refuses a content type of any kind. */
const ANY_CHECK: More = { check: undefined };

const NO_DISPOSITION = text(
  400,
  "text/plain;charset=utf-8",
  "Could find no Content-Disposition header within part",
);
const WITHOUT_BOUNDARY = ["", "; boundary=", '; boundary=""'].map((rest) => `multipart/form-data${rest}`);
const PARTS_101 = set({
  parts: [imagePart(), ...Array.from({ length: 100 }, () => ({ name: "max_num_results", content: "1" }))],
});

/** Queries that each check refuses, in the order of the checks. */
export const QUERY_REFUSED: Table<Plan> = {
  ids: "query",
  usualRoute: ON,
  rows: {
    contentLengthIsInteger: [
      [ON, "a Content-Length that is not an integer", BAD_LENGTH, contentLength(() => "0x10")],
    ],
    headerLinesFit: [
      // It may answer with 431 too.
      [
        ON,
        "a header line of 8191 bytes",
        LONG_HEADER,
        set({ headers: { "X-Extra": "x".repeat(8182) } }),
        ASSUMED,
      ],
    ],
    contentLengthFits: [
      [ON, "a Content-Length that is too large", TIMED_OUT, contentLength((right) => `${right + 1}`)],
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
    projectActive: [[ON, "an inactive project", INACTIVE, inState("PROJECT_INACTIVE")]],
    acceptsJson: [
      [ON, 'Accept ""', bare(406), set({ accept: "" })],
      ...quoted(
        "Accept",
        ["text/html, image/*", "application/json;q=0", "application/json; q=0.0, */*"],
        () => bare(406),
        accepting,
        ASSUMED,
      ),
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
      ...quoted(
        "Date",
        [
          "Sat, 21 Nov 2026 10:42:00 UTC",
          "Sat, 21 Nov 2026 10:42:00 +0000",
          "Sat, 31 Jun 2026 10:42:00 GMT",
          "21 Nov 2026 10:42:00 GMT",
          "Sat, 21 Nov 26 10:42:00 GMT",
          "Saturday, 21 Nov 2026 10:42:00 GMT",
        ],
        () => BAD_DATE,
        ofDate,
      ),
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
    dispositionsGiven: [
      [
        ON,
        "a part without Content-Disposition",
        NO_DISPOSITION,
        eachPart((part) => [{ ...part, headers: "Content-Type: image/png" }]),
        ASSUMED,
      ],
    ],
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
      ...eachField(
        "max_num_results",
        ["", " ", "5.0", "1e1", "a", "0x5", "1_0", "--5", "+", "2147483648", "9".repeat(400), "é"],
        invalidNumber,
      ),
      ...eachField("max_num_results", ["0", "51", "-1", "2147483647", " +00 ", "-2147483649"], outOfRange),
    ],
    includeTargetDataValid: eachField("include_target_data", ["", "TOPS", " top", "true"], invalidChoice),
  },
};

export const QUERY_REFUSALS: readonly Fact[] = [
  ...factsOf(QUERY, QUERY_REFUSED),
  ...orderFacts(QUERY, QUERY_REFUSED, [
    [ON, "a Content-Length that is not an integer", "a header line of 8191 bytes"],
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
    [ON, "a part without Content-Disposition", 'the unknown field "images"'],
    [ON, 'the unknown field "images"', "an image that is not a file"],
    [ON, "an image that is not a file", "an empty image"],
    [ON, "an empty image", 'max_num_results ""'],
    [ON, "an image of 2097153 bytes", 'max_num_results ""'],
    [ON, 'max_num_results ""', 'include_target_data ""'],
  ]),
];
