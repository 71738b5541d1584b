import { xmlText } from "../../emulator/xml.ts";
import { CELL_WIDTH, charactersOf, FRAME, layOut, placeOf } from "./label.ts";

/** Width of a monospaced character, relative to the font size. */
const WIDTH_PER_SIZE = 0.6;
/** How far below the top of its cell a character's base line is. */
const BASE_LINE = 8;

/** An SVG that shows the id in its one `text` element and has it as its title. */
export function svgInstance(id: string): Buffer {
  const label = layOut(charactersOf(id).flatMap(cells));
  const { width, height, lines, scale } = label;
  const { outer, inner } = FRAME;
  const between = (outer + inner) / 2;
  const spans = lines.map((characters, line) => {
    const { left, top } = placeOf(label, line);
    const length = characters.length * CELL_WIDTH * scale;
    const place = `x="${left}" y="${top + BASE_LINE * scale}" textLength="${length}"`;
    return `<tspan ${place} lengthAdjust="spacingAndGlyphs">${xmlText(characters.join(""))}</tspan>`;
  });
  const frame =
    `<rect x="${between}" y="${between}" width="${width - 2 * between}" height="${height - 2 * between}" ` +
    `fill="white" stroke="black" stroke-width="${inner - outer}"/>`;
  const size = (CELL_WIDTH * scale) / WIDTH_PER_SIZE;
  const document =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `<title>${xmlText(id)}</title><rect width="${width}" height="${height}" fill="white"/>${frame}` +
    `<text font-family="monospace" font-size="${size}" xml:space="preserve">${spans.join("")}</text></svg>\n`;
  return Buffer.from(document);
}

/** Characters beyond European scripts may be two cells wide. */
const cells = (character: string): string[] =>
  /[\u0300-\u{10ffff}]/u.test(character) ? [character, ""] : [character];
