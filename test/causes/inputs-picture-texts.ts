import { adding, image, searching } from "../protocol/mistakes/mistakes.ts";
import type { Input } from "./inputs.ts";

const base64 = image.toString("base64");

/** Of a target: what the field `image` has in place of base64. */
const field = (what: string, text: string, code: Input[2], facts: object = {}): Input => [
  `${what}, as the field image`,
  (s) => adding(s, { image: text }),
  code,
  { field: "image", ...facts },
];
const address = (text: string): Input => field(text.slice(0, 40), text, "base64.file-name", { isUrl: true });
const name = (text: string): Input => field(text, text, "base64.file-name", { isUrl: false });
const quoted = (what: string, text: string, isPython = false): Input =>
  field(what, text, "base64.quoted", { isPython });

const FIELDS: readonly Input[] = [
  address("https://example.com/poster.png"),
  address("http://localhost:3000/poster?size=1&w=2"),
  address("s3://bucket/poster.png"),
  address("gs://bucket/poster"),
  address("blob:http://localhost:3000/1c9b8e0a-7a41"),
  address("content://media/external/images/media/42"),
  address("ph://CC95F08C-88C3-4012-9D6D-64A413D254B3/L0/001"),
  name("poster.png"),
  name("my poster (1).jpeg"),
  name("./fixtures/poster.png"),
  name("/tmp/poster.png"),
  name("C:\\Users\\me\\poster.jpg"),
  name("file:///tmp/poster.png"),
  name("~/poster.webp"),
  quoted("Python's text of base64's bytes", `b'${base64}'`, true),
  quoted("base64 in quotation marks", `'${base64}'`),
  quoted("base64 in double quotes", `"${base64}"`),
  quoted("base64 in angle brackets", `<${base64}>`),
  field("base64 behind its name", `base64,${base64}`, "base64.data-uri"),
  field("a data URI without its scheme", `image/png;base64,${base64}`, "base64.data-uri"),
  field("base64 with line feeds that were escaped", base64.replace(/.{76}/g, "$&\\n"), "base64.escaped"),
  field("base64 with escaped slashes", base64.replaceAll("/", "\\/"), "base64.escaped"),
  field("base64 with HTML's references", base64.replaceAll("+", "&#43;"), "base64.escaped"),
  field("base64 that a log shortened", `${base64.slice(0, 100)}...`, "base64.cut", { isShortened: true }),
  field("base64 that a debugger shortened", `${base64.slice(0, 100)}…`, "base64.cut", { isShortened: true }),
  field("JSON of a Buffer", JSON.stringify(image), "base64.bytes"),
  field("JSON of a Uint8Array", JSON.stringify(new Uint8Array(image)), "base64.bytes"),
  field("a list of bytes", JSON.stringify([...image]), "base64.bytes"),
  field("what Node prints of a Buffer", "<Buffer 89 50 4e 47 0d 0a>", "base64.bytes"),
  field("what Python prints of bytes", "b'\\x89PNG\\r\\n'", "base64.bytes"),
];

/** Of a target: a text that stands where base64 of a picture is expected. */
const placeholder = (text: string): Input => [
  `${text.slice(0, 40)}, as the field image`,
  (s) => adding(s, { image: text }),
  "image.text",
  { isField: true },
];
const label = (text: string): Input => [
  `${text}, as metadata`,
  (s) => adding(s, { application_metadata: text }),
  "base64.text",
  { field: "application_metadata" },
];

const PLACEHOLDERS: readonly Input[] = [
  ...["test", "string", "image", "data", "base64", "base64string", "abc123", "TODO", "AAAA"].map(placeholder),
  ...["base64-string", "base64_image_data", "image data", "Hello, world!", "...", "…", "*", "-"].map(
    placeholder,
  ),
  ...["<image>", "<base64 image>", "<YOUR_IMAGE_IN_BASE64>", "[image]", "[base64 encoded image]"].map(
    placeholder,
  ),
  ...["{{image}}", "{{ image | base64 }}", "\u0024{image}", "$IMAGE", "%IMAGE%", "#{image}"].map(placeholder),
  ...["$(base64 -w0 poster)", "`base64 poster`"].map(placeholder),
  placeholder("1c9b8e0a-7a41-4c53-9d6d-64a413d254b3"),
  placeholder("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
  placeholder(
    "The picture of a beetle that sits on a leaf, seen from above, in the light of the morning sun.",
  ),
  placeholder('{"file":"poster"}'),
  placeholder(`-----BEGIN IMAGE-----\n${base64}\n-----END IMAGE-----`),
  ...["product-1234", "sku_42", "a.beetle@example.com", "2026-11-29", "Käfer"].map(label),
  ...["https://example.com/poster", "poster.png", "{{metadata}}", "<metadata>"].map(label),
  field("Latin-1 of a PNG", image.toString("latin1"), "base64.decoded"),
  field("UTF-8 of a PNG", image.toString("utf8"), "base64.decoded"),
  field("Windows-1252 of a PNG", `\u2030PNG\r\n\u001a\n`, "base64.decoded"),
  field("Latin-1 of a JPEG", "\u00ff\u00d8\u00ff\u00e0\u0000\u0010JFIF", "base64.decoded"),
];

/** A file of a form, and its base64 as the field `image`. */
const file = (what: string, bytes: string | Buffer, code: Input[2], facts: object = {}): readonly Input[] => [
  [`${what}, as a form's file`, (s) => searching(s, Buffer.from(bytes)), code, facts],
  [`${what}, in base64`, (s) => adding(s, { image: Buffer.from(bytes).toString("base64") }), code, facts],
];
const MARK = "\ufeff";
const page = { is: "page" };

const FILES: readonly Input[] = [
  ...file("HTML behind a byte-order mark", `${MARK}<!DOCTYPE html><html>`, "image.download", page),
  ...file("HTML that begins with a comment", "<!-- not found --><html>", "image.download", page),
  ...file("HTML that begins with its head", "\n<head><title>404</title>", "image.download", page),
  ...file("XML of a storage's error", "<Error><Code>AccessDenied</Code>", "image.download", page),
  ...file("PHP", "<?php echo 1;", "image.download", page),
  ...file("JSON behind a byte-order mark", `${MARK}{"error":"not found"}`, "image.download", { is: "json" }),
  ...file("the text of a status", "404: Not Found", "image.download", { is: "text" }),
  ...file("a refusal", "Forbidden\n", "image.download", { is: "text" }),
  ...file(
    "a Git LFS pointer behind a byte-order mark",
    `${MARK}version https://git-lfs.github.com/spec/v1\n`,
    "image.lfs",
  ),
  ...file("base64 behind a byte-order mark", MARK + base64, "image.base64"),
  ...file("base64 in quotation marks", `"${base64}"`, "image.base64"),
  ...file("a data URI behind a byte-order mark", `${MARK}data:image/png;base64,${base64}`, "image.data-uri"),
  ...file("JSON of a Buffer", JSON.stringify(image), "image.bytes"),
  ...file("formatted JSON of a Buffer", '{"type": "Buffer", "data": [137, 80]}', "image.bytes"),
  ...file("JSON of a Uint8Array", JSON.stringify(new Uint8Array(image)), "image.bytes"),
  ...file("a list of bytes", JSON.stringify([...image]), "image.bytes"),
  ...file("signed bytes of Java", "[-119, 80, 78, 71, 13]", "image.bytes"),
  ...file("bytes with commas", "137,80,78,71,13,10", "image.bytes"),
  ...file("what Node prints of a Buffer", "<Buffer 89 50 4e 47 0d 0a>", "image.bytes"),
  ...file("what Swift prints of data", "<89504e47 0d0a1a0a>", "image.bytes"),
  ...file("what Python prints of bytes", "b'\\x89PNG\\r\\n'", "image.bytes"),
  ...file("a URL without an ending", "https://example.com/picture?id=1", "image.file-name", { isUrl: true }),
  ...file("a URL of a storage", "s3://bucket/poster.png", "image.file-name", { isUrl: true }),
  ...file("a word", "test", "image.text", { text: '"test"' }),
  ...file("a word and a line feed", "string\n", "image.text"),
  ...file("a sentence", "A beetle, seen from above: Käfer, ĳ, 甲虫.", "image.text"),
  ...file("a long text", "A beetle sits on a leaf. Käfer. ".repeat(40), "image.text", {
    text: '"A beetle sits on a l…"',
  }),
  ...file("a table", "name,width\nposter,1\n", "image.text"),
  ...file("blanks", " \r\n", "image.text"),
  ...file("a placeholder in angle brackets", "<image>", "image.text"),
  ...file("a template", "{{image}}", "image.text"),
  ...file("a variable of a shell", "$IMAGE", "image.text"),
  ...file("the name of a file", "poster.png", "image.file-name"),
  ...file("the name of a file and a line feed", "poster.jpg\n", "image.file-name"),
];

/** Pictures that are text: addresses, names, bytes written as text, and responses of failed downloads. */
export const PICTURES_AS_TEXT: readonly Input[] = [...FIELDS, ...PLACEHOLDERS, ...FILES];
