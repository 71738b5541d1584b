import { CELL_WIDTH, FRAME, type Label, layOut, placeOf, printable } from "./label.ts";

/** Width of a Courier character, relative to the font size. */
const WIDTH_PER_SIZE = 0.6;
/** How far below the top of its cell a character's base line is. */
const BASE_LINE = 8;

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
    `<< /Title ${pdfText(id)} >>`,
  ]);
}

/** The page's operators; a PDF's origin is the lower left corner. */
function drawing(label: Label): string {
  const { width, height, lines, scale } = label;
  const { outer, inner } = FRAME;
  const between = (outer + inner) / 2;
  const frame = `${between} ${between} ${width - 2 * between} ${height - 2 * between} re S`;
  const texts = lines.map((characters, line) => {
    const { left, top } = placeOf(label, line);
    return `1 0 0 1 ${left} ${height - top - BASE_LINE * scale} Tm ${literal(characters.join(""))} Tj`;
  });
  const size = (CELL_WIDTH * scale) / WIDTH_PER_SIZE;
  return [`${inner - outer} w`, frame, "BT", `/F1 ${size} Tf`, ...texts, "ET"].join("\n");
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
