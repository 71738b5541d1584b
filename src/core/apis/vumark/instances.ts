import { crc32, deflateSync } from "node:zlib";
import { xmlText } from "../../general/text.ts";

/** How an instance id is drawn: in lines of cells of one size, centred on a page. Sizes are in pixels or points. */
interface Label {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly (readonly string[])[];
  /** Size of one unit; a character's cell is 6 units wide and 10 high. */
  readonly scale: number;
  /** Of a monospaced font whose characters are as wide as a cell. */
  readonly fontSize: number;
}

const CELL_WIDTH = 6;
const CELL_HEIGHT = 10;
/** Width of a monospaced character (Courier in the PDF), relative to the font size. */
const WIDTH_PER_SIZE = 0.6;
const PAGE_WIDTH = 512;
const MIN_PAGE_HEIGHT = 256;

/** Space between the page's edge and the text, in which the frame is drawn. */
const MARGIN = 32;
const LARGEST_SCALE = 10;

/** 37 characters fit in a line at this scale: a UUID stays whole. */
const SMALLEST_SCALE = 2;
export const MOST_LINES = 40;

/** Lays characters out as large as possible in one line, or in several lines at the smallest scale. */
function layOut(characters: readonly string[]): Label {
  const textWidth = PAGE_WIDTH - 2 * MARGIN;
  const fitting = Math.floor(textWidth / (CELL_WIDTH * Math.max(1, characters.length)));
  const scale = Math.min(LARGEST_SCALE, Math.max(SMALLEST_SCALE, fitting));
  const columns = Math.floor(textWidth / (CELL_WIDTH * scale));
  const lines: (readonly string[])[] = [];
  for (let start = 0; start < characters.length && lines.length < MOST_LINES; start += columns) {
    lines.push(characters.slice(start, start + columns));
  }
  if (characters.length > columns * MOST_LINES) lines.push([..."..."]);
  const height = Math.max(MIN_PAGE_HEIGHT, 2 * MARGIN + lines.length * CELL_HEIGHT * scale);
  return { width: PAGE_WIDTH, height, lines, scale, fontSize: (CELL_WIDTH * scale) / WIDTH_PER_SIZE };
}

/** Left and top of a line's first cell. */
function placeOf({ width, height, lines, scale }: Label, line: number) {
  const length = lines[line]?.length ?? 0;
  return {
    left: Math.floor((width - length * CELL_WIDTH * scale) / 2),
    top: Math.floor((height - lines.length * CELL_HEIGHT * scale) / 2) + line * CELL_HEIGHT * scale,
  };
}

/** The frame around the label: its line's edges, middle and width, in distances from the page's edge. */
const FRAME = { outer: 8, inner: 14, middle: 11, width: 6 };

/** More than all lines hold: splitting a long id takes long. */
const MOST_DRAWN = 4000;

const charactersOf = (id: string): string[] => [...id.slice(0, MOST_DRAWN)];

const escaped = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/** An id as printable ASCII: other characters are escaped, so that no further font is needed. */
function printable(id: string): string[] {
  return charactersOf(id).flatMap((character) =>
    /^[ -~]$/.test(character) ? [character] : [...escaped(character)],
  );
}

/** Escapes control characters: a NUL ends a text of a PNG, an ESC begins a language in a PDF, and XML has none of them. */
const textOf = (id: string): string => id.replace(/\p{Cc}/gu, escaped).replace(/\p{Surrogate}/gu, "\ufffd");

/** Size of a glyph in pixels. The eighth row is for descenders. */
const GLYPH_WIDTH = 5;
const GLYPH_HEIGHT = 8;

/** One glyph each from U+0020 to U+007E: five columns, left to right, the lowest bit on top. */
const COLUMNS =
  "0000000000 00005f0000 0007000700 147f147f14 242a7f2a12 2313086462 3649562050 0000070000" + // space to '
  " 001c224100 0041221c00 2a1c7f1c2a 08083e0808 0080703000 0808080808 0060600000 2010080402" + // ( to /
  " 3e5149453e 00427f4000 7249494946 2141494d33 1814127f10 2745454539 3c4a494931 0171090503" + // 0 to 7
  " 3649494936 464949291e 0036360000 0080763600 0008142241 1414141414 4122140800 0201590906" + // 8 to ?
  " 3e415d594e 7c1211127c 7f49494936 3e41414122 7f4141413e 7f49494941 7f09090901 3e41415173" + // @ to G
  " 7f0808087f 00417f4100 2040413f01 7f08142241 7f40404040 7f021c027f 7f0408107f 3e4141413e" + // H to O
  " 7f09090906 3e4151215e 7f09192946 2649494932 01017f0101 3f4040403f 1f2040201f 3f4038403f" + // P to W
  " 6314081463 0304780403 6159494d43 007f414100 0204081020 0041417f00 0402010204 4040404040" + // X to _
  " 0003040000 2054547840 7f28444438 3844444428 384444287f 3854545418 00087e0902 18a4a49c78" + // ` to g
  " 7f08040478 00447d4000 2040403d00 7f10284400 00417f4000 7c04780478 7c08040478 3844444438" + // h to o
  " fc18242418 18242418fc 7c08040408 4854545424 04043f4424 3c4040207c 1c2040201c 3c4030403c" + // p to w
  " 4428102844 4c9090907c 4464544c44 0008364100 0000770000 0041360800 0201020402";
// x to ~

const GLYPHS: readonly string[] = COLUMNS.split(" ");

/** Whether a pixel of a printable ASCII character is black. */
export function isBlack(character: string, column: number, row: number): boolean {
  const glyph = GLYPHS[character.charCodeAt(0) - 0x20] ?? "";
  const bits = Number.parseInt(glyph.slice(2 * column, 2 * column + 2), 16);
  return ((bits >> row) & 1) === 1;
}

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const KEYWORD = "instance_id";
const WHITE = 255;
const GREYSCALE_OF_8_BITS = Buffer.from([8, 0, 0, 0, 0]);

/**
 * A PNG that shows the id and contains it in a `tEXt` chunk: in UTF-8 beyond Latin-1, although the specification demands
 * Latin-1. Ids beyond ASCII are also in an `iTXt` chunk.
 */
export function pngInstance(id: string): Buffer {
  const label = layOut(printable(id));
  const text = textOf(id);
  const encoding = /[^\0-\xff]/.test(text) ? "utf8" : "latin1";
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", uint32(label.width), uint32(label.height), GREYSCALE_OF_8_BITS),
    chunk("tEXt", Buffer.from(`${KEYWORD}\0`), Buffer.from(text, encoding)),
    // Not compressed; without a language or a translated keyword.
    ...(/[^\0-\x7f]/.test(text) ? [chunk("iTXt", Buffer.from(`${KEYWORD}\0\0\0\0\0${text}`))] : []),
    chunk("IDAT", deflateSync(pixelRows(label))),
    chunk("IEND"),
  ]);
}

/** Rows of one byte per pixel, each after a filter byte of 0 (no filter). */
function pixelRows(label: Label): Buffer {
  const { width, height, lines, scale } = label;
  const rows = Buffer.alloc((width + 1) * height, WHITE);
  const fill = (left: number, top: number, right: number, bottom: number, value: number) => {
    for (let y = top; y < bottom; y++) {
      rows.fill(value, y * (width + 1) + 1 + left, y * (width + 1) + 1 + right);
    }
  };
  for (let y = 0; y < height; y++) rows[y * (width + 1)] = 0;
  const { outer, inner } = FRAME;
  fill(outer, outer, width - outer, height - outer, 0);
  fill(inner, inner, width - inner, height - inner, WHITE);
  lines.forEach((characters, line) => {
    const { left, top } = placeOf(label, line);
    characters.forEach((character, index) => {
      for (let column = 0; column < GLYPH_WIDTH; column++) {
        for (let row = 0; row < GLYPH_HEIGHT; row++) {
          if (!isBlack(character, column, row)) continue;
          const x = left + (index * CELL_WIDTH + column) * scale;
          const y = top + (row + 1) * scale;
          fill(x, y, x + scale, y + scale, 0);
        }
      }
    });
  });
  return rows;
}

function chunk(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), ...parts]);
  return Buffer.concat([uint32(body.length - type.length), body, uint32(crc32(body))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** How far below the top of its cell a character's base line is. */
const BASE_LINE = 8;

/** An SVG that shows the id in its one `text` element and has it as its title. */
export function svgInstance(id: string): Buffer {
  const text = textOf(id);
  const label = layOut(charactersOf(text).flatMap(cells));
  const { width, height, lines, scale, fontSize } = label;
  const { middle } = FRAME;
  const spans = lines.map((characters, line) => {
    const { left, top } = placeOf(label, line);
    const length = characters.length * CELL_WIDTH * scale;
    const place = `x="${left}" y="${top + BASE_LINE * scale}" textLength="${length}"`;
    return `<tspan ${place} lengthAdjust="spacingAndGlyphs">${xmlText(characters.join(""))}</tspan>`;
  });
  const frame =
    `<rect x="${middle}" y="${middle}" width="${width - 2 * middle}" height="${height - 2 * middle}" ` +
    `fill="white" stroke="black" stroke-width="${FRAME.width}"/>`;
  const document =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `<title>${xmlText(text)}</title><rect width="${width}" height="${height}" fill="white"/>${frame}` +
    `<text font-family="monospace" font-size="${fontSize}" xml:space="preserve">${spans.join("")}</text></svg>\n`;
  return Buffer.from(document);
}

/** Characters beyond European scripts may be two cells wide. */
const cells = (character: string): string[] =>
  /[\u0300-\u{10ffff}]/u.test(character) ? [character, ""] : [character];

/** A one-page PDF that shows the id and has it as its `/Title`. */
export function pdfInstance(id: string): Buffer {
  const label = layOut(printable(id));
  const content = drawing(label);
  return pdfFile([
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${label.width} ${label.height}] ` +
      "/Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Courier-Bold /Encoding /WinAnsiEncoding >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    `<< /Title ${pdfText(textOf(id))} >>`,
  ]);
}

/** The page's operators; a PDF's origin is the lower left corner. */
function drawing(label: Label): string {
  const { width, height, lines, scale, fontSize } = label;
  const { middle } = FRAME;
  const frame = `${middle} ${middle} ${width - 2 * middle} ${height - 2 * middle} re S`;
  const texts = lines.map((characters, line) => {
    const { left, top } = placeOf(label, line);
    return `1 0 0 1 ${left} ${height - top - BASE_LINE * scale} Tm ${literal(characters.join(""))} Tj`;
  });
  return [`${FRAME.width} w`, frame, "BT", `/F1 ${fontSize} Tf`, ...texts, "ET"].join("\n");
}

/** The objects, numbered from 1: the first is the catalog, the last the document's information. All ASCII. */
function pdfFile(objects: readonly string[]): Buffer {
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join("")}`;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info ${objects.length} 0 R >>\n`;
  return Buffer.from(`${file}${table}${trailer}startxref\n${file.length}\n%%EOF\n`, "latin1");
}

/** Text in the document information: printable ASCII as it is, other text as UTF-16 with a byte-order mark, in hexadecimal. */
function pdfText(text: string): string {
  if (/^[ -~]*$/.test(text)) return literal(text);
  return `<FEFF${Buffer.from(text, "utf16le").swap16().toString("hex").toUpperCase()}>`;
}

const literal = (ascii: string): string => `(${ascii.replace(/[\\()]/g, "\\$&")})`;
