import { generator } from "../../support/scenes.ts";
import { across, cylinder, fold, type Item, type Light, takePhotograph } from "./camera.ts";
import { BANNERS, draw, KINDS } from "./pictures.ts";

/** Pictures of each kind that are targets: some 500 in all, and banners. */
const OF_A_KIND = 40;
/** Pictures from here on are no targets. */
const STRANGERS = 500;

/** A picture, by its kind and its number in that. */
interface Shown {
  readonly kind: string;
  readonly number: number;
}

export const nameOf = ({ kind, number }: Shown): string => `${kind} ${number}`;

export const TARGETS: readonly Shown[] = [...Object.keys(KINDS), BANNERS].flatMap((kind) =>
  Array.from({ length: kind === BANNERS ? OF_A_KIND / 2 : OF_A_KIND }, (_, number) => ({ kind, number })),
);

interface View extends Omit<Item, "picture"> {
  readonly light?: Partial<Light>;
}

interface Condition {
  /** How many pictures are in a photograph. Default 1. */
  readonly pictures?: number;
  readonly kind?: string;
  readonly strangers?: boolean;
  view(between: (least: number, most: number) => number, index: number): View;
}

type Between = Parameters<Condition["view"]>[0];

const tilted = (least: number, most: number): Condition => ({
  view: (between) => ({ tilt: between(least, most), scale: between(0.45, 0.85) }),
});

const near = (
  least: number,
  most: number,
  { spread, outside }: { readonly spread: number; readonly outside: number },
): Condition => ({
  view: (between) => ({
    tilt: between(0, 20),
    scale: between(least, most),
    at: [0.5, 0.5, spread],
    outside,
  }),
});

const plainly = (between: Between) => ({ tilt: between(0, 25), scale: between(0.45, 0.85) });

const lit = (light: (between: Between) => Partial<Light>): Condition => ({
  view: (between) => ({ ...plainly(between), light: light(between) }),
});

const CELLS = [
  [0.22, 0.27],
  [0.5, 0.73],
  [0.78, 0.27],
  [0.22, 0.73],
  [0.5, 0.27],
  [0.78, 0.73],
] as const;

export const CONDITIONS: Readonly<Record<string, Condition>> = {
  "tilt to 15°": tilted(0, 15),
  "tilt to 30°": tilted(15, 30),
  "tilt to 45°": tilted(30, 45),
  "tilt to 60°": tilted(45, 60),
  cylinder: {
    view: (between, index) => {
      const surface = cylinder(between(70, 160));
      return { ...plainly(between), surface: index % 2 === 0 ? surface : across(surface) };
    },
  },
  fold: {
    view: (between, index) => {
      const surface = fold(between(25, 80), between(-0.15, 0.15));
      return { ...plainly(between), surface: index % 2 === 0 ? surface : across(surface) };
    },
  },
  "near: a third of a banner": { kind: BANNERS, ...near(2.6, 3.4, { spread: 1.6, outside: 0.75 }) },
  "near: a quarter of a picture": near(1.7, 2.3, { spread: 0.9, outside: 0.8 }),
  "several at once": {
    pictures: CELLS.length,
    view: (between, index) => {
      const [x = 0.5, y = 0.5] = CELLS[index % CELLS.length] ?? [];
      return { tilt: between(0, 25), scale: between(0.26, 0.34), at: [x, y, 0.04], outside: 0.1 };
    },
  },
  cover: lit((between) => ({ cover: between(0.3, 0.6) })),
  blur: lit((between) => ({ blur: between(2, 4) })),
  noise: lit((between) => ({ noise: between(10, 25) })),
  light: lit((between) => ({ ramp: between(0.8, 1.6), gain: between(0.35, 0.6), gamma: between(0.4, 2.2) })),
  JPEG: lit((between) => ({ quality: Math.round(between(8, 18)) })),
  strangers: { strangers: true, view: plainly },
};

interface Scene {
  readonly shown: readonly Shown[];
  readonly isOfStrangers: boolean;
  take(): Promise<Buffer>;
}

/** The scene of a condition with this number; the kinds take turns. */
export function sceneOf(name: string, index: number, seed: number): Scene {
  const condition = CONDITIONS[name];
  if (condition === undefined) throw new Error(`there is no condition ${name}`);
  const place = Object.keys(CONDITIONS).indexOf(name);
  const random = generator(seed * 1_000_003 + place * 10_007 + index);
  const between: Between = (least, most) => least + random() * (most - least);
  const kinds = Object.keys(KINDS);
  const pictures = condition.pictures ?? 1;
  const shown = Array.from({ length: pictures }, (_, at): Shown => {
    const kind =
      condition.kind ??
      kinds[(index * pictures + at + Math.floor(index / kinds.length)) % kinds.length] ??
      "";
    const most = kind === BANNERS ? OF_A_KIND / 2 : OF_A_KIND;
    return { kind, number: Math.floor(random() * most) + (condition.strangers ? STRANGERS : 0) };
  });
  const views = shown.map((_, at) => condition.view(between, pictures === 1 ? index : at));
  const light: Light = {
    cover: 0,
    blur: between(0, 1.2),
    noise: between(0, 6),
    ramp: between(0, 0.4),
    gain: between(0.7, 1.1),
    gamma: between(0.75, 1.35),
    quality: Math.round(between(45, 85)),
    ...views[0]?.light,
  };
  return {
    shown,
    isOfStrangers: condition.strangers === true,
    take: async () => {
      const items = views.map(async (view, at) => ({
        ...view,
        picture: await drawn(shown[at] ?? { kind: "", number: 0 }, seed),
      }));
      return takePhotograph(await Promise.all(items), light, seed * 7_919 + place * 1_009 + index);
    },
  };
}

export const drawn = ({ kind, number }: Shown, seed: number) => draw(kind, seed * 1_000 + number);
