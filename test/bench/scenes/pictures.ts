import sharp from "sharp";
import { drawLeaves, type Grey } from "../../support/photographs.ts";
import { generator } from "../../support/scenes.ts";
import { drawStructured, STRUCTURED_KINDS } from "../../support/structured-pictures.ts";

/*
 * The pictures of the scenes: twelve kinds, and banners that are seen from near. All are drawn, from a seed.
 */

type Draw = (seed: number) => Promise<Grey>;

const list = <T>(length: number, item: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => item(index));

async function fromSvg(width: number, height: number, body: string): Promise<Grey> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#fff"/>${body}</svg>`;
  const data = await sharp(Buffer.from(svg)).toColourspace("b-w").removeAlpha().raw().toBuffer();
  return { data, width, height };
}

/** A few flat shapes, each over those before it. */
function shapes(seed: number, count: number, width: number, height: number): string {
  const random = generator(seed * 7919 + 29);
  const between = (least: number, most: number) => least + random() * (most - least);
  return list(count, () => {
    const [x, y] = [between(0.15, 0.85) * width, between(0.15, 0.85) * height];
    const [size, grey] = [between(0.1, 0.32) * Math.min(width, height), Math.round(between(0, 220))];
    const corners = 3 + Math.floor(random() * 6);
    const isStar = random() < 0.4;
    const start = between(0, 2 * Math.PI);
    const points = list(isStar ? 2 * corners : corners, (index, at = (isStar ? 0.5 : 1) * index) => {
      const angle = start + (2 * Math.PI * at) / corners;
      const radius = isStar && index % 2 === 1 ? size / 2 : size;
      return `${x + radius * Math.cos(angle)},${y + radius * Math.sin(angle)}`;
    });
    const fill = `fill="rgb(${grey},${grey},${grey})"`;
    return random() < 0.3
      ? `<ellipse cx="${x}" cy="${y}" rx="${size}" ry="${between(0.4, 1) * size}" ${fill}/>`
      : `<polygon points="${points.join(" ")}" ${fill}/>`;
  }).join("");
}

/** Puts pictures over one another. */
function compose(below: Grey, above: readonly (readonly [picture: Grey, left: number, top: number])[]): Grey {
  const data = Uint8Array.from(below.data);
  for (const [picture, left, top] of above)
    for (let row = 0; row < picture.height; row++)
      data.set(
        picture.data.subarray(row * picture.width, (row + 1) * picture.width),
        (top + row) * below.width + left,
      );
  return { ...below, data };
}

async function cut(picture: Grey, width: number, height: number): Promise<Grey> {
  const { width: from, height: rows } = picture;
  const data = await sharp(picture.data, { raw: { width: from, height: rows, channels: 1 } })
    .extract({ left: 0, top: 0, width, height })
    .toColourspace("b-w")
    .raw()
    .toBuffer();
  return { data, width, height };
}

/** A photograph with words below it. */
const poster: Draw = async (seed) => {
  const words = await cut(await drawStructured("pages", 5_000 + seed), 480, 200);
  const blank = { data: new Uint8Array(480 * 640).fill(255), width: 480, height: 640 };
  return compose(blank, [
    [drawLeaves(5_000 + seed, 440, 380), 20, 20],
    [words, 0, 420],
  ]);
};

/** Six times as long as it is high. */
const banner: Draw = async (seed) => {
  const [width, height] = [1440, 240];
  const parts = list(3, (part) => drawLeaves(6_000 + seed * 3 + part, 240, 200));
  const drawn = await fromSvg(width, height, shapes(6_000 + seed, 14, width, height));
  return compose(
    drawn,
    parts.map((part, index) => [part, 60 + index * 480, 20] as const),
  );
};

export const BANNERS = "banners";

/** Each kind has seeds of its own: a label and a page of one seed begin with the same words. */
export const KINDS: Readonly<Record<string, Draw>> = {
  photographs: async (seed) => drawLeaves(50_000 + seed, 480, 360),
  posters: poster,
  logos: (seed) => fromSvg(400, 400, shapes(seed, 4, 400, 400)),
  ...Object.fromEntries(
    STRUCTURED_KINDS.map((kind, place): [string, Draw] => [
      kind,
      (seed) => drawStructured(kind, 10_000 * (place + 1) + seed),
    ]),
  ),
};

export const draw = (kind: string, seed: number): Promise<Grey> => (KINDS[kind] ?? banner)(seed);
