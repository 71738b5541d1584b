import sharp from "sharp";
import type { Grey } from "./photographs.ts";
import { generator } from "./scenes.ts";

/*
 * Pictures whose parts look alike by nature: letters of one typeface, grids and codes. Two of a kind differ in content only,
 * so each is the hardest stranger of the other.
 */

/** The strokes of letters on a grid of 4 units: the x-height is 2, the baseline 6. */
const BOWL = "M0 4a2 2 0 1 0 4 0a2 2 0 1 0-4 0";
const STROKES: Readonly<Record<string, string>> = {
  a: `${BOWL}M4 2V6`,
  b: `${BOWL}M0 0V6`,
  c: "M3.6 2.8a2 2 0 1 0 0 2.4",
  d: `${BOWL}M4 0V6`,
  e: "M0 4H4a2 2 0 1 0-.7 1.5",
  f: "M3.5.5C2 0 1.5.5 1.5 2V6M0 2H3",
  g: `${BOWL}M4 2V7a2 1 0 0 1-4 0`,
  h: "M0 0V6M0 4a2 2 0 0 1 4 0V6",
  i: "M2 2V6M2 0V.6",
  j: "M2 2V7q0 1-1.5 1M2 0V.6",
  k: "M0 0V6M3.5 2L0 4.5M1.3 3.8L4 6",
  l: "M2 0V6",
  m: "M0 2V6M0 3.5a1 1.5 0 0 1 2 0V6M2 3.5a1 1.5 0 0 1 2 0V6",
  n: "M0 2V6M0 4a2 2 0 0 1 4 0V6",
  o: BOWL,
  p: `${BOWL}M0 2V8`,
  q: `${BOWL}M4 2V8`,
  r: "M.5 2V6M.5 4q.5-2 3-1.8",
  s: "M3.5 2.6C2.5 1.6 0 1.8.2 3.1S3.8 4 3.8 5.2 1 6.6.2 5.3",
  t: "M1.5.5V5q0 1 1.8 1M0 2H3",
  u: "M0 2V4a2 2 0 0 0 4 0V2M4 2V6",
  v: "M0 2L2 6L4 2",
  w: "M0 2L1 6L2 2L3 6L4 2",
  x: "M0 2L4 6M4 2L0 6",
  y: "M0 2L2 6M4 2L1.3 8",
  z: "M0 2H4L0 6H4",
  0: "M2 0q2 0 2 3t-2 3t-2-3t2-3",
  1: "M.5 1.5L2 0V6",
  2: "M.2 1.5Q.5 0 2 0t2 1.7Q4 3 0 6H4",
  3: "M.3.8Q1 0 2 0q1.7 0 1.7 1.5T1.5 3Q4 3 4 4.5T2 6Q.5 6 0 5",
  4: "M3 6V0L0 4.3H4",
  5: "M3.8 0H.6L.3 2.8Q1 2.2 2 2.2Q4 2.2 4 4T2 6Q.7 6 0 5.2",
  6: "M3.5.4Q.5 1 .2 4a1.9 2 0 1 0 3.8 0a1.9 2 0 1 0-3.8 0",
  7: "M0 0H4L1.5 6",
  8: "M.4 1.5a1.6 1.5 0 1 0 3.2 0a1.6 1.5 0 1 0-3.2 0M0 4.5a2 1.5 0 1 0 4 0a2 1.5 0 1 0-4 0",
  9: "M.5 5.6Q3.5 5 3.8 2a1.9 2 0 1 0-3.8 0a1.9 2 0 1 0 3.8 0",
};
/** As often as English has them. */
const LETTERS =
  "eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddllllccuuummmwwffggyyppbbvkjxqz";
const ADVANCE = 5.5;

type Random = () => number;

const below = (random: Random, limit: number) => Math.floor(random() * limit);
const list = <T>(length: number, item: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => item(index));
const charactersOf = (random: Random, from: string, length: number) =>
  list(length, () => from[below(random, from.length)]).join("");
const word = (random: Random) => charactersOf(random, LETTERS, 2 + below(random, 4) + below(random, 5));
const digits = (random: Random, length: number) => charactersOf(random, "0123456789", length);

/** Text whose small letters are four units high. */
const text = (characters: string, left: number, top: number, unit: number, weight = 0.7) =>
  [...characters]
    .map((character, index) => {
      const place = `translate(${left + index * ADVANCE * unit} ${top}) scale(${unit})`;
      return `<path d="${STROKES[character] ?? ""}" transform="${place}" stroke-width="${weight}" stroke="#111" fill="none"/>`;
    })
    .join("");

const box = (left: number, top: number, width: number, height: number, style = 'fill="#111"') =>
  `<rect x="${left}" y="${top}" width="${width}" height="${height}" ${style}/>`;
const OUTLINED = 'fill="none" stroke="#111" stroke-width="2"';

/** Lines of words. */
function lines(
  random: Random,
  left: number,
  top: number,
  width: number,
  height: number,
  unit: number,
): string {
  const drawn: string[] = [];
  for (let y = top; y + 8 * unit <= top + height; y += 12 * unit) {
    const most = Math.floor(width / (ADVANCE * unit));
    let line = word(random);
    for (let next = word(random); line.length + 1 + next.length <= most; next = word(random))
      line += ` ${next}`;
    // The end of a paragraph
    drawn.push(text(random() < 0.15 ? line.slice(0, below(random, most)) : line, left, y, unit));
  }
  return drawn.join("");
}

/** Bars of one to four modules, as codes of articles have them, and their digits. */
function bars(random: Random, left: number, top: number, width: number, height: number): string {
  const module = width / 95;
  let drawn = "";
  for (let at = 0; at < 95; ) {
    const [dark, light] = [1 + below(random, 3), 1 + below(random, 3)];
    drawn += box(left + at * module, top, Math.min(dark, 95 - at) * module, height);
    at += dark + light;
  }
  return drawn + text(digits(random, 12), left, top + height + 2 * module, width / 12 / ADVANCE);
}

/** Squares of a two-dimensional code, with the three marks in its corners. */
function squares(random: Random, left: number, top: number, side: number, count: number): string {
  const module = side / count;
  const marks = [
    [0, 0],
    [count - 7, 0],
    [0, count - 7],
  ] as const;
  const square = (x: number, y: number, size: number, fill: string) =>
    box(left + x * module, top + y * module, size * module, size * module, `fill="${fill}"`);
  const cells = list(count * count, (at) => [at % count, Math.floor(at / count)] as const)
    .filter(
      ([x, y]) =>
        random() < 0.5 && !marks.some(([u, v]) => Math.max(Math.abs(x - u - 3), Math.abs(y - v - 3)) < 5),
    )
    .map(([x, y]) => square(x, y, 1, "#111"));
  const corners = marks.map(
    ([x, y]) => square(x, y, 7, "#111") + square(x + 1, y + 1, 5, "#fff") + square(x + 2, y + 2, 3, "#111"),
  );
  return cells.join("") + corners.join("");
}

interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly body: string;
}

const KINDS = {
  pages: (random: Random): Drawing => ({
    width: 480,
    height: 600,
    body: text(`${word(random)} ${word(random)}`, 40, 30, 4, 0.9) + lines(random, 40, 90, 400, 480, 1.6),
  }),
  labels: (random: Random): Drawing => ({
    width: 480,
    height: 400,
    body:
      box(10, 10, 460, 380, OUTLINED) +
      text(word(random).slice(0, 8), 30, 30, 9, 1.1) +
      lines(random, 30, 120, 200, 240, 1.4) +
      list(
        6,
        (row) =>
          box(250, 120 + row * 24, 200, 24, OUTLINED) +
          text(word(random).slice(0, 9), 256, 126 + row * 24, 1.6) +
          text(digits(random, 3), 400, 126 + row * 24, 1.6),
      ).join("") +
      bars(random, 250, 285, 190, 60),
  }),
  "QR codes": (random: Random): Drawing => ({
    width: 420,
    height: 420,
    body: squares(random, 36, 36, 348, 29),
  }),
  "bar codes": (random: Random): Drawing => ({
    width: 480,
    height: 320,
    body: bars(random, 40, 40, 400, 200),
  }),
  crosswords: (random: Random): Drawing => {
    const count = 13;
    const isBlack = list(count * count, () => random() < 0.2);
    let number = 0;
    const cells = list(count * count, (at) => {
      const [left, top] = [24 + (at % count) * 33, 24 + Math.floor(at / count) * 33];
      // As they are: the same turned by 180°
      if (isBlack[Math.min(at, count * count - 1 - at)]) return box(left, top, 33, 33);
      if (random() < 0.6) return box(left, top, 33, 33, OUTLINED);
      number += 1;
      return box(left, top, 33, 33, OUTLINED) + text(`${number}`, left + 3, top + 3, 1.4);
    });
    return { width: 480, height: 480, body: cells.join("") };
  },
  keyboards: (random: Random): Drawing => ({
    width: 640,
    height: 280,
    body: list(4, (row) =>
      list(11, (column) => {
        const [left, top] = [20 + row * 12 + column * 50, 30 + row * 56];
        const key = box(left, top, 44, 48, `rx="6" ${OUTLINED}`);
        return key + text(charactersOf(random, Object.keys(STROKES).join(""), 1), left + 12, top + 10, 3.4);
      }).join(""),
    ).join(""),
  }),
  tables: (random: Random): Drawing => ({
    width: 520,
    height: 480,
    body: list(17, (row) => {
      const top = 24 + row * 26;
      const number = (column: number) =>
        box(180 + column * 80, top, 80, 26, OUTLINED) +
        text(digits(random, 2 + below(random, 4)), 188 + column * 80, top + 7, 1.8);
      return (
        box(20, top, 160, 26, OUTLINED) + text(word(random), 28, top + 7, 1.8) + list(4, number).join("")
      );
    }).join(""),
  }),
  "sheet music": (random: Random): Drawing => ({
    width: 520,
    height: 560,
    body: list(6, (staff) => {
      const top = 30 + staff * 88;
      const staves = list(5, (line) => box(20, top + line * 10, 480, 1.4)).join("");
      const notes = list(20, (index) => {
        const [x, y] = [60 + index * 22, top + below(random, 9) * 5];
        const [stem, isFull] = [random() < 0.5 ? -34 : 0, random() < 0.7];
        if (index % 5 === 4) return box(x, top, 1.6, 40);
        const head = `<ellipse cx="${x}" cy="${y}" rx="6" ry="4.4" transform="rotate(-20 ${x} ${y})" stroke="#111" stroke-width="1.6" fill="${isFull ? "#111" : "none"}"/>`;
        return head + box(x + (stem < 0 ? 5 : -6), y + stem, 1.6, 34);
      }).join("");
      return staves + notes;
    }).join(""),
  }),
  /** Of one template: the same print around a name, a seat and a code. */
  tickets: (random: Random): Drawing => {
    const printed = generator(1);
    return {
      width: 600,
      height: 260,
      body:
        box(8, 8, 584, 244, OUTLINED) +
        text("admission", 30, 24, 5, 1) +
        lines(printed, 30, 170, 330, 70, 1.2) +
        text("name", 30, 82, 1.8) +
        text(word(random), 100, 78, 2.6) +
        text("seat", 30, 116, 1.8) +
        text(`${digits(random, 2)} ${digits(random, 3)}`, 100, 112, 2.6) +
        squares(random, 405, 36, 168, 21) +
        text(digits(random, 10), 420, 215, 2.4),
    };
  },
};

export type Kind = keyof typeof KINDS;

export const STRUCTURED_KINDS = Object.keys(KINDS) as Kind[];

/** A picture of a kind, drawn from a seed, in grey. */
export async function drawStructured(kind: Kind, seed: number): Promise<Grey> {
  const random = generator(seed * 7919 + 17);
  const { width, height, body } = KINDS[kind](random);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#fff"/>${body}</svg>`;
  const data = await sharp(Buffer.from(svg)).toColourspace("b-w").removeAlpha().raw().toBuffer();
  if (data.length !== width * height)
    throw new Error(`expected one channel, got ${data.length / width / height}`);
  return { data, width, height };
}
