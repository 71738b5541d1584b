import { PassThrough } from "node:stream";
import { adding, image, type Mistake, searching } from "./mistakes.ts";

const asText = (bytes: Buffer) => Buffer.from(bytes.toString("utf8"));

/** Pictures that were damaged or wrongly encoded. */
export const PICTURES: readonly Mistake[] = [
  [
    "base64 that a form decoded",
    (s) => adding(s, { image: image.toString("base64").replace(/^.{76}/, "$& ") }),
    "at position 77",
    "probably a + that form encoding replaced",
  ],
  [
    "base64url",
    (s) =>
      adding(s, { image: `${image.toString("base64").slice(0, 8)}-_${image.toString("base64").slice(10)}` }),
    'the character "-" at position 9',
    'not "base64url"',
  ],
  [
    "a data URI",
    (s) => adding(s, { image: `data:image/png;base64,${image.toString("base64")}` }),
    "is a data URI",
    'send only what follows "data:image/png;base64,"',
  ],
  [
    "a picture that went through a text encoding",
    (s) => adding(s, { image: asText(image).toString("base64") }),
    "went through a text encoding",
    "as bytes (a Buffer)",
  ],
  [
    "a picture sent as text in a query",
    (s) => searching(s, asText(image)),
    "went through a text encoding",
    "as bytes (a Buffer)",
  ],
  [
    "base64 in a query",
    (s) => searching(s, Buffer.from(image.toString("base64"))),
    "base64 text of an image",
    "decode it once more",
  ],
  [
    "a WebP",
    (s) => adding(s, { image: Buffer.from("RIFF\0\0\0\0WEBPVP8 ").toString("base64") }),
    "it is a WebP",
    "convert it",
  ],
  [
    "a field without filename",
    (s) => searching(s, image, 'name="image"'),
    "has no filename parameter",
    'filename="<any>"',
  ],
  [
    "an image in hexadecimal",
    (s) => adding(s, { image: image.toString("hex") }),
    "it was sent in hexadecimal",
    "encode the image's bytes as base64",
  ],
  ...(
    [
      ["a Buffer", Buffer.from("bytes"), "image is a Buffer that JSON wrote", "send it as base64"],
      ["a Uint8Array", Uint8Array.of(1, 2, 3), "image is a Uint8Array that JSON", "send it as base64"],
      ["a Blob", new Blob(["bytes"]), "a Blob, File, ArrayBuffer", "await its bytes"],
      ["an array of bytes", [137, 80, 78, 71], "an array of bytes", "send them as base64"],
      ["a stream", new PassThrough(), "a stream that JSON wrote", "read it to its end"],
      [
        "a Uint8Array as text",
        String(Uint8Array.of(137, 80, 78)),
        "written as text",
        "send Buffer.from(bytes)",
      ],
      ["[object Blob]", "[object Blob]", 'the text "[object Blob]"', "in place of what the object contains"],
      ["undefined as text", "undefined", 'the text "undefined"', "check the variable that holds it"],
    ] as const
  ).map(
    ([what, lost, mistake, fix]): Mistake => [
      `${what} as the picture in JSON`,
      (s) => adding(s, { image: lost }),
      mistake,
      fix,
    ],
  ),
  [
    "a long Buffer in JSON",
    (s) => adding(s, { image: Buffer.alloc(600_000) }),
    "image is a Buffer that JSON wrote as an object",
    "send it as base64",
  ],
  [
    "bytes that a form took for text",
    (s) => searching(s, Buffer.from(String(Uint8Array.of(137, 80, 78))), 'name="image"'),
    "it is bytes written as text",
    "append a Blob and a file name",
  ],
  [
    "an object that a form took for text",
    (s) => searching(s, Buffer.from("[object Object]"), 'name="image"'),
    'it is the text "[object Object]"',
    "append a Blob and a file name",
  ],
];
