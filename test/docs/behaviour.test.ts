import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PROFILE_NAMES, type Profile, profiles } from "../../src/core/emulator/profiles.ts";

const guide = readFileSync(new URL("../../examples/behaviour/README.md", import.meta.url), "utf8");
const [, table = ""] = guide.split("<!-- profiles -->\n");
const rows = table
  .trim()
  .split("\n")
  .slice(2)
  .map((row) => row.split("|").map((cell) => cell.trim()));

const code = (name: string): string => `\`${name}\``;
const list = (names: readonly string[]): string => names.map(code).join(", ");
/** What a field's value is called. */
const either = (yes: string, no: string) => (value: boolean) => (value ? yes : no);
const oneOf =
  <Value extends string>(texts: Readonly<Record<Value, string>>) =>
  (value: Value) =>
    texts[value];

/** What the table says of each difference: the point, and a text for each value. */
const TEXTS: {
  readonly [Field in Exclude<keyof Profile, "name">]: readonly [string, (value: Profile[Field]) => string];
} = {
  regionHeader: ["region header", code],
  upstreamTimeHeader: ["upstream time header", code],
  rateLimitedHeader: ["rate-limited header", code],
  reportParameterPrefix: ["report URL parameters", (prefix) => code(`${prefix}…`)],
  reportAlgorithm: ["report algorithm", code],
  reportCredentialScope: ["report credential scope", code],
  queryRegion: ["region header on query responses", either("yes", "no")],
  unknownQueryField: [
    "unknown field of a query",
    oneOf({ json: "400 in JSON, `UnknownParameters`", text: "400, a line of text" }),
  ],
  anyContentTypeIsMultipart: [
    "query with the content type `*/*`",
    either("read as multipart without boundary", "415"),
  ],
  notFoundPagePrefixes: ["prefixes of the 404 page", list],
  notFoundPageEncoding: [
    "encoding of the 404 page",
    oneOf({ always: "always gzip", negotiated: "gzip when the client accepts it" }),
  ],
  queryEncoding: [
    "encoding of query responses",
    oneOf({
      always: "always gzip, failures too",
      negotiatedSuccesses: "gzip when the client accepts it; failures never",
    }),
  ],
  datasetContentType: [
    "content type of a dataset creation",
    oneOf({
      mediaType: "the media type `application/json` or `text/json`, in any case",
      contained: "any text that contains one of them, in this case",
    }),
  ],
  alignedWindowSeconds: [
    "windows of rate limits",
    (seconds) => (seconds === null ? "roll" : `from ${seconds} s on aligned to the clock; shorter ones roll`),
  ],
  failedTargetsCanBeUpdated: [
    "update of a failed target",
    either("accepted", "`TargetStatusNotSuccess` 403"),
  ],
  successBodies: [
    "successes of the target API",
    oneOf({
      specified:
        "`transaction_id` first in some; a database's summary has its name after it, and `request_count`",
      recorded:
        "as recorded in 2019: `result_code` before `transaction_id`; a database's summary has its name first, counts in another order, and no `request_count`",
    }),
  ],
  invalidDatasetJson: [
    "dataset body that is not JSON",
    oneOf({ validation: "the validation error", error: "400 `ERROR`" }),
  ],
  invalidDatasetLength: [
    "dataset creation with a `Content-Length` that is no number",
    oneOf({ validation: "the validation error", page: "the load balancer's page" }),
  ],
  datasetViewsRequired: ["`views` of a dataset", either("required", "optional")],
  modelNamesUnique: ["names of an advanced dataset's models", either("must be unique", "may repeat")],
  trackingHintsSupported: [
    "`motionHint`, `trackingMode`",
    either("an allowed value is accepted", "any value is refused"),
  ],
  cadDataFormats: ["`cadDataFormat`", (formats) => (formats === null ? "any text" : list(formats))],
  cadDataUuidIsSource: ["`cadDataUuid` as a model's only source", either("counts", "does not count")],
  modelCountsReported: [
    "wrong number of models",
    oneOf({ afterTypes: "reported after the types", last: "reported last" }),
  ],
  crossFamilyDeleteDeletes: [
    "delete through the other family's route",
    either("deletes the dataset", "200, and it stays"),
  ],
};

/** The rows that the profiles' data say. */
function rowOf<Field extends keyof typeof TEXTS>(field: Field): readonly string[] {
  const [point, text] = TEXTS[field];
  return ["", point, ...PROFILE_NAMES.map((name) => text(profiles[name][field])), ""];
}

test("the table of profiles says what their data say, cell by cell", () => {
  const { name: _, ...fields } = profiles.neutral;
  expect(Object.keys(TEXTS).toSorted()).toEqual(Object.keys(fields).toSorted());
  expect(rows).toEqual((Object.keys(TEXTS) as (keyof typeof TEXTS)[]).map(rowOf));
  for (const [, , neutral, vuforia] of rows) expect(neutral).not.toBe(vuforia);
});
