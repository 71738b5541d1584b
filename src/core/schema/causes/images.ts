import { refusal } from "./row.ts";
import { unset } from "./words.ts";

/** The first bytes of what was sent. */
type Beginning = {
  readonly bytes: string;
};

const notAPicture =
  (advice: string, why: string) =>
  ({ bytes }: Beginning): string =>
    `${advice}: the image ${why}; it begins with ${bytes}; expected a PNG or JPEG file`;

const forFormat = {
  PNG: "*.png binary",
  JPEG: "*.jpg binary",
} as const;

const SOURCES = { page: "an SVG or an HTML page", json: "JSON", text: "text" } as const;

/** Where a PNG or JPEG is damaged. `isHeader`: it cannot even be opened. */
type Damage = {
  readonly isHeader: boolean;
};
const wanted = ({ isHeader }: Damage): string =>
  isHeader ? "expected a PNG or JPEG file" : "expected a complete, undamaged image";

/** Pictures of targets and queries. */
export const imageCauses = {
  "image.empty": refusal(
    "The image has no bytes.",
    () => "send a PNG or JPEG file: the image is empty",
    "Read the file before it is sent.",
    'POST /targets\n\n{ …, "image": "" }',
  ),
  "image.text-encoded": refusal<Beginning>(
    "The image went through a text encoding, which destroys it.",
    notAPicture(
      "read and send the file as bytes (a Buffer), never as a string",
      "went through a text encoding",
    ),
    "Read and send the file as bytes (a Buffer), never as a string.",
    'POST /targets\n\n{ …, "image": "77+9UE5HDQoaCg==" }',
  ),
  "image.redirected": refusal<Beginning>(
    "The image is UTF-16 text, as PowerShell's > writes what a program prints.",
    notAPicture(
      "let the program write the file, as picture --output does",
      "is UTF-16 text, as PowerShell's > writes it",
    ),
    "Let the program write the file itself: `picture 1 --output poster.png`.",
    'POST /targets\n\n{ …, "image": "//7rAFAATgBHAA==" }',
  ),
  "image.lfs": refusal(
    "The image is a pointer of Git LFS, in place of the file.",
    () =>
      "run git lfs pull, and in CI check out with LFS: the image is a Git LFS pointer, in place of the file",
    "Run `git lfs pull`. In CI, let the checkout fetch LFS files.",
    "POST /v1/query\n\nimage=version https://git-lfs.github.com/spec/v1",
  ),
  "image.line-ends": refusal<{ readonly format: "PNG" | "JPEG" }>(
    "The line ends of the image's file were converted, which destroys it.",
    ({ format }) =>
      `write "${forFormat[format]}" to .gitattributes, and add the file again: the ${format}'s line ends were converted, which destroys it`,
    "Mark pictures as binary in `.gitattributes`, and add the file again.",
    'POST /targets\n\n{ …, "image": "iVBORwoaCgAAAA1JSERS" }',
  ),
  "image.prefixed": refusal<Beginning & { readonly format: "PNG" | "JPEG"; readonly at: number }>(
    "The image comes after other bytes.",
    ({ bytes, format, at }) =>
      `send the ${format} without what comes before it: the image begins with ${bytes}, and the ${format} follows at byte ${at}`,
    "Send the file without what comes before it, such as headers or a line.",
    'POST /targets\n\n{ …, "image": "DQqJUE5HDQoaCg==" }',
  ),
  "image.base64": refusal<Beginning>(
    "The image was encoded as base64 once too often.",
    notAPicture("decode the image once more, or encode it once less", "is base64 text of an image"),
    "Encode the image's bytes once.",
    'POST /targets\n\n{ …, "image": "aVZCT1J3MEtHZ28=" }',
  ),
  "image.hex": refusal<Beginning & { readonly isDecoded: boolean }>(
    "The image is in hexadecimal.",
    ({ bytes, isDecoded }) =>
      isDecoded
        ? notAPicture("encode the image's bytes as base64", "was sent in hexadecimal")({ bytes })
        : notAPicture("send the image's bytes", "is hexadecimal text")({ bytes }),
    "Send the image's bytes, or their base64: no hexadecimal text.",
    'POST /targets\n\n{ …, "image": "89504e470d0a1a0a" }',
  ),
  "image.data-uri": refusal<Beginning>(
    "The image is a data URI.",
    notAPicture("send only the image's bytes", "is a data URI"),
    "Send the bytes that the data URI encodes.",
    "POST /v1/query\n\nimage=data:image/png;base64,iVBORw0KGgo=",
  ),
  "image.format": refusal<Beginning & { readonly is: string }>(
    "The image is in another format.",
    ({ bytes, is }) =>
      notAPicture(`convert ${is === "a PDF" ? "a page of it" : "it"} to PNG or JPEG`, `is ${is}`)({ bytes }),
    "Convert the image to PNG or JPEG.",
    "POST /v1/query\n\nimage=GIF89a",
  ),
  "image.video": refusal<Beginning & { readonly is: string }>(
    "The image is a video.",
    ({ bytes, is }) => notAPicture("extract a frame of the video", `is a video (${is})`)({ bytes }),
    "Extract a frame of the video, as PNG or JPEG.",
    'POST /targets\n\n{ …, "image": "AAAAGGZ0eXBpc29t" }',
  ),
  "image.archive": refusal<Beginning & { readonly is: string }>(
    "The image is an archive, or compressed.",
    ({ bytes, is }) => notAPicture("unpack the image", `is ${is}`)({ bytes }),
    "Unpack the picture.",
    'POST /targets\n\n{ …, "image": "UEsDBBQ=" }',
  ),
  "image.download": refusal<Beginning & { readonly is: keyof typeof SOURCES }>(
    "The image is the response of a failed download.",
    ({ bytes, is }) =>
      notAPicture(
        "check the download",
        `is ${SOURCES[is]}, often the error page of a failed download`,
      )({
        bytes,
      }),
    "Check that the download of the image succeeded before it is sent.",
    "POST /v1/query\n\nimage=<html>",
  ),
  "image.unset": refusal<{ readonly bytes: string } | { readonly text: string }>(
    "The image is the text of a value that was not set.",
    (facts) =>
      "text" in facts
        ? unset("the image", facts.text)
        : notAPicture("send the image's bytes", "is the text of a value that is not an image")(facts),
    "Check the variable that holds the image, and await it.",
    "POST /v1/query\n\nimage=undefined",
  ),
  "image.bytes": refusal<Beginning>(
    "The image is its bytes written as text, such as a list of numbers.",
    notAPicture("send the bytes themselves", "is bytes written as text, such as JSON of a Buffer"),
    "Send the bytes of the Buffer or array, rather than JSON or text of it.",
    'POST /v1/query\n\nimage={"type":"Buffer","data":[137,80]}',
  ),
  "image.headless": refusal<Beginning & { readonly format: "PNG" | "JPEG" }>(
    "The beginning of the image's file is missing.",
    ({ bytes, format }) =>
      `send the ${format} from its first byte: it begins with ${bytes}; find the code that reads a part of its stream before`,
    "Send the file from its first byte: look for what reads the stream before.",
    'POST /targets\n\n{ …, "image": "2P/gABBKRklGAAE=" }',
  ),
  "image.file-name": refusal<Beginning & { readonly isUrl?: boolean }>(
    "The image is the name or the URL of a file.",
    ({ bytes, isUrl }) =>
      isUrl === true
        ? notAPicture("download the file", "is a URL")({ bytes })
        : notAPicture("read the file", "is the name of a file")({ bytes }),
    "Read or download the file, and send its bytes.",
    "POST /v1/query\n\nimage=./picture.png",
  ),
  "image.text": refusal<{ readonly text: string; readonly isField?: boolean }>(
    "The image is plain text, such as a placeholder.",
    ({ text, isField }) =>
      isField === true
        ? `send the base64 of a PNG or JPEG file as the field image: it is the text ${text}`
        : `send the bytes of a PNG or JPEG file: the image is the text ${text}`,
    "Read a PNG or JPEG file. Send its bytes, or in JSON their base64.",
    'POST /targets\n\n{ …, "image": "test" }',
  ),
  "image.unknown": refusal<Beginning>(
    "The image is no PNG or JPEG file.",
    ({ bytes }) => `send a PNG or JPEG file: the image begins with ${bytes}`,
    "Send a PNG or JPEG file.",
    "POST /v1/query with random bytes as the image",
  ),
  "image.truncated": refusal<
    Damage & { readonly bytes: number; readonly within?: string; readonly damage?: string }
  >(
    "The image's file ends early.",
    (facts) => {
      const { bytes, within, damage } = facts;
      const found =
        damage !== undefined
          ? `the image's data is incomplete or damaged (${damage})`
          : `the PNG ends at byte ${bytes}, ${within === undefined ? "before its IEND" : `inside its ${within}`} chunk`;
      return `send the whole file: ${found}; ${wanted(facts)}`;
    },
    "Send the whole file.",
    "POST /targets with the first half of a PNG",
  ),
  "image.damaged": refusal<
    Damage & {
      readonly at?: number;
      /** The PNG's chunk that is damaged. */
      readonly chunk?: string;
      /** What the decoder says. */
      readonly damage?: string;
      /** The file that cannot be opened. */
      readonly format?: string;
    }
  >(
    "The image's file is damaged.",
    (facts) => {
      const { at, chunk, damage, format } = facts;
      const found =
        format !== undefined
          ? `the ${format} cannot be opened (${damage})`
          : damage !== undefined
            ? `the image's data is incomplete or damaged (${damage})`
            : at === undefined
              ? "the PNG does not begin with an IHDR chunk"
              : chunk === undefined
                ? `the PNG has no valid chunk at byte ${at}`
                : `the checksum of the PNG's ${chunk} chunk at byte ${at} is wrong`;
      return `read and send the file as bytes: ${found}; ${wanted(facts)}`;
    },
    "Send the file as it was saved: read and write it as bytes.",
    "POST /targets with a PNG in which one byte is different",
  ),
  "image.cgbi": refusal(
    "The PNG is in Apple's own form.",
    () =>
      "send the original file, or convert it with Xcode's pngcrush -revert-iphone-optimizations: the PNG is in Apple's own form (CgBI), as Xcode packs it into apps",
    "Send the original file: Xcode's form is read by Apple's systems only.",
    "POST /targets with a PNG out of an iPhone app",
  ),
  "image.chunk": refusal<{ readonly chunk: string; readonly at: number }>(
    "The PNG has a critical chunk of an unknown kind.",
    ({ chunk, at }) =>
      `save the picture again: the PNG has a critical chunk ${chunk} at byte ${at}, which decoders do not know; expected only IHDR, PLTE, IDAT and IEND`,
    "Save the picture with another program: only ancillary chunks, in lower case, may be of other kinds.",
    "POST /targets with a PNG that has a chunk ABCD",
  ),
  "image.adler": refusal<{ readonly isMissing: boolean }>(
    "The checksum of the PNG's pixels is wrong or missing.",
    ({ isMissing }) =>
      `save the picture again, or compress its pixels with zlib, which writes their checksum: that of the PNG (Adler-32) is ${isMissing ? "missing" : "wrong"}`,
    "Compress the pixels with zlib, which writes the checksum, or save the picture with another program.",
    "POST /targets with a PNG whose IDAT chunk ends with four other bytes",
  ),
  "image.jpeg-kind": refusal<{ readonly is: string }>(
    "The JPEG is of a kind that decoders do not read.",
    ({ is }) => `convert the JPEG to a baseline or progressive one of 8 bits a sample: it ${is}`,
    "Convert the picture to a usual JPEG: baseline or progressive, of 8 bits.",
    "POST /targets with a JPEG of 12 bits a sample",
  ),
  "image.colours": refusal<
    { readonly type: number; readonly name: string } | { readonly components: number | undefined }
  >(
    "The image has colours of a kind that is not accepted.",
    (facts) =>
      "type" in facts
        ? `convert the image to RGB: it is a PNG of colour type ${facts.type} (${facts.name}); expected greyscale of 2, 4 or 8 bits, or RGB of 8 or 16 bits`
        : `convert the image to RGB: the JPEG has ${facts.components} colour components (CMYK or YCCK); expected 1 or 3`,
    "Convert the image to RGB, without transparency.",
    "POST /targets with a PNG that has an alpha channel",
  ),
  "image.too-large": refusal<{ readonly bytes: number; readonly most: number; readonly isQuery?: boolean }>(
    "The image's file is too large.",
    ({ bytes, most, isQuery }) =>
      `send a smaller image: it has ${bytes} bytes; expected at most ${most}${isQuery === true ? " in a query" : ""}`,
    "Send a smaller file: fewer pixels, or a JPEG.",
    "POST /v1/query with an image of more than 2 MiB",
  ),
  "image.pixels": refusal<{ readonly width: number; readonly height: number; readonly most: number }>(
    "The image has too many pixels.",
    ({ width, height, most }) =>
      `scale the image down: it has ${width}x${height} = ${width * height} pixels; expected at most ${most}`,
    "Scale the image down.",
    "POST /targets with a PNG that declares 20,000 x 20,000 pixels",
  ),
  "image.rows": refusal<{ readonly rows: number; readonly most: number }>(
    "The image has too many rows.",
    ({ rows, most }) => `scale the image down: the PNG has ${rows} rows; expected at most ${most}`,
    "Scale the image down.",
    "POST /targets with a PNG that declares a million rows",
  ),
  "image.sides": refusal<{ readonly width: number; readonly height: number; readonly most: number }>(
    "The image has a side that is too long.",
    ({ width, height, most }) =>
      `scale the image down: it is ${width}x${height} pixels; expected sides of at most ${most}`,
    "Scale the image down.",
    "POST /v1/query with a PNG that declares 30,001 pixels in a row",
  ),
};
