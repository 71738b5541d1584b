import { image, md5, type Sent, type Situation, searching } from "../protocol/mistakes/mistakes.ts";
import type { Input } from "./inputs.ts";

const BOUNDARY = "b0undary";
const DISPOSITION = 'Content-Disposition: form-data; name="image"; filename="a.png"';

/** Queries with another body, rightly signed. */
const body =
  (bytes: Buffer | string, boundary = BOUNDARY) =>
  (s: Situation): Sent => {
    const sent = searching(s);
    const form = Buffer.from(bytes);
    const type = `multipart/form-data; boundary=${boundary}`;
    return {
      ...sent,
      body: form,
      signed: { ...sent.signed, digest: md5(form) },
      headers: { ...sent.headers, "Content-Type": type },
    };
  };

/** A form of one file, of parts that a mistake changes. */
function written({
  begin = `--${BOUNDARY}`,
  end = `--${BOUNDARY}--`,
  head = `${DISPOSITION}\r\n\r\n`,
  lineEnd = "\r\n",
  file = image,
} = {}): Buffer {
  return Buffer.concat([
    Buffer.from(`${begin}${lineEnd}${head}`),
    file,
    Buffer.from(`${lineEnd}${end}${lineEnd}`),
  ]);
}

const lines = (head: string) => `${head}\r\n\r\n`;
const given = (text: string) => ({ given: JSON.stringify(text) });

/** Forms of queries. */
export const FORMS: readonly Input[] = [
  [
    "lines that end with a line feed",
    body(written({ head: `${DISPOSITION}\n\n`, lineEnd: "\n" })),
    "form.line-ends",
    { are: "LF" },
  ],
  [
    "headers that end with a line feed",
    body(written({ head: `${DISPOSITION}\n\n` })),
    "form.line-ends",
    { are: "LF" },
  ],
  ["delimiters that end with a line feed", body(written({ lineEnd: "\n" })), "form.line-ends", { are: "LF" }],
  [
    "lines that end with a carriage return",
    body(written({ head: `${DISPOSITION}\r\r`, lineEnd: "\r" })),
    "form.line-ends",
    { are: "CR" },
  ],
  [
    "delimiters with two dashes too many",
    body(written({ begin: `----${BOUNDARY}`, end: `----${BOUNDARY}--` })),
    "form.delimiter",
    given(`----${BOUNDARY}`),
  ],
  [
    "delimiters without dashes",
    body(written({ begin: BOUNDARY, end: BOUNDARY })),
    "form.delimiter",
    given(BOUNDARY),
  ],
  [
    "delimiters with one dash",
    body(written({ begin: `-${BOUNDARY}`, end: `-${BOUNDARY}--` })),
    "form.delimiter",
    given(`-${BOUNDARY}`),
  ],
  [
    "the dashes of the delimiters in the header's boundary",
    body(written(), `--${BOUNDARY}`),
    "form.delimiter",
    { given: JSON.stringify(`--${BOUNDARY}`), expected: JSON.stringify(`----${BOUNDARY}`) },
  ],
  [
    "a boundary with fewer dashes than a browser's",
    body(written({ begin: "--WebKitFormX", end: "--WebKitFormX--" }), "----WebKitFormX"),
    "form.delimiter",
    given("--WebKitFormX"),
  ],
  [
    "attachment in place of form-data",
    body(written({ head: lines('Content-Disposition: attachment; name="image"; filename="a.png"') })),
    "form.disposition",
    given('Content-Disposition: attachment; name="image"; filename="a.png"'),
  ],
  [
    "file in place of form-data",
    body(written({ head: lines('Content-Disposition: file; name="image"; filename="a.png"') })),
    "form.disposition",
    given('Content-Disposition: file; name="image"; filename="a.png"'),
  ],
  [
    "formdata in place of form-data",
    body(written({ head: lines('Content-Disposition: formdata; name="image"; filename="a.png"') })),
    "form.disposition",
    given('Content-Disposition: formdata; name="image"; filename="a.png"'),
  ],
  [
    "only a Content-Type",
    body(written({ head: lines("Content-Type: image/png") })),
    "form.disposition",
    given("Content-Type: image/png"),
  ],
  [
    "no empty line behind the headers",
    body(written({ head: `${DISPOSITION}\r\n` })),
    "form.blank-line",
    { after: JSON.stringify(DISPOSITION) },
  ],
  ["the picture itself", body(image), "form.missing", { is: "PNG" }],
  [
    "JSON with a picture",
    body(JSON.stringify({ image: image.toString("base64") })),
    "form.missing",
    { is: "json" },
  ],
  ["a URL-encoded form", body("image=poster.png&max_num_results=1"), "form.missing", { is: "encoded" }],
  ["base64 of the picture", body(image.toString("base64")), "form.missing", { is: "base64" }],
  ["[object FormData]", body("[object FormData]"), "form.missing", { is: "unset" }],
  ["no body", body(""), "form.missing", { is: "empty" }],
  [
    "a name in upper case",
    body(written({ head: lines('Content-Disposition: form-data; name="Image"; filename="a.png"') })),
    "form.fields",
    { meant: "image" },
  ],
  [
    "curl -F file=@poster.png",
    (s) => searching(s, image, 'name="file"; filename="a.png"'),
    "form.fields",
    { meant: "image" },
  ],
  [
    "a part without a name",
    body(written({ head: lines('Content-Disposition: form-data; filename="a.png"') })),
    "form.fields",
    { isUnnamed: true },
  ],
  [
    "a picture that was read as UTF-8 before it was signed",
    (s) => searching(s, Buffer.from(image.toString())),
    "image.text-encoded",
  ],
  [
    "a picture that was read as Latin-1 before it was signed",
    (s) => searching(s, Buffer.from(image.toString("latin1"))),
    "image.text-encoded",
  ],
  ["a picture without a file name", (s) => searching(s, image, 'name="image"'), "image.no-file"],
];
