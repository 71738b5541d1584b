import { featureMatcher } from "mock-cloud-reco";
import type { ComparedTarget } from "../../src/core/images/matching/comparison.ts";
import { rankTargets } from "../../src/core/images/matching/ranking.ts";
import { drawLeaves, type Grey, pngOf } from "../support/photographs.ts";
import { layOut, photographFile } from "../support/recognition.ts";
import { candidate } from "../support/scenes.ts";
import { drawStructured, STRUCTURED_KINDS } from "../support/structured-pictures.ts";
import type { Bench, Comparison } from "./measure.ts";

/** Of each kind, pictures that are targets, and as many that are not. */
const PICTURES = 6;
const FRAME = { width: 640, height: 480 };
const VIEW = { tilt: 20, scale: 0.8, cover: 0.1 };

const KINDS: Readonly<Record<string, (seed: number) => Promise<Grey>>> = {
  "random pictures": async (seed) => drawLeaves(60_000 + seed, 480, 360),
  // Each kind has seeds of its own: a label and a page of one seed begin with the same words.
  ...Object.fromEntries(
    STRUCTURED_KINDS.map((kind, place) => [
      kind,
      (seed: number) => drawStructured(kind, 100 * (place + 1) + seed),
    ]),
  ),
};

/**
 * Counts photographs that are missed, and photographs that match a picture that they do not show or show mirrored, among targets
 * of all kinds. Then pictures that others lie on.
 */
export const bench: Bench = {
  run: async () => {
    const targets: ComparedTarget[] = [];
    const photographs = new Map<string, { readonly id: string; readonly file: Buffer }[]>();
    const mirrored = new Map<string, Buffer[]>();
    for (const [kind, draw] of Object.entries(KINDS)) {
      const ofKind: { readonly id: string; readonly file: Buffer }[] = [];
      const mirroredOnes: Buffer[] = [];
      for (let index = 0; index < 2 * PICTURES; index++) {
        const [id, picture] = [`${kind} ${index}`, await draw(index)];
        if (index < PICTURES) {
          targets.push(candidate(await pngOf(picture), id));
          mirroredOnes.push(await photographFile(mirror(picture), VIEW, index, FRAME));
        }
        ofKind.push({ id, file: await photographFile(picture, VIEW, index, FRAME) });
      }
      photographs.set(kind, ofKind);
      mirrored.set(kind, mirroredOnes);
    }
    const comparisons: Comparison[] = [];
    for (const [kind, ofKind] of photographs) {
      let found = 0;
      const wrong = { own: 0, stranger: 0 };
      for (const [index, { id, file }] of ofKind.entries()) {
        const { matches } = await rankTargets(featureMatcher, file, targets, 10);
        const others = matches.filter(({ target }) => target.targetId !== id).length;
        if (others < matches.length) found += 1;
        if (others === 0) continue;
        wrong[index < PICTURES ? "own" : "stranger"] += 1;
      }
      let inMirror = 0;
      for (const file of mirrored.get(kind) ?? [])
        if ((await rankTargets(featureMatcher, file, targets, 10)).matches.length > 0) inMirror += 1;
      comparisons.push(
        row(`${kind}: photographs missed of ${PICTURES}`, PICTURES - found, PICTURES),
        row(`${kind}: strangers of ${PICTURES} that match`, wrong.stranger, PICTURES),
        row(`${kind}: photographs of ${PICTURES} targets that match another`, wrong.own, PICTURES),
        row(`${kind}: mirrored photographs of ${PICTURES} that match`, inMirror, PICTURES),
      );
    }
    return [...comparisons, await overlapping(targets)];
  },
};

/** Pairs of random pictures, of which one lies on a third of the other. */
async function overlapping(targets: readonly ComparedTarget[]): Promise<Comparison> {
  let missed = 0;
  for (let index = 0; index + 1 < PICTURES; index++) {
    const pair = targets.slice(index, index + 2);
    const [below, above] = await Promise.all(pair.map(({ image }) => image.bytes()));
    if (!below || !above) throw new Error("the first targets are the random pictures");
    const file = await layOut([
      { file: below, left: 60, top: 60, turn: 0 },
      { file: above, left: 220, top: 150, turn: 12 },
    ]);
    const { matches } = await rankTargets(featureMatcher, file, targets, 10);
    missed += pair.filter((target) => !matches.some((match) => match.target === target)).length;
  }
  return row("random pictures of which one lies on the other: missed", missed, 2 * (PICTURES - 1));
}

const mirror = ({ data, width, height }: Grey): Grey => ({
  data: data.map((_, at) => data[at - (at % width) + width - 1 - (at % width)] ?? 0),
  width,
  height,
});

/** No goal: what to expect differs by kind. */
const row = (name: string, count: number, all: number): Comparison => ({
  name,
  milliseconds: (100 * count) / all,
  unit: "%",
  baseline: "all",
  baselineMilliseconds: 100,
});
