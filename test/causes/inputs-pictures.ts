import { deflateSync, gzipSync } from "node:zlib";
import type { Cause } from "mock-cloud-reco";
import sharp from "sharp";
import { adding, searching } from "../protocol/mistakes/mistakes.ts";
import { breakChecksum, makePng, pngChunk } from "../support/png.ts";
import type { Input } from "./inputs.ts";

/** A file that people send as the picture of a target or query, and what the journal says of it. */
interface PictureMistake {
  readonly what: string;
  readonly file: () => Buffer | Promise<Buffer>;
  readonly code: Cause["code"];
  /** Some of the cause's facts. */
  readonly facts?: object;
  /** Of the query, if it opens: otherwise it is refused as the target is. `none`: it is compared. */
  readonly query?: Cause["code"] | "none";
}

const png = makePng();
const [ihdr, idat] = [png.subarray(8, 33), png.indexOf("IDAT", 8, "latin1") - 4];
const signature = png.subarray(0, 8);
const pixels = png.subarray(idat + 8, idat + 8 + png.readUInt32BE(idat));
const end = pngChunk("IEND");
const withPixels = (data: Buffer) => Buffer.concat([signature, ihdr, pngChunk("IDAT", data), end]);

const jpeg = async (side = 320): Promise<Buffer> => {
  const data = Buffer.from(
    Array.from({ length: side * side * 3 }, (_, at) => (at * 7919 * (at % 251)) & 255),
  );
  return sharp(data, { raw: { width: side, height: side, channels: 3 } })
    .jpeg({ quality: 95 })
    .toBuffer();
};

/** As Git converts the text files of a checkout on Windows. */
const toWindows = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString("latin1").replace(/(?<!\r)\n/g, "\r\n"), "latin1");
const toUnix = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1");

/** Changes the header of a JPEG's frame. */
const withFrame = async (change: (frame: Buffer) => void): Promise<Buffer> => {
  const bytes = Buffer.from(await jpeg(64));
  const at = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  change(bytes.subarray(at));
  return bytes;
};

const begins =
  (...parts: readonly (string | readonly number[])[]) =>
  (): Buffer =>
    Buffer.concat([
      ...parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
      Buffer.alloc(300, 1),
    ]);

const LFS =
  "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";

const video = (what: string, is: string, file: () => Buffer): PictureMistake => ({
  what,
  file,
  code: "image.video",
  facts: { is },
});
const archive = (what: string, is: string, file: () => Buffer): PictureMistake => ({
  what,
  file,
  code: "image.archive",
  facts: { is },
});
const format = (what: string, is: string, file: () => Buffer): PictureMistake => ({
  what,
  file,
  code: "image.format",
  facts: { is },
});

const headless = (what: string, format: "PNG" | "JPEG", file: PictureMistake["file"]): PictureMistake => ({
  what,
  file,
  code: "image.headless",
  facts: { format },
});

const PICTURE_MISTAKES: readonly PictureMistake[] = [
  { what: "a Git LFS pointer", file: () => Buffer.from(LFS), code: "image.lfs" },
  {
    what: "a Git LFS pointer with line ends of Windows",
    file: () => toWindows(Buffer.from(LFS)),
    code: "image.lfs",
  },
  {
    what: "a PNG whose line ends became those of Windows",
    file: () => toWindows(png),
    code: "image.line-ends",
    facts: { format: "PNG" },
  },
  {
    what: "a PNG whose line ends became those of Unix",
    file: () => toUnix(png),
    code: "image.line-ends",
    facts: { format: "PNG" },
  },
  {
    what: "a PNG each of whose line feeds follows a carriage return",
    file: () => Buffer.from(png.toString("latin1").replaceAll("\n", "\r\n"), "latin1"),
    code: "image.line-ends",
    facts: { format: "PNG" },
  },
  {
    what: "a PNG whose carriage returns became line feeds",
    file: () => Buffer.from(png.toString("latin1").replaceAll("\r", "\n"), "latin1"),
    code: "image.line-ends",
    facts: { format: "PNG" },
  },
  {
    what: "a PNG of 7-bit bytes",
    file: () => Buffer.from(png.map((byte) => byte & 127)),
    code: "image.line-ends",
    facts: { format: "PNG" },
  },
  {
    what: "a JPEG whose line ends became those of Windows",
    file: async () => toWindows(await jpeg()),
    code: "picture.line-ends",
    query: "picture.line-ends",
  },
  {
    what: "a picture that > of PowerShell wrote",
    file: () => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(png.toString("latin1"), "utf16le")]),
    code: "image.redirected",
  },
  {
    what: "UTF-16 in the other order of bytes",
    file: () => Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from("a", "utf16le").swap16()]),
    code: "image.redirected",
  },
  {
    what: "a picture that > of PowerShell 7 wrote",
    file: () => toWindows(Buffer.from(png.toString("utf8"))),
    code: "image.text-encoded",
  },
  {
    what: "such a picture behind a byte-order mark",
    file: () => Buffer.from(`\ufeff${png.toString("utf8")}`),
    code: "image.text-encoded",
  },
  video("an MP4", "MP4 or MOV", begins([0, 0, 0, 24], "ftypisom")),
  video("an MP4 of a phone", "MP4 or MOV", begins([0, 0, 0, 24], "ftypmp42")),
  video("a QuickTime film", "MP4 or MOV", begins([0, 0, 0, 20], "ftypqt  ")),
  video("an old QuickTime film", "MOV", begins([0, 1, 0, 20], "moov")),
  video("a WebM", "WebM or Matroska", begins([0x1a, 0x45, 0xdf, 0xa3])),
  video("an AVI", "AVI", begins("RIFF", [1, 2, 3, 4], "AVI LIST")),
  video("a WMV", "WMV", begins([0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11])),
  video("an FLV", "FLV", begins("FLV", [1])),
  video("an Ogg", "Ogg", begins("OggS")),
  video("an MPEG", "MPEG", begins([0, 0, 1, 0xba])),
  archive("a ZIP", "a ZIP archive", begins("PK", [3, 4])),
  archive("an empty ZIP", "a ZIP archive", begins("PK", [5, 6])),
  archive("a picture in gzip", "a gzip file", () => gzipSync(png)),
  archive("a bzip2", "a bzip2 file", begins("BZh9")),
  archive("a 7-Zip", "a 7-Zip archive", begins("7z", [0xbc, 0xaf, 0x27, 0x1c])),
  archive("a RAR", "a RAR archive", begins("Rar!", [0x1a, 7])),
  archive("an xz", "an xz file", begins([0xfd], "7zXZ", [0])),
  archive("a Zstandard", "a Zstandard file", begins([0x28, 0xb5, 0x2f, 0xfd])),
  archive("a tar", "a tar archive", () => Buffer.concat([Buffer.alloc(257), Buffer.from("ustar"), png])),
  format("a JPEG XL", "a JPEG XL", begins([0xff, 0x0a])),
  format("a JPEG XL in a container", "a JPEG XL", begins([0, 0, 0, 12], "JXL ")),
  format("a JPEG 2000", "a JPEG 2000", begins([0, 0, 0, 12], "jP  ")),
  format("a JPEG 2000 without a container", "a JPEG 2000", begins([0xff, 0x4f, 0xff, 0x51])),
  format("a JPEG XR", "a JPEG XR", begins("II", [0xbc, 1])),
  format("an ICO", "an ICO", begins([0, 0, 1, 0, 1, 0])),
  format("a Photoshop file", "a Photoshop file", begins("8BPS")),
  format("an AVIF", "an AVIF or HEIC", begins([0, 0, 0, 28], "ftypavif")),
  format("a HEIC", "an AVIF or HEIC", begins([0, 0, 0, 28], "ftypheic")),
  format("a DICOM file", "a DICOM file", () =>
    Buffer.concat([Buffer.alloc(128), Buffer.from("DICM"), Buffer.alloc(9)]),
  ),
  format("an OpenEXR", "an OpenEXR file", begins([0x76, 0x2f, 0x31, 1])),
  format("a Radiance HDR", "a Radiance HDR file", begins("#?RADIANCE\n")),
  format("a DDS texture", "a DDS texture", begins("DDS ")),
  format("a KTX texture", "a KTX texture", begins([0xab], "KTX 11")),
  format("a PostScript", "a PostScript file", begins("%!PS-Adobe-3.0 EPSF-3.0")),
  format("an icon of macOS", "an ICNS", begins("icns")),
  format("an MNG", "an MNG", begins([0x8a], "MNG\r\n")),
  format("a GIMP file", "a GIMP file", begins("gimp xcf v011")),
  format("a raw file", "a camera's raw file", begins("FUJIFILMCCD-RAW")),
  format("a FITS", "a FITS file", begins("SIMPLE  =")),
  archive("an asset bundle", "an asset bundle of Unity", begins("UnityFS")),
  headless("a JPEG without its first byte", "JPEG", async () => (await jpeg(64)).subarray(1)),
  headless("a JPEG without its first two bytes", "JPEG", async () => (await jpeg(64)).subarray(2)),
  headless("a JPEG that begins with JFIF", "JPEG", async () => begins("JFIF", [0, 1, 1])()),
  headless("a JPEG whose first 400 bytes were read", "JPEG", async () => (await jpeg(64)).subarray(400)),
  headless("a PNG without its first byte", "PNG", () => png.subarray(1)),
  headless("a PNG without its first four bytes", "PNG", () => png.subarray(4)),
  headless("a PNG without its signature", "PNG", () => png.subarray(8)),
  headless("a PNG whose header was read", "PNG", () => png.subarray(40)),
  format("a PPM", "a PPM or PGM", () => Buffer.from("P6\n2 2\n255\nabcabcabcabc")),
  {
    what: "a PNG of an iPhone app",
    file: () => Buffer.concat([signature, pngChunk("CgBI", Buffer.alloc(4)), png.subarray(8)]),
    code: "image.cgbi",
  },
  {
    what: "a PNG with an unknown critical chunk",
    file: () => Buffer.concat([signature, ihdr, pngChunk("ABCD"), png.subarray(33)]),
    code: "image.chunk",
    facts: { chunk: "ABCD", at: 33 },
  },
  {
    what: "a PNG with a wrong Adler-32",
    file: () => {
      const wrong = Buffer.from(pixels);
      wrong.writeUInt8((wrong.at(-1) ?? 0) ^ 1, wrong.length - 1);
      return withPixels(wrong);
    },
    code: "image.adler",
    facts: { isMissing: false },
    query: "none",
  },
  {
    what: "a PNG without Adler-32",
    file: () => withPixels(pixels.subarray(0, -4)),
    code: "image.adler",
    facts: { isMissing: true },
    query: "none",
  },
  {
    what: "a JPEG of 12 bits a sample",
    file: () => withFrame((frame) => frame.writeUInt8(12, 4)),
    code: "image.jpeg-kind",
    facts: { is: "has 12 bits a sample" },
    query: "picture.unreadable",
  },
  {
    what: "a lossless JPEG",
    file: () => withFrame((frame) => frame.writeUInt8(0xc3, 1)),
    code: "image.jpeg-kind",
    facts: { is: "is lossless" },
    query: "picture.unreadable",
  },
  {
    what: "a hierarchical JPEG",
    file: () => withFrame((frame) => frame.writeUInt8(0xc5, 1)),
    code: "image.jpeg-kind",
    facts: { is: "is hierarchical" },
  },
  {
    what: "a JPEG-LS",
    file: begins([0xff, 0xd8, 0xff, 0xf7, 0, 11, 8]),
    code: "image.jpeg-kind",
    facts: { is: "is a JPEG-LS" },
  },
  {
    what: "a PNG behind an empty line",
    file: () => Buffer.concat([Buffer.from("\r\n"), png]),
    code: "image.prefixed",
    facts: { format: "PNG", at: 2 },
  },
  {
    what: "a PNG behind a byte-order mark",
    file: () => Buffer.concat([Buffer.from("\ufeff"), png]),
    code: "image.prefixed",
    facts: { format: "PNG", at: 3 },
  },
  {
    what: "a JPEG behind the headers of its response",
    file: async () => Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\n\r\n"), await jpeg(32)]),
    code: "image.prefixed",
    facts: { format: "JPEG", at: 19 },
  },
  {
    what: "a PNG behind the headers of a form's part",
    file: () =>
      Buffer.concat([Buffer.from('--b\r\nContent-Disposition: form-data; name="image"\r\n\r\n'), png]),
    code: "image.prefixed",
    facts: { format: "PNG" },
  },
  {
    what: "a PNG with a wrong checksum of its pixels' chunk",
    file: () => breakChecksum(png, "IDAT"),
    code: "image.damaged",
    facts: { chunk: "IDAT" },
    query: "none",
  },
  {
    what: "a PNG whose pixels are not compressed",
    file: () => withPixels(Buffer.alloc(99, 1)),
    code: "image.damaged",
    query: "none",
  },
  {
    what: "a PNG with too few pixels",
    file: () => withPixels(deflateSync(Buffer.alloc(97))),
    code: "image.damaged",
    query: "none",
  },
];

export const PICTURES: readonly Input[] = PICTURE_MISTAKES.map(({ what, file, code, facts = {} }) => [
  what,
  async (situation) => adding(situation, { image: (await file()).toString("base64") }),
  code,
  facts,
]);

export const QUERIED_PICTURES: readonly Input[] = PICTURE_MISTAKES.flatMap(
  ({ what, file, code, query = code }): Input[] =>
    query === "none"
      ? []
      : [[`${what}, in a query`, async (situation) => searching(situation, await file()), query]],
);
