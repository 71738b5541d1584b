import sharp, { type Sharp } from "sharp";
import { covers, isHidden } from "../../support/camera.ts";
import { drawLeaves, expose, type Grey } from "../../support/photographs.ts";
import { generator } from "../../support/scenes.ts";

/*
 * Photographs of pictures that may be bent: a surface in space is drawn as a grid of triangles.
 */

export const FRAME = { width: 1280, height: 960 };

type Point = readonly [x: number, y: number, z: number];

/** Where in space a place of the picture is, whose middle is at 0 and whose longer side is 1; z is away from the camera. */
type Surface = (x: number, y: number, width: number, height: number) => Point;

const flat: Surface = (x, y) => [x, y, 0];

/** Around a bottle. @param bend - from one edge to the other, in degrees */
export const cylinder =
  (bend: number): Surface =>
  (x, y, length) => {
    const angle = (bend * Math.PI) / 180;
    const radius = length / angle;
    const at = x / radius;
    return [radius * Math.sin(at), y, radius * (1 - Math.cos(at))];
  };

/** @param bend - between the parts, in degrees: 0 is flat */
export const fold =
  (bend: number, place: number): Surface =>
  (x, y, length) => {
    const [angle, from] = [(bend * Math.PI) / 360, x - place * length];
    return [from * Math.cos(angle), y, Math.abs(from) * Math.sin(angle)];
  };

/** Bends along the other side. */
export const across =
  (surface: Surface): Surface =>
  (x, y, width, height) => {
    const [v, u, z] = surface(y, x, height, width);
    return [u, v, z];
  };

export interface Item {
  readonly picture: Grey;
  readonly surface?: Surface;
  /** In degrees. */
  readonly tilt: number;
  /** Length of the longer side in parts of the frame's. */
  readonly scale: number;
  /** Where the middle of the picture is, and by how much it may be elsewhere, in parts of the frame. */
  readonly at?: readonly [x: number, y: number, spread: number];
  /** The part that lies beyond the frame at most. */
  readonly outside?: number;
}

export interface Light {
  readonly cover: number;
  readonly blur: number;
  readonly noise: number;
  /** How much darker one side of the frame is than the other. */
  readonly ramp: number;
  readonly gain: number;
  readonly gamma: number;
  readonly quality: number;
}

const STEPS = 40;
const FOCUS = 1.15 * FRAME.width;
const ATTEMPTS = 100;

type Vertex = readonly [x: number, y: number, u: number, v: number];

/** The corners of the grid in the frame. */
function project({ picture, surface = flat, tilt, scale, at, outside = 0.02 }: Item, random: () => number) {
  const [axis, roll] = [random() * 2 * Math.PI, (random() - 0.5) * 2 * Math.PI];
  const angle = (tilt * Math.PI) / 180;
  const [ax, ay, c, s] = [Math.cos(axis), Math.sin(axis), Math.cos(angle), Math.sin(angle)];
  const [rc, rs] = [Math.cos(roll), Math.sin(roll)];
  const side = Math.max(picture.width, picture.height);
  const [w, h] = [picture.width / side, picture.height / side];
  const distance = FOCUS / (scale * FRAME.width);
  const [middleX, middleY, spread] = at ?? [0.5, 0.5, 0.6];
  const vertices = Array.from({ length: (STEPS + 1) ** 2 }, (_, place): Vertex => {
    const [u, v] = [(place % (STEPS + 1)) / STEPS, Math.floor(place / (STEPS + 1)) / STEPS];
    const [px, py, pz] = surface((u - 0.5) * w, (v - 0.5) * h, w, h);
    const [x, y] = [rc * px - rs * py, rs * px + rc * py];
    // Rodrigues' formula for an axis in the frame's plane
    const along = (ax * x + ay * y) * (1 - c);
    const depth = distance + pz * c + (ax * y - ay * x) * s;
    const sx = (FOCUS * (x * c + ay * pz * s + ax * along)) / depth;
    const sy = (FOCUS * (y * c - ax * pz * s + ay * along)) / depth;
    return [sx, sy, u, v];
  });
  for (let attempt = 0; ; attempt++) {
    const ox = FRAME.width * (middleX + (random() - 0.5) * spread);
    const oy = FRAME.height * (middleY + (random() - 0.5) * spread);
    let visible = 0;
    for (const [x, y] of vertices)
      if (ox + x >= 0 && oy + y >= 0 && ox + x < FRAME.width && oy + y < FRAME.height) visible += 1;
    if (visible >= (1 - outside) * vertices.length || attempt === ATTEMPTS)
      return vertices.map(([x, y, u, v]): Vertex => [ox + x, oy + y, u, v]);
  }
}

/** Writes which place of the picture each of the frame's pixels shows. Parts seen from behind are left out. */
function drawTriangle([a, b, c]: readonly [Vertex, Vertex, Vertex], us: Float32Array, vs: Float32Array) {
  const area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  if (area <= 0) return;
  const [left, right] = [Math.min(a[0], b[0], c[0]), Math.max(a[0], b[0], c[0])];
  const [top, bottom] = [Math.min(a[1], b[1], c[1]), Math.max(a[1], b[1], c[1])];
  for (let y = Math.max(0, Math.floor(top)); y <= bottom && y < FRAME.height; y++) {
    for (let x = Math.max(0, Math.floor(left)); x <= right && x < FRAME.width; x++) {
      const q = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area;
      const r = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area;
      if (q < -1e-6 || r < -1e-6 || q + r > 1 + 1e-6) continue;
      us[y * FRAME.width + x] = a[2] + q * (b[2] - a[2]) + r * (c[2] - a[2]);
      vs[y * FRAME.width + x] = a[3] + q * (b[3] - a[3]) + r * (c[3] - a[3]);
    }
  }
}

const BACKGROUNDS = 8;
const backgrounds = new Map<number, Uint8Array>();

/** Every second one is out of focus. */
async function background(number: number): Promise<Uint8Array> {
  const known = backgrounds.get(number);
  if (known !== undefined) return known;
  const { data } = drawLeaves(700_000 + number, FRAME.width, FRAME.height);
  const made = number % 2 === 0 ? data : await grey(sharp(data, raw(FRAME)).blur(8));
  backgrounds.set(number, made);
  return made;
}

/** Takes a photograph, as a JPEG file. */
export async function takePhotograph(
  items: readonly Item[],
  { cover, blur, noise, ramp, gain, gamma, quality }: Light,
  seed: number,
): Promise<Buffer> {
  const random = generator(seed * 104729 + 11);
  const shown = Math.floor(random() * BACKGROUNDS);
  const data = new Float32Array(await background(shown));
  const cloth = await background((shown + 1) % BACKGROUNDS);
  const [us, vs] = [new Float32Array(data.length), new Float32Array(data.length)];
  for (const item of items) {
    const { picture, scale } = item;
    us.fill(-1);
    const vertices = project(item, random);
    const at = (x: number, y: number) => vertices[y * (STEPS + 1) + x] ?? ([0, 0, 0, 0] as const);
    for (let y = 0; y < STEPS; y++)
      for (let x = 0; x < STEPS; x++) {
        drawTriangle([at(x, y), at(x + 1, y), at(x + 1, y + 1)], us, vs);
        drawTriangle([at(x, y), at(x + 1, y + 1), at(x, y + 1)], us, vs);
      }
    // Smaller first, so that no pixels are skipped.
    const shrink = Math.min(1, (1.15 * scale * FRAME.width) / Math.max(picture.width, picture.height));
    const [width, height] = [Math.round(picture.width * shrink), Math.round(picture.height * shrink)];
    const small = await grey(sharp(picture.data, raw(picture)).resize(width, height, { fit: "fill" }));
    const holes = covers(cover, random);
    // No lists here: this is done for a million pixels.
    for (let pixel = 0; pixel < data.length; pixel++) {
      const u = us[pixel] ?? 0;
      if (u < 0) continue;
      const v = vs[pixel] ?? 0;
      if (isHidden(holes, u, v)) data[pixel] = cloth[pixel] ?? 0;
      else data[pixel] = 20 + 0.8 * sample(small, width, height, u * width - 0.5, v * height - 0.5);
    }
  }
  const light = [Math.cos(random() * 6.28), Math.sin(random() * 6.28)] as const;
  const offset = (random() - 0.5) * 40;
  const develop = (lit: number) => Math.fround((255 * lit ** gamma - 128) * gain + 128 + offset);
  const exposure = { ramp, light, develop, blur, noise };
  const noisy = await expose({ data, ...FRAME }, exposure, random);
  return sharp(noisy, raw(FRAME)).jpeg({ quality }).toBuffer();
}

function sample(data: Uint8Array, width: number, height: number, x: number, y: number): number {
  const left = Math.max(0, Math.min(width - 2, Math.floor(x)));
  const top = Math.max(0, Math.min(height - 2, Math.floor(y)));
  const u = Math.max(0, Math.min(1, x - left));
  const v = Math.max(0, Math.min(1, y - top));
  const at = top * width + left;
  const upper = (data[at] ?? 0) * (1 - u) + (data[at + 1] ?? 0) * u;
  const lower = (data[at + width] ?? 0) * (1 - u) + (data[at + width + 1] ?? 0) * u;
  return upper * (1 - v) + lower * v;
}

const raw = ({ width, height }: { readonly width: number; readonly height: number }) => ({
  raw: { width, height, channels: 1 as const },
});

const grey = (image: Sharp): Promise<Buffer> => image.toColourspace("b-w").raw().toBuffer();
