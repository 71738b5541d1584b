import sharp from "sharp";
import { isBlack } from "../../../src/core/apis/vumark/instances.ts";

/** Text chunks of a PNG: keyword and text. Throws when the file is not a PNG. */
export function pngTexts(png: Buffer): { type: string; keyword: string; text: string }[] {
  if (png.subarray(0, 8).toString("hex") !== "89504e470d0a1a0a") throw new Error("no PNG signature");
  const texts = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    const keyword = data.subarray(0, data.indexOf(0));
    const rest = data.subarray(keyword.length + 1);
    if (type === "tEXt") texts.push({ type, keyword: keyword.toString(), text: rest.toString("latin1") });
    // After the keyword: compression flag and method, then language and translated keyword, each ended by 0.
    if (type === "iTXt") texts.push({ type, keyword: keyword.toString(), text: rest.toString("utf8", 4) });
    at += length + 12;
  }
  return texts;
}

const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index));
const CELL = { width: 6, height: 10 };

/** The text in the picture: finds its cells inside the frame and looks up the glyph of each. */
export async function drawnText(png: Buffer, scale: number): Promise<string> {
  const { data, info } = await sharp(png).toColourspace("b-w").raw().toBuffer({ resolveWithObject: true });
  const black = (x: number, y: number) => (data[(y * info.width + x) * info.channels] ?? 255) < 128;
  const read = (left: number, top: number) =>
    PRINTABLE.find((character) =>
      range(5).every((column) =>
        range(8).every(
          (row) => black(left + column * scale, top + row * scale) === isBlack(character, column, row),
        ),
      ),
    );
  const inside = { left: 16, top: 16, right: info.width - 16, bottom: info.height - 16 };
  const rows = range(inside.bottom - inside.top).map((index) => index + inside.top);
  const columns = range(inside.right - inside.left).map((index) => index + inside.left);
  const firstRow = rows.find((y) => columns.some((x) => black(x, y))) ?? 0;
  const firstColumn = columns.find((x) => rows.some((y) => black(x, y))) ?? 0;
  // The first character may be lower or narrower than its cell: the position that reads the most glyphs is right.
  const readings = range(8).flatMap((up) =>
    range(5).map((back) => {
      const top = firstRow - up * scale;
      let text = "";
      for (
        let left = firstColumn - back * scale;
        left + 5 * scale < inside.right;
        left += CELL.width * scale
      ) {
        const character = read(left, top);
        if (character === undefined) return "";
        text += character;
      }
      return text.trim();
    }),
  );
  return readings.reduce((best, text) => (text.length > best.length ? text : best), "");
}

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Text content of the first element of that name; throws when the document is not well-formed. */
export function xmlTextOf(xml: string, name: string): string {
  const open: string[] = [];
  let found: string | undefined;
  let reading: string | undefined;
  for (const token of xml.trimEnd().match(/<[^<>]*>|[^<>]+/g) ?? []) {
    if (!token.startsWith("<")) {
      if (open.length === 0) throw new Error("text outside the document");
      reading = reading === undefined ? undefined : reading + unescaped(token);
    } else if (token.startsWith("</")) {
      if (open.pop() !== token.slice(2, -1)) throw new Error(`${token} closes nothing`);
      if (reading !== undefined && !open.includes(name)) {
        found ??= reading;
        reading = undefined;
      }
    } else {
      const tag = /^<([\w:]+)((?: [\w:-]+="[^"<]*")*)(\/?)>$/.exec(token);
      if (tag?.[1] === undefined) throw new Error(`malformed: ${token}`);
      if (tag[3] === "") open.push(tag[1]);
      if (tag[1] === name) reading ??= "";
    }
  }
  if (open.length > 0 || found === undefined) throw new Error(`not closed, or no ${name}`);
  return found;
}

function unescaped(text: string): string {
  if (/(?![\t\n\r])[\p{Cc}\ufffe\uffff]/u.test(text)) throw new Error("a character that XML does not allow");
  return text.replace(/\r\n?/g, "\n").replace(/&(?:#(\d+)|(\w*));?/g, (found, code, entity) => {
    const character = code === undefined ? ENTITIES[entity] : String.fromCodePoint(Number(code));
    if (character === undefined || !found.endsWith(";")) throw new Error(`unknown entity ${found}`);
    return character;
  });
}

/** The `/Title` of a PDF, found as PDF readers do: from the end, through the trailer and the table of objects. */
export function pdfTitle(pdf: Buffer): string {
  const file = pdf.toString("latin1");
  const table = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]);
  const entries = /^xref\n0 (\d+)\n((?:\d{10} \d{5} [fn] \n)+)trailer\n(<<.*>>)\n/.exec(file.slice(table));
  if (entries === null) throw new Error("no table of objects");
  const [, count, lines = "", trailer = ""] = entries;
  const offsets = lines
    .trimEnd()
    .split("\n")
    .map((line) => Number(line.slice(0, 10)));
  if (offsets.length !== Number(count)) throw new Error("wrong number of objects");
  offsets.slice(1).forEach((offset, index) => {
    if (!file.startsWith(`${index + 1} 0 obj\n`, offset)) throw new Error(`object ${index + 1} is elsewhere`);
  });
  for (const stream of file.matchAll(/\/Length (\d+) >>\nstream\n/g)) {
    const end = stream.index + stream[0].length + Number(stream[1]);
    if (!file.startsWith("\nendstream", end)) throw new Error("a stream of another length");
  }
  const information = file.slice(offsets[Number(/\/Info (\d+) 0 R/.exec(trailer)?.[1])]);
  const hex = /^\d+ 0 obj\n<< \/Title <FEFF([0-9A-F]*)> >>/.exec(information)?.[1];
  if (hex !== undefined) return Buffer.from(hex, "hex").swap16().toString("utf16le");
  const literal = /^\d+ 0 obj\n<< \/Title \(((?:[^\\()]|\\[\\()])*)\) >>/.exec(information)?.[1];
  if (literal === undefined) throw new Error("no title");
  return literal.replace(/\\(.)/g, "$1");
}
