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
    "decode the image once more",
  ],
  [
    "a WebP",
    (s) => adding(s, { image: Buffer.from("RIFF\0\0\0\0WEBPVP8 ").toString("base64") }),
    "the image is a WebP",
    "convert it to PNG or JPEG",
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
    "the image was sent in hexadecimal",
    "encode the image's bytes as base64",
  ],
  ...(
    [
      [
        "a Buffer",
        Buffer.from("bytes"),
        "it is a Buffer that JSON wrote",
        "send the bytes of image as base64",
      ],
      [
        "a Uint8Array",
        Uint8Array.of(1, 2, 3),
        "it is a Uint8Array that JSON",
        "send the bytes of image as base64",
      ],
      ["a Blob", new Blob(["bytes"]), "a Blob, File, ArrayBuffer", "await blob.arrayBuffer()"],
      ["an array of bytes", [137, 80, 78, 71], "an array of bytes", "send the bytes of image as base64"],
      ["a stream", new PassThrough(), "a stream that JSON wrote", "read the stream to its end"],
      [
        "a Uint8Array as text",
        String(Uint8Array.of(137, 80, 78)),
        "written as text",
        "send Buffer.from(bytes)",
      ],
      [
        "[object Blob]",
        "[object Blob]",
        'the text "[object Blob]"',
        "send what the object contains as image",
      ],
      ["undefined as text", "undefined", 'the text "undefined"', "check the variable that holds the image"],
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
    "it is a Buffer that JSON wrote as an object",
    "send the bytes of image as base64",
  ],
  [
    "bytes that a form took for text",
    (s) => searching(s, Buffer.from(String(Uint8Array.of(137, 80, 78))), 'name="image"'),
    "part image is bytes written as text",
    "append the image as a Blob and a file name",
  ],
  [
    "an object that a form took for text",
    (s) => searching(s, Buffer.from("[object Object]"), 'name="image"'),
    'it is the text "[object Object]"',
    "append it as a Blob and a file name",
  ],
];
