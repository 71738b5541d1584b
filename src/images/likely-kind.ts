const startsWith = (bytes: Buffer, ...start: readonly number[]): boolean =>
  bytes.subarray(0, start.length).equals(Buffer.from(start));

/** Guesses what bytes that are neither PNG nor JPEG are, and suggests what to do; undefined when unknown. */
export function likelyKind(bytes: Buffer): string | undefined {
  const text = bytes.toString("latin1", 0, 64);
  // UTF-8's replacement character, which takes the place of invalid bytes.
  const replaced = startsWith(bytes, 0xef, 0xbf, 0xbd);
  if (replaced || startsWith(bytes, 0xc2, 0x89, 0x50) || startsWith(bytes, 0xc3, 0xbf, 0xc3, 0x98)) {
    return "it went through a text encoding: read and send the file as bytes (a Buffer), never as a string";
  }
  if (/^(iVBORw0KGgo|\/9j\/)/.test(text))
    return "it is base64 text of an image: decode it once more, or encode it once less";
  if (/^data:image\//i.test(text)) return "it is a data URI: send the image's bytes only";
  if (text.startsWith("GIF8")) return "it is a GIF: convert it";
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WEBP") return "it is a WebP: convert it";
  if (text.slice(4, 8) === "ftyp") return "it is an AVIF or HEIC: convert it";
  if (text.startsWith("BM")) return "it is a BMP: convert it";
  if (/^(II\*\0|MM\0\*)/.test(text)) return "it is a TIFF: convert it";
  if (text.startsWith("%PDF")) return "it is a PDF: convert a page of it";
  if (/^\s*(<\?xml|<svg|<!doctype|<html)/i.test(text))
    return "it is an SVG or an HTML page: is it the response of a failed download?";
  if (/^\s*[{[]/.test(text)) return "it is JSON: is it the response of a failed download?";
  if (text.startsWith("[object ") || text === "undefined" || text === "null") {
    return "it is the text of a value that is not an image: pass the image's bytes";
  }
  if (/^(\.{0,2}\/|[a-z]:\\|file:|https?:).*\.(png|jpe?g)$/i.test(bytes.toString("latin1", 0, 300))) {
    return "it is the name of a file: read the file";
  }
  return undefined;
}
