import { Semaphore, yieldToEventLoop } from "../../../emulator/scheduling.ts";
import { votesKernel } from "../../kernels/compiled.ts";
import { instantiate, type KernelMemory } from "../../kernels/instantiate.ts";
import type { Features } from "./extract.ts";

/*
 * Which of many targets share most features with a query. Targets are indexed in segments. Nothing but the features themselves
 * keeps a segment, so that it goes with the last of its targets.
 */

interface Kernel extends KernelMemory {
  codesAt(): number;
  scoresAt(): number;
  allowedAt(): number;
  begin(targets: number, features: number): void;
  count(features: number, dark: number): void;
  endCounting(): void;
  add(target: number, features: number, dark: number): void;
  clearScores(): void;
  vote(start: number, end: number, dark: number): void;
}

interface Segment {
  readonly kernel: Kernel;
  readonly size: number;
}

/** Where a target's features are indexed. */
const places = new WeakMap<Features, { readonly segment: Segment; readonly index: number }>();
/** Segments keep a query's votes between slices. */
const turn = new Semaphore(1);

/** As many targets are compared without an index. */
export const MOST_NOT_INDEXED = 50;
/** Smaller segments are indexed again together with new targets. */
const LEAST_SEGMENT = 1000;
const MOST_SEGMENT = 4000;
const INDEXED_PER_SLICE = 25;
const FEATURES_PER_SLICE = 500;
/** Targets with many features get votes by chance. */
const CHANCE_FEATURES = 60;

/**
 * The targets that share most features with the query, best first.
 * @returns all of the targets when there are few; else `most`, and those that are too new to be indexed
 */
export function shortlist(
  query: Features,
  targets: readonly Features[],
  most: number,
): Promise<readonly Features[]> {
  return turn.run(async () => {
    if (targets.length <= MOST_NOT_INDEXED) return targets;
    const isNew = (target: Features) => !places.has(target);
    if (targets.filter(isNew).length > MOST_NOT_INDEXED) {
      const isLoose = (target: Features) => (places.get(target)?.segment.size ?? 0) < LEAST_SEGMENT;
      await addSegments([...new Set(targets.filter(isLoose))]);
    }
    const segments = new Map<Segment, Features[]>();
    for (const target of targets) {
      const place = places.get(target);
      if (place === undefined) continue;
      const others = segments.get(place.segment);
      if (others) others.push(target);
      else segments.set(place.segment, [target]);
    }
    const worths = new Map<Features, number>();
    for (const [segment, indexed] of segments) await vote(query, segment, indexed, worths);
    const voted = [...worths].sort(([, a], [, b]) => b - a).slice(0, most);
    return [...voted.map(([target]) => target), ...targets.filter(isNew)];
  });
}

async function addSegments(targets: readonly Features[]): Promise<void> {
  for (let start = 0; start < targets.length; start += MOST_SEGMENT) {
    const part = targets.slice(start, start + MOST_SEGMENT);
    const kernel = instantiate<Kernel>(votesKernel);
    kernel.begin(
      part.length,
      part.reduce((sum, { count }) => sum + count, 0),
    );
    const memory = new Uint8Array(kernel.memory.buffer);
    const each = async (use: (target: Features, index: number) => void) => {
      for (const [index, target] of part.entries()) {
        if (index % INDEXED_PER_SLICE === 0) await yieldToEventLoop();
        memory.set(target.codes, kernel.codesAt());
        use(target, index);
      }
    };
    await each(({ count, dark }) => kernel.count(count, dark));
    kernel.endCounting();
    await each(({ count, dark }, index) => kernel.add(index, count, dark));
    const segment = { kernel, size: part.length };
    for (const [index, target] of part.entries()) places.set(target, { segment, index });
  }
}

async function vote(
  query: Features,
  { kernel, size }: Segment,
  targets: readonly Features[],
  worths: Map<Features, number>,
): Promise<void> {
  const { buffer } = kernel.memory;
  new Uint8Array(buffer, kernel.codesAt()).set(query.codes);
  const allowed = new Uint8Array(buffer, kernel.allowedAt(), size).fill(0);
  const indexOf = (target: Features) => places.get(target)?.index ?? 0;
  for (const target of targets) allowed[indexOf(target)] = 1;
  kernel.clearScores();
  for (let start = 0; start < query.count; start += FEATURES_PER_SLICE) {
    await yieldToEventLoop();
    kernel.vote(start, Math.min(start + FEATURES_PER_SLICE, query.count), query.dark);
  }
  const scores = new Float32Array(buffer, kernel.scoresAt(), size);
  for (const target of targets) {
    const score = scores[indexOf(target)] ?? 0;
    if (score > 0) worths.set(target, score / Math.sqrt(target.count + CHANCE_FEATURES));
  }
}
