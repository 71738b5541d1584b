import { adding, type Mistake, request, type Situation } from "./mistakes.ts";

const written = (s: Situation, text: string) =>
  request(s, "POST", "/targets", Buffer.from(text), "application/json");

/** Wrong JSON bodies and metadata. */
export const BODIES: readonly Mistake[] = [
  ["a width of 0", (s) => adding(s, { width: 0 }), "send width as a number above 0", "got 0"],
  ["camelCase keys", (s) => adding(s, { activeFlag: true }), "activeFlag", "write active_flag"],
  [
    "metadata as plain text",
    (s) => adding(s, { application_metadata: "A beetle, seen from above." }),
    "it is plain text",
    'send Buffer.from(text).toString("base64") as application_metadata',
  ],
  [
    "metadata as JSON",
    (s) => adding(s, { application_metadata: '{"page":1}' }),
    "it is plain text",
    'send Buffer.from(text).toString("base64") as application_metadata',
  ],
  [
    "a body that was cut within its JSON",
    (s) => {
      const sent = adding(s);
      return { ...sent, body: sent.body.subarray(0, -2) };
    },
    "it ends within its JSON",
    "counts bytes, not characters",
  ],
  [
    "a Content-Length in characters",
    (s) => {
      const sent = adding(s);
      const length = String(sent.body.toString().length);
      return { ...sent, headers: { ...sent.headers, "Content-Length": length } };
    },
    "characters",
    "Buffer.byteLength",
  ],
  [
    "a long body that was cut within its JSON, signed as it arrives",
    (s) => written(s, `{"image":"${"A".repeat(300_000)}`),
    "it ends within its JSON",
    "counts bytes, not characters",
  ],
  ...[
    ["[object Object]", "send what the object contains as the body"],
    ["[object Promise]", "await the body first"],
    ["undefined", "check the variable that holds the body"],
    ["null", "check the variable that holds the body"],
  ].map(
    ([text = "", fix = ""]): Mistake => [
      `the text ${text} as the body`,
      (s) => written(s, text),
      text === "null" ? "got null" : `it is the text "${text}"`,
      fix,
    ],
  ),
  [
    "JSON that was written twice",
    (s) => written(s, JSON.stringify(JSON.stringify({ name: "twice" }))),
    "JSON that was written as JSON once more",
    "call JSON.stringify once",
  ],
  [
    "a Buffer as metadata",
    (s) => adding(s, { application_metadata: Buffer.from("bytes") }),
    "it is a Buffer that JSON wrote as an object",
    "send the bytes of application_metadata as base64",
  ],
];
