import { expect } from "vitest";
import { adding, request, type Situation } from "../protocol/mistakes/mistakes.ts";
import type { Input } from "./inputs.ts";

/** Adds a target with this body, rightly signed. */
const body = (bytes: string | Buffer) => (s: Situation) =>
  request(s, "POST", "/targets", Buffer.from(bytes), "application/json");

const json = (code: Input[2], what: string, text: string | Buffer, is: string, facts: object = {}): Input => [
  what,
  body(text),
  code,
  { is, ...facts },
];

/** Bodies that are not JSON, or were encoded again on their way. */
export const JSON_BODIES: readonly Input[] = [
  [
    "image_url in place of image",
    body('{"name":"a","width":1,"image_url":"https://example.com/a.png"}'),
    "fields.missing",
    { fields: "image", unknown: '"image_url"' },
  ],
  [
    "names in camel case",
    body('{"targetName":"a","width":1,"imageBase64":"AAAA"}'),
    "fields.missing",
    { fields: "name, image", unknown: '"targetName, imageBase64"' },
  ],
  [
    "a target within an object",
    body('{"target":{"name":"a","width":1,"image":"AAAA"}}'),
    "fields.missing",
    { within: '"target"' },
  ],
  [
    "a target within data",
    body('{"data":{"name":"a","width":1,"image":"AAAA"},"meta":{}}'),
    "fields.missing",
    { within: '"data"' },
  ],
  json("json.number", "a decimal comma", '{"name":"a","width":0,5}', "comma", {
    character: '"5"',
    line: 1,
    column: 23,
    around: '{"name":"a","width":0,▶5}'.slice(2),
  }),
  json("json.number", "a decimal comma, formatted", '{\n  "width": 1,25\n}', "comma", {
    line: 2,
    column: 14,
  }),
  json("json.number", "leading zeros", '{"width": 007}', "zero"),
  json("json.number", "a plus sign", '{"width": +1}', "sign"),
  json("json.number", "no digit before the point", '{"width": .5}', "point"),
  json("json.number", "no digit behind the point", '{"width": 1.}', "point"),
  json("json.number", "a float of Java", '{"width": 1.5f}', "other"),
  json("json.number", "hexadecimal", '{"width": 0x10}', "other"),
  json("json.literal", "Python's True", '{"name": "a", "active_flag": True}', "python", { character: '"T"' }),
  json("json.literal", "Python's None", '{"application_metadata": None}', "python"),
  json("json.literal", "JavaScript's undefined", '{"width": undefined}', "undefined"),
  json("json.literal", "NaN", '{"width": NaN}', "notNumber"),
  json("json.literal", "Infinity", '{"width": -Infinity}', "notNumber"),
  json("json.literal", "Ruby's nil", '{"application_metadata": nil}', "nil"),
  json("json.literal", "upper-case TRUE", '{"active_flag": TRUE}', "case"),
  json("json.quotes", "Python's str of a dict", "{'name': 'a', 'width': 1}", "single", {
    line: 1,
    column: 2,
  }),
  json("json.quotes", "single quotes that cmd.exe kept", `'{"name":"a"}'`, "shell"),
  json("json.quotes", "an object of JavaScript", '{name: "a", width: 1}', "bare"),
  json("json.quotes", "double quotes that a shell removed", "{name:poster,width:1}", "bare"),
  json("json.quotes", "curly quotes", "{\u201cname\u201d: \u201ca\u201d}", "curly", {
    character: '"\u201c"',
  }),
  json("json.quotes", "escaped quotes", '{\\"name\\":\\"a\\"}', "escaped"),
  json("json.text", "a quotation mark within a text", '{"name":"a "big" poster"}', "quote"),
  json("json.text", "a line feed within a text", '{"name":"a\nb"}', "lineFeed", { line: 1, column: 11 }),
  json("json.text", "a tab within a text", '{"name":"a\tb"}', "control"),
  json("json.text", "a path of Windows", '{"name":"C:\\pictures\\poster"}', "backslash"),
  json("json.punctuation", "a trailing comma", '{"name":"a",}', "trailingComma"),
  json("json.punctuation", "a trailing comma, formatted", '{\n  "name": "a",\n}', "trailingComma", {
    line: 3,
    column: 1,
  }),
  json("json.punctuation", "a comment", '{\n  // the name\n  "name": "a"\n}', "comment", { line: 2 }),
  json("json.punctuation", "no comma", '{"name":"a" "width":1}', "missingComma"),
  json("json.punctuation", "no colon", '{"name" "a"}', "missingColon"),
  json("json.punctuation", "Ruby's inspect of a hash", '{"name"=>"a"}', "arrow"),
  json("json.punctuation", "Java's toString of a map", '{"name"="a"}', "equals"),
  json("json.punctuation", "two objects", '{"name":"a"}{"name":"b"}', "rest"),
  json("json.punctuation", "a semicolon at the end", '{"name":"a"};', "rest"),
  json("json.punctuation", "a space without a break", '{"name":\u00a0"a"}', "space"),
  json("json.format", "a form", "name=poster&width=1", "form"),
  json("json.format", "percent-encoded JSON", encodeURIComponent('{"name":"a"}'), "percent"),
  json(
    "json.format",
    "a multipart form",
    '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\na',
    "multipart",
  ),
  json(
    "json.format",
    "a multipart form with a picture",
    Buffer.from("--b\r\n\r\n\u0089PNG", "latin1"),
    "multipart",
  ),
  json("json.format", "XML", '<?xml version="1.0"?><target/>', "xml"),
  json("json.format", "base64 of JSON", Buffer.from('{"name":"poster"}').toString("base64"), "base64"),
  json("json.format", "YAML", "name: poster\nwidth: 1\n", "yaml"),
  json("json.format", "JSONP", 'callback({"name":"a"})', "call"),
  json("json.format", "PHP's print_r", "Array\n(\n    [name] => poster\n)\n", "object"),
  json("json.format", "C#'s name of a type", "System.Collections.Hashtable", "object"),
  json("json.encoding", "a byte-order mark", '\ufeff{"name":"a"}', "mark"),
  json("json.encoding", "UTF-16 with its mark", Buffer.from('\ufeff{"name":"a"}', "utf16le"), "utf16"),
  json("json.encoding", "UTF-16 without a mark", Buffer.from('{"name":"a"}', "utf16le"), "utf16"),
  json("json.encoding", "Latin-1", Buffer.from('{"name":"Käfer"}', "latin1"), "latin1", {
    character: "0xe4",
    line: 1,
    column: 11,
  }),
  json("json.encoding", "a NUL at the end", '{"name":"a"}\0', "nul"),
  json("json.encoding", "gzip", Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]), "compressed"),
  ["JSON that was cut", body('{"name":"poster","wid'), "json.cut", { after: expect.stringContaining("wid") }],
  ["JSON that ends behind a comma", body('{"name":"poster",'), "json.cut"],
  [
    "a comma in a large body, behind the picture",
    (s) => body(`{"image":"${"A".repeat(300_000)}","width":0,5}`)(s),
    "json.number",
    { is: "comma", line: 1, column: 300_023 },
  ],
  json("json.punctuation", "a body with a password", '{"password":"hunter2",}', "trailingComma"),
  [
    "a name that was encoded twice",
    (s) => adding(s, { name: "K\u00c3\u00a4fer" }),
    "name.reencoded",
    { as: "latin1" },
  ],
  ["a name with U+FFFD", (s) => adding(s, { name: "K\ufffdfer" }), "name.reencoded", { as: "replacement" }],
  ["a picture that was read as text", (s) => adding(s, { image: "\ufffdPNG" }), "base64.decoded"],
];
