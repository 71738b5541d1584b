/*
 * How a pinhole camera sees a flat picture: where its pixels are in the frame, and what hides some of them.
 */

/** From pixels of one picture to pixels of another, row by row. */
export type Homography = readonly [number, number, number, number, number, number, number, number, number];

/** Where the camera stands. */
export interface View {
  /** Between the camera's axis and the picture's normal, in degrees. */
  readonly tilt: number;
  /** Length of the picture's longer side in parts of the frame's. */
  readonly scale: number;
  /** The part of the picture that other things hide. */
  readonly cover: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** How a pinhole camera maps the picture, at a random place and turn of the frame. */
export function look(
  picture: Size,
  { tilt, scale }: View,
  { width, height }: Size,
  random: () => number,
): Homography {
  const focus = 1.15 * Math.max(width, height);
  const [axis, roll, angle] = [random() * 2 * Math.PI, random() * 2 * Math.PI, (tilt * Math.PI) / 180];
  const [ax, ay] = [Math.cos(axis), Math.sin(axis)];
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  // Rodrigues' formula for an axis in the plane
  const turn = [
    [c + ax * ax * (1 - c), ax * ay * (1 - c)],
    [ax * ay * (1 - c), c + ay * ay * (1 - c)],
    [-ay * s, ax * s],
  ] as const;
  const [rc, rs] = [Math.cos(roll), Math.sin(roll)];
  const side = Math.max(picture.width, picture.height);
  const [x, y, z] = turn.map(([a, b]) => [(a * rc + b * rs) / side, (b * rc - a * rs) / side] as const);
  const distance = focus / (scale * Math.max(width, height));
  const wanted = scale <= 0.6 ? 0.98 : scale <= 0.9 ? 0.8 : 0.35;
  const [mx, my] = [picture.width / 2, picture.height / 2];
  let found: Homography | undefined;
  for (let attempt = 0; attempt < 200; attempt++) {
    const spread = scale < 0.9 ? 1 : 0.4;
    const [ox, oy] = [width * (0.5 + (random() - 0.5) * spread), height * (0.5 + (random() - 0.5) * spread)];
    const rowOf = (of: readonly [number, number], place: number) =>
      [
        focus * of[0] + place * (z?.[0] ?? 0),
        focus * of[1] + place * (z?.[1] ?? 0),
        -focus * (of[0] * mx + of[1] * my) + place * (distance - (z?.[0] ?? 0) * mx - (z?.[1] ?? 0) * my),
      ] as const;
    found = [
      ...rowOf(x ?? [0, 0], ox),
      ...rowOf(y ?? [0, 0], oy),
      z?.[0] ?? 0,
      z?.[1] ?? 0,
      distance - (z?.[0] ?? 0) * mx - (z?.[1] ?? 0) * my,
    ];
    const map = found;
    const points = Array.from({ length: 144 }, (_, i) =>
      project(
        map,
        (((i % 12) + 0.5) / 12) * picture.width,
        ((Math.floor(i / 12) + 0.5) / 12) * picture.height,
      ),
    );
    const visible = points.filter(([px, py]) => px >= 0 && py >= 0 && px < width && py < height).length;
    if (visible >= wanted * 144) break;
  }
  if (found === undefined) throw new Error("unreachable");
  return found;
}

/** Discs, in parts of the picture, that hide about that part of it. */
export function covers(part: number, random: () => number): readonly (readonly [number, number, number])[] {
  const discs: [number, number, number][] = [];
  const hidden = () =>
    Array.from(
      { length: 400 },
      (_, i) => [((i % 20) + 0.5) / 20, (Math.floor(i / 20) + 0.5) / 20] as const,
    ).filter(([u, v]) => discs.some(([x, y, r]) => (u - x) ** 2 + (v - y) ** 2 < r * r)).length / 400;
  for (let left = part; left > 0.01 && discs.length < 40; left = part - hidden()) {
    discs.push([random(), random(), Math.sqrt(Math.max(0.02, left) / Math.PI) * (0.6 + 0.4 * random())]);
  }
  return discs;
}

export function isHidden(holes: ReturnType<typeof covers>, u: number, v: number): boolean {
  for (const [x, y, radius] of holes) if ((u - x) ** 2 + (v - y) ** 2 < radius * radius) return true;
  return false;
}

export function project(h: Homography, x: number, y: number): [number, number] {
  const w = h[6] * x + h[7] * y + h[8];
  return [(h[0] * x + h[1] * y + h[2]) / w, (h[3] * x + h[4] * y + h[5]) / w];
}

export function invert([a, b, c, d, e, f, g, h, i]: Homography): Homography {
  return [
    e * i - f * h,
    c * h - b * i,
    b * f - c * e,
    f * g - d * i,
    a * i - c * g,
    c * d - a * f,
    d * h - e * g,
    b * g - a * h,
    a * e - b * d,
  ];
}
