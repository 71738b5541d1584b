import { Semaphore, yieldToEventLoop } from "../core/general/scheduling.ts";
import { instantiate, type KernelMemory } from "../core/images/kernels/instantiate.ts";
import { groupCopies } from "./copies.ts";
import { type Features, putFeatures, type TargetFeatures } from "./extract.ts";
import { votesKernel } from "./kernels/compiled.ts";

/*
 * Finds the targets with most features of a query. Targets are indexed in segments, which are freed with the last of their
 * targets. Copies of a picture are indexed as one: otherwise they would take votes from each other.
 */

interface Kernel extends KernelMemory<"CODES" | "FRAMES" | "COSTS" | "CHOSEN" | "scores" | "allowed"> {
  begin(targets: number, features: number): void;
  count(features: number, dark: number): void;
  endCounting(): void;
  add(target: number, features: number, dark: number): void;
  measure(features: number, dark: number): void;
  clearVotes(): void;
  vote(start: number, end: number, dark: number): void;
  score(target: number): number;
}

interface Segment {
  readonly kernel: Kernel;
  readonly size: number;
  readonly places: readonly Place[];
}

/** The index of a picture's features, shared by its copies. */
interface Place {
  readonly segment: Segment;
  readonly index: number;
  readonly count: number;
}

const places = new WeakMap<TargetFeatures, Place>();
/** Segments keep a query's votes between slices. */
const turn = new Semaphore(1);

/** As many targets are compared without an index. */
export const MOST_NOT_INDEXED = 50;
/** Smaller segments are indexed again together with new targets. */
const LEAST_SEGMENT = 1000;
const MOST_SEGMENT = 8000;
const INDEXED_PER_SLICE = 25;
/** About 1 ms. */
const TARGETS_PER_SLICE = 5000;
/** About 3 ms. */
const POSTINGS_PER_SLICE = 750_000;
/** A query reads at most this many indexed features: rare ones vote first, because they tell targets apart. */
const MOST_POSTINGS = 60_000_000;
/** Of more than so many, which take 2 ms, this part is enough. */
const [FEW_POSTINGS, VOTING] = [500_000, 0.6];
/** Targets with many features get votes by chance. */
const CHANCE_FEATURES = 60;
/** Votes that chance gives a target: so many, or so many times the mean. One of sixty keyboards that a query shows may have 1.5. */
const [MOST_BY_CHANCE, CHANCE_TIMES] = [1.25, 1.5];
const MOST_COPIES = 100;

/**
 * The targets that share most features with the query, best first.
 * @param targets - null: without features
 * @returns all of the targets when there are few; else those of the `most` best pictures that have more votes than chance gives, and
 * those too new to be indexed
 */
export function shortlist(
  query: Features,
  targets: readonly (TargetFeatures | null)[],
  most: number,
): Promise<readonly TargetFeatures[]> {
  return turn.run(async () => {
    if (targets.length <= MOST_NOT_INDEXED) return targets.filter((target) => target !== null);
    let { segments, placed, fresh, loose } = await findSegments(targets);
    if (fresh.length > MOST_NOT_INDEXED) {
      await addSegments(loose);
      ({ segments, placed, fresh } = await findSegments(targets));
    }
    const voters = await chooseVoters(query, segments);
    for (const segment of segments) await vote(query, voters, segment);
    const best: Rated[] = [];
    let least = 0;
    const byChance = Math.min(MOST_BY_CHANCE, CHANCE_TIMES * meanOf(segments.map(scoresOf)));
    for (const segment of segments) {
      await yieldToEventLoop();
      const scores = scoresOf(segment);
      for (const place of segment.places) {
        const score = scores[place.index] ?? 0;
        const worth = score / Math.sqrt(place.count + CHANCE_FEATURES);
        if (score <= byChance || worth <= least) continue;
        best.push({ place, worth });
        if (best.length >= 2 * most) least = keepBest(best, most);
      }
    }
    keepBest(best, most);
    const found = new Map(best.map(({ place }) => [place, new Set<TargetFeatures>()]));
    for (const [number, { target, place }] of placed.entries()) {
      if (endsSlice(number)) await yieldToEventLoop();
      const copies = found.get(place);
      if (copies !== undefined && copies.size < MOST_COPIES) copies.add(target);
    }
    return [...[...found.values()].flatMap((copies) => [...copies]), ...fresh];
  });
}

/** Those in small segments and the latest, of which so many are in none. Not held: images hold their features. */
let latest: WeakRef<TargetFeatures>[] = [];
let added = 0;

/**
 * Indexes targets while they are added, because the query after them should take no longer than later ones. Returns those that were
 * indexed, now and then.
 */
export async function addToIndex(target: TargetFeatures): Promise<readonly TargetFeatures[] | undefined> {
  latest.push(new WeakRef(target));
  added += 1;
  if (added < MOST_NOT_INDEXED) return undefined;
  added = 0;
  return turn.run(async () => {
    const alive = new Set(latest.flatMap((each) => each.deref() ?? []));
    const loose = [...alive].filter(isLoose);
    latest = loose.map((each) => new WeakRef(each));
    if (loose.some((each) => !places.has(each))) await addSegments(loose);
    return loose;
  });
}

const isLoose = (target: TargetFeatures): boolean => (places.get(target)?.segment.size ?? 0) < LEAST_SEGMENT;

const endsSlice = (number: number) => number % TARGETS_PER_SLICE === TARGETS_PER_SLICE - 1;

/**
 * The segments that have targets, in which these are allowed to be found; their places; the targets that are in none, and those that
 * are worth indexing again.
 */
async function findSegments(targets: readonly (TargetFeatures | null)[]) {
  const allowedIn = new Map<Segment, Uint8Array>();
  const placed: { readonly target: TargetFeatures; readonly place: Place }[] = [];
  const fresh: TargetFeatures[] = [];
  const loose = new Set<TargetFeatures>();
  for (const [number, target] of targets.entries()) {
    if (endsSlice(number)) await yieldToEventLoop();
    if (target === null) continue;
    const place = places.get(target);
    if (place === undefined || place.segment.size < LEAST_SEGMENT) loose.add(target);
    if (place === undefined) {
      fresh.push(target);
      continue;
    }
    placed.push({ target, place });
    const { kernel, places: all } = place.segment;
    const allowed =
      allowedIn.get(place.segment) ??
      new Uint8Array(kernel.memory.buffer, kernel.allowed.value, all.length).fill(0);
    allowedIn.set(place.segment, allowed);
    allowed[place.index] = 1;
  }
  return { segments: [...allowedIn.keys()], placed, fresh, loose: [...loose] };
}

const scoresOf = ({ kernel, places }: Segment) =>
  new Float32Array(kernel.memory.buffer, kernel.scores.value, places.length);

const meanOf = (parts: readonly Float32Array[]): number =>
  parts.reduce((sum, part) => part.reduce((all, each) => all + each, sum), 0) /
  parts.reduce((sum, part) => sum + part.length, 0);

interface Rated {
  readonly place: Place;
  readonly worth: number;
}

/** Best first; of equal ones, the first. Returns the worth of the last. */
function keepBest(rated: Rated[], most: number): number {
  rated.sort((a, b) => b.worth - a.worth).splice(most);
  return rated.at(-1)?.worth ?? 0;
}

async function addSegments(targets: readonly TargetFeatures[]): Promise<void> {
  for (let start = 0; start < targets.length; start += MOST_SEGMENT) {
    const part = targets.slice(start, start + MOST_SEGMENT);
    const pictures = await groupCopies(part);
    const kernel = instantiate<Kernel>(votesKernel);
    const features = pictures.reduce((sum, [{ count }]) => sum + count, 0);
    kernel.begin(pictures.length, features);
    const each = async (use: (features: Features, index: number) => void) => {
      for (const [index, [features]] of pictures.entries()) {
        if (index % INDEXED_PER_SLICE === 0) await yieldToEventLoop();
        putFeatures(kernel, features, kernel.CODES.value, kernel.FRAMES.value);
        use(features, index);
      }
    };
    await each(({ count, dark }) => kernel.count(count, dark));
    kernel.endCounting();
    await each(({ count, dark }, index) => kernel.add(index, count, dark));
    const made: Place[] = [];
    const segment: Segment = { kernel, size: part.length, places: made };
    for (const [index, copies] of pictures.entries()) {
      const place = { segment, index, count: copies[0].count };
      made.push(place);
      for (const target of copies) places.set(target, place);
    }
  }
}

async function chooseVoters(query: Features, segments: readonly Segment[]): Promise<Int32Array> {
  const costs = new Float64Array(query.count);
  for (const { kernel } of segments) {
    await yieldToEventLoop();
    putFeatures(kernel, query, kernel.CODES.value, kernel.FRAMES.value);
    kernel.measure(query.count, query.dark);
    const measured = new Uint32Array(kernel.memory.buffer, kernel.COSTS.value, query.count);
    for (const [feature, cost] of measured.entries()) costs[feature] = (costs[feature] ?? 0) + cost;
  }
  // Sorting numbers is many times faster than by a function.
  const keys = costs.map((cost, feature) => cost * query.count + feature).sort();
  const order = Int32Array.from(keys, (key) => key % query.count);
  let left = Math.min(
    MOST_POSTINGS,
    Math.max(FEW_POSTINGS, VOTING * costs.reduce((sum, cost) => sum + cost, 0)),
  );
  const tooMany = order.findIndex((feature) => {
    left -= costs[feature] ?? 0;
    return left < 0;
  });
  return tooMany < 0 ? order : order.subarray(0, tooMany);
}

/** Has the kernel count the votes of the query's features; {@link chooseVoters} has set their codes and measured their costs. */
async function vote(
  { count, dark }: Features,
  voters: Int32Array,
  { kernel, places }: Segment,
): Promise<void> {
  const { buffer } = kernel.memory;
  kernel.clearVotes();
  new Int32Array(buffer, kernel.CHOSEN.value, voters.length).set(voters);
  const costs = new Uint32Array(buffer, kernel.COSTS.value, count);
  let [start, postings] = [0, 0];
  for (const [place, feature] of voters.entries()) {
    const cost = costs[feature] ?? 0;
    if (postings + cost > POSTINGS_PER_SLICE) {
      await yieldToEventLoop();
      kernel.vote(start, place, dark);
      [start, postings] = [place, 0];
    }
    postings += cost;
  }
  await yieldToEventLoop();
  kernel.vote(start, voters.length, dark);
  for (let scored = 0; scored < places.length; ) {
    await yieldToEventLoop();
    scored = kernel.score(scored);
  }
}
