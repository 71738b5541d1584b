import { JPEG_SIGNATURE, PNG_SIGNATURE } from "../general/image-header.ts";
import { BYTES_AS_TEXT, beginningOf, NAME_OF_FILE, PLACEHOLDER, URL_OF_FILE } from "../general/text-kinds.ts";
import { type AnyCause, cause } from "../schema/causes/causes.ts";

type Facts = { readonly bytes: string };
type OtherFile = readonly [beginning: RegExp, causeOf: (facts: Facts, text: string) => AnyCause];

/** Beginnings in hexadecimal digits. */
const VIDEOS = [
  [/^.{8}66747970(69736f|6d7034|4d3456|61766331|64617368|4d534e56|3367|71742020)/, "MP4 or MOV"],
  [/^00.{6}(6d6f6f76|6d646174|77696465|66726565|736b6970)/, "MOV"],
  [/^1a45dfa3/, "WebM or Matroska"],
  [/^52494646.{8}41564920/, "AVI"],
  [/^3026b2758e66cf11/, "WMV"],
  [/^464c5601/, "FLV"],
  [/^4f676753/, "Ogg"],
  [/^000001b[3a]/, "MPEG"],
] as const;

const ARCHIVES = [
  [/^504b(0304|0506)/, "a ZIP archive"],
  [/^1f8b/, "a gzip file"],
  [/^425a683[1-9]/, "a bzip2 file"],
  [/^377abcaf271c/, "a 7-Zip archive"],
  [/^526172211a07/, "a RAR archive"],
  [/^fd377a585a00/, "an xz file"],
  [/^28b52ffd/, "a Zstandard file"],
  [/^556e697479(4653|576562|526177)/, "an asset bundle of Unity"],
  [/^.{514}7573746172/, "a tar archive"],
] as const;

const FORMATS = [
  [/^47494638/, "a GIF"],
  [/^52494646.{8}57454250/, "a WebP"],
  [/^.{8}66747970/, "an AVIF or HEIC"],
  [/^424d/, "a BMP"],
  [/^(49492a00|4d4d002a)/, "a TIFF"],
  [/^25504446/, "a PDF"],
  [/^(ff0a|0000000c4a584c20)/, "a JPEG XL"],
  [/^(0000000c6a502020|ff4fff51)/, "a JPEG 2000"],
  [/^4949bc01/, "a JPEG XR"],
  [/^.{256}4449434d/, "a DICOM file"],
  [/^762f3101/, "an OpenEXR file"],
  [/^233f52(41444941|474245)/, "a Radiance HDR file"],
  [/^44445320/, "a DDS texture"],
  [/^ab4b5458/, "a KTX texture"],
  [/^(25215053|c5d0d3c6)/, "a PostScript file"],
  [/^69636e73/, "an ICNS"],
  [/^8a4d4e47/, "an MNG"],
  [/^67696d7020786366/, "a GIMP file"],
  [/^46554a4946494c4d/, "a camera's raw file"],
  [/^53494d504c452020/, "a FITS file"],
  [/^00000[12]00(?!00)..00/, "an ICO"],
  [/^38425053/, "a Photoshop file"],
  [/^716f6966/, "a QOI"],
  [/^503[1-7](20|0a|0d0a)/, "a PPM or PGM"],
] as const;

const BINARY = [
  ["image.video", VIDEOS],
  ["image.archive", ARCHIVES],
  ["image.format", FORMATS],
] as const;

/** Beginnings of text, or of bytes that went through it, as Latin-1. */
const TEXTS: readonly OtherFile[] = [
  // Line ends of Unix became those of Windows, or the other way; an old Mac's, too, or bytes of 7 bits.
  [/^(?:\x89PNG(?!\r\n.\n)|\tPNG)[\r\n]/, () => cause("image.line-ends", { format: "PNG" })],
  [/^version https:\/\/git-lfs\.github\.com\//, () => cause("image.lfs")],
  [/^(\xff\xfe|\xfe\xff)/, (facts) => cause("image.redirected", facts)],
  // UTF-8's replacement character, which takes the place of an invalid first byte, or what that byte becomes.
  [/^(\xef\xbf\xbd|\xc2\x89P|\xc3\xbf\xc3\x98)/, (facts) => cause("image.text-encoded", facts)],
  [/^\s*b?['"]?(iVBORw0KGgo|\/9j\/)/, (facts) => cause("image.base64", facts)],
  [/^(89504e47|ffd8ff)/i, (facts) => cause("image.hex", { ...facts, isDecoded: false })],
  [/^data:image\//i, (facts) => cause("image.data-uri", facts)],
  [BYTES_AS_TEXT, (facts) => cause("image.bytes", facts)],
  [PLACEHOLDER, (_facts, text) => cause("image.text", { text: beginningOf(text) })],
  [/^\s*<[!?a-z]/i, (facts) => cause("image.download", { ...facts, is: "page" })],
  [/^(\[object |undefined$|null$)/, (facts) => cause("image.unset", facts)],
  [/^\s*[{[]/, (facts) => cause("image.download", { ...facts, is: "json" })],
  [URL_OF_FILE, (facts) => cause("image.file-name", { ...facts, isUrl: true })],
  [NAME_OF_FILE, (facts) => cause("image.file-name", facts)],
  [
    /^\s*(\d{3}:? [a-z]|not found|forbidden|unauthori[sz]ed|access denied|bad gateway|error\b)/i,
    (facts) => cause("image.download", { ...facts, is: "text" }),
  ],
];

/** The beginnings of pictures whose first bytes are missing, and the ends of those that lost more. */
const HEADLESS = [
  [/^(504e47)?(0d0a)?(1a)?(0a)?0000000d49484452|^504e470d0a/, /49454e44ae426082$/, "PNG"],
  [/^(d8)?ff(e.|db)00..(4a46|4578|00)|^4a46494600/, /ffd9$/, "JPEG"],
] as const;

/** The end of a picture, without its beginning. */
function headless(bytes: Buffer, facts: Facts): AnyCause | undefined {
  const [start, end] = [bytes.toString("hex", 0, 24), bytes.subarray(-8).toString("hex")];
  const [, , format] = HEADLESS.find(([first, last]) => first.test(start) || last.test(end)) ?? [];
  return format && cause("image.headless", { ...facts, format });
}

/** A picture may begin behind headers of HTTP, of a form's part, or a few stray bytes. */
const MOST_BYTES_BEFORE = 4096;

/** A picture that begins further on. */
function prefixed(bytes: Buffer): AnyCause | undefined {
  const beginning = bytes.subarray(0, MOST_BYTES_BEFORE);
  for (const [format, signature] of [
    ["PNG", PNG_SIGNATURE],
    ["JPEG", JPEG_SIGNATURE],
  ] as const) {
    const at = beginning.indexOf(signature);
    // After the three bytes of a JPEG's signature comes the kind of a segment.
    if (at > 0 && (format === "PNG" || (beginning[at + 3] ?? 0) >= 0xc0))
      return cause("image.prefixed", { format, at, bytes: firstBytes(bytes) });
  }
  return undefined;
}

function firstBytes(bytes: Buffer): string {
  const start = bytes.subarray(0, 8);
  return `the bytes ${start.toString("hex")} (${JSON.stringify(start.toString("latin1"))})`;
}

/** Text of any kind: it has no control characters but white space. */
function words(bytes: Buffer): AnyCause | undefined {
  // A character may be cut at the end of what is read.
  const text = bytes.toString("utf8", 0, LONGEST_BEGINNING).replace(/(?<=.{250})\ufffd+$/su, "");
  return /^[^\p{Cc}\p{Cn}\p{Co}\ufffd]*$/u.test(text.replace(/\s/g, " "))
    ? cause("image.text", { text: beginningOf(text) })
    : undefined;
}

/** Guesses the kind of bytes that are no PNG or JPEG. */
export function otherKind(bytes: Buffer): AnyCause {
  const facts = { bytes: firstBytes(bytes) };
  // Hexadecimal digits that were decoded as base64.
  if (/^(89504e47|ffd8ff)/i.test(bytes.toString("base64", 0, 6)))
    return cause("image.hex", { ...facts, isDecoded: true });
  const beginning = bytes.toString("latin1", 0, LONGEST_BEGINNING);
  // A byte-order mark, or a line feed at the end, hides no kind of text.
  const text = beginning.replace(/^\xef\xbb\xbf/, "").trimEnd();
  const [, known] = TEXTS.find(([beginning]) => beginning.test(text)) ?? [];
  return (
    known?.(facts, text) ??
    binaryKind(bytes, facts) ??
    prefixed(bytes) ??
    headless(bytes, facts) ??
    words(bytes) ??
    cause("image.unknown", facts)
  );
}

const LONGEST_BEGINNING = 300;

function binaryKind(bytes: Buffer, facts: Facts): AnyCause | undefined {
  const digits = bytes.toString("hex", 0, LONGEST_BEGINNING);
  for (const [code, kinds] of BINARY) {
    const [, is] = kinds.find(([beginning]) => beginning.test(digits)) ?? [];
    if (is !== undefined) return cause(code, { ...facts, is });
  }
  return undefined;
}
