import { ENTITY_TOO_LARGE_PAGE } from "../apis/signed/responses.ts";
import { makePng, pngChunk } from "./png.ts";
import type { Plan } from "./query-plan.ts";
import { type Expected, json, list, nginx, type QueryRow, text } from "./query-row.ts";

const formText = (body: string) => text(400, "application/json", body);
const field = (name: string, content: string) => (plan: Plan) => {
  plan.parts = [...plan.parts, { name, content }];
};
const image = (content: Buffer) => (plan: Plan) => {
  plan.parts = plan.parts.map((part) => (part.name === "image" ? { ...part, content } : part));
};
/** A valid PNG, padded to a length by an extra chunk. */
const pngOfLength = (bytes: number) =>
  makePng({ before: [pngChunk("tEXt", Buffer.alloc(bytes - makePng().length - 12, 65))] });
const invalidNumber = (given: string): Expected =>
  formText(
    `Invalid value '${given}' in form data part 'max_result'. Expecting integer value in range from 1 to 50 (inclusive).`,
  );
const outOfRange = (given: string): Expected =>
  formText(
    `Integer out of range (${given}) in form data part 'max_result'. Accepted range is from 1 to 50 (inclusive).`,
  );

export const LARGEST_QUERY_IMAGE = pngOfLength(2_097_152);

/** Rows 14 to 20: the multipart form. */
export const QUERY_FORM_ROWS: readonly QueryRow[] = [
  {
    row: 14,
    what: "a boundary that does not occur",
    spoil: (plan) => {
      plan.boundary = "another";
    },
    expected: formText("No image."),
  },
  ...["images", "Image", "MAX_NUM_RESULTS", "", "__proto__"].map(
    (name): QueryRow => ({
      row: 15,
      what: `the unknown field ${JSON.stringify(name)}`,
      spoil: field(name, "1"),
      expected: json(400, "UnknownParameters"),
      vuforia: formText("Unknown parameters in the request."),
    }),
  ),
  {
    row: 16,
    what: "an image that is not a file",
    spoil: (plan) => {
      plan.parts = plan.parts.map((part) => ({ ...part, filename: undefined }));
    },
    expected: formText("No image."),
  },
  {
    row: 16,
    what: "no image",
    spoil: (plan) => {
      plan.parts = plan.parts.filter(({ name }) => name !== "image");
    },
    expected: formText("No image."),
    excludes: [17],
  },
  ...[
    { what: "an empty image", content: Buffer.alloc(0) },
    { what: "a text as image", content: Buffer.from("no image at all") },
    {
      what: "a GIF",
      content: Buffer.from(
        "47494638396101000100800000000000ffffff21f90400000000002c00000000010001000002024401003b",
        "hex",
      ),
    },
    {
      what: "an image 30001 pixels wide",
      content: makePng({ width: 30_001, height: 1, depth: 1, colourType: 0 }),
    },
    {
      what: "an image 30001 pixels high",
      content: makePng({ width: 1, height: 30_001, depth: 1, colourType: 0 }),
    },
    { what: "a text of 2097153 bytes as image", content: Buffer.alloc(2_097_153, 65) },
  ].map(
    ({ what, content }): QueryRow => ({
      row: 17,
      what,
      spoil: image(content),
      expected: json(422, "BadImage", " "),
      excludes: [18],
    }),
  ),
  {
    row: 18,
    what: "an image of 2097153 bytes",
    spoil: image(pngOfLength(2_097_153)),
    expected: {
      status: 413,
      headers: list({ ...nginx, Connection: "Close", "Content-Type": "text/html" }),
      body: ENTITY_TOO_LARGE_PAGE.toString(),
    },
  },
  ...["", " ", "5.0", "1e1", "a", "0x5", "1_0", "--5", "+", "2147483648", "9".repeat(400), "é"].map(
    (given): QueryRow => ({
      row: 19,
      what: `max_num_results ${JSON.stringify(given)}`,
      spoil: field("max_num_results", given),
      expected: invalidNumber(given),
    }),
  ),
  ...["0", "51", "-1", "2147483647", " +00 ", "-2147483649"].map(
    (given): QueryRow => ({
      row: 19,
      what: `max_num_results ${JSON.stringify(given)}`,
      spoil: field("max_num_results", given),
      expected: outOfRange(given),
    }),
  ),
  ...["", "TOPS", " top", "true"].map(
    (given): QueryRow => ({
      row: 20,
      what: `include_target_data ${JSON.stringify(given)}`,
      spoil: field("include_target_data", given),
      expected: formText(
        `Invalid value '${given.toLowerCase()}' in form data part 'include_target_data'. Expecting one of the (unquoted) string values 'all', 'none' or 'top'.`,
      ),
    }),
  ),
];
