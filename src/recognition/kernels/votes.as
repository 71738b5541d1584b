/*
 * An inverted file over the features of some targets, in AssemblyScript. A feature's word is some bits of its code, and whether it
 * is dark; each posting has the target and 112 other bits (Jégou, Douze and Schmid 2008, "Hamming embedding"). A query's feature
 * looks in its own word and in those that differ in one bit (Lv et al. 2007, "Multi-probe LSH"). Votes count together that put the
 * target at one place, alike in size and turn: those of chance are scattered.
 */
// Bits of a word: the words of few features must not take more memory than the features
const FEW_BITS: i32 = 13;
const MANY_BITS: i32 = 15;
const MANY: i32 = 200000;
const CODE: i32 = 32;
const WORD_AT: i32 = 13; // in the code: bits that are the most even and least alike, so that words are of few features
const POSTING: i32 = 20; // the target, direction and size, x and y in 4 pixels, then bits of the code
const CODE_AT: i32 = 6; // in a posting; in the code, these bits are in the middle
const MOST_CODES: i32 = 2048;
const LIMIT: i32 = 24; // bits of 112 that may differ
const RIVALS: i32 = 16; // targets that a feature votes for: pictures of one kind have many features in common
const LIKELY: i32 = 2; // of these, the nearest: their votes say where a target may be
const MOST_VOTES: i32 = MOST_CODES * RIVALS;
const MOST_FOR_ONE: i32 = 1024;
const VOTE: i32 = 8; // the posting, the query's feature and its rank, the number of the target's vote before it
// How many parts of a turn, of 256, and how many quarters of an octave two votes for one place may differ by
const TURN: i32 = 37;
const ZOOM: i32 = 4;
// How far apart in the query two votes may put a feature: pixels, and parts of its distance from the other vote's
const NEAR: f32 = 8;
const SLANT: f32 = 0.1;
const COMPARED_AT_ONCE: i32 = 200000; // votes: about 1 ms

export const CODES: i32 = 65536;
export const FRAMES: i32 = CODES + MOST_CODES * CODE;
/** One u32 a feature of the query. */
export const COSTS: i32 = FRAMES + MOST_CODES * 8;
/** One i32 a feature of the query that votes. */
export const CHOSEN: i32 = COSTS + MOST_CODES * 4;
const VOTES: i32 = CHOSEN + MOST_CODES * 4;
const STARTS: i32 = VOTES + (MOST_VOTES + 1) * VOTE;

let wordBits: i32 = 0;
let words: i32 = 0;
let targets: i32 = 0;
export let scores: i32 = 0; // one f32 a target
let latest: i32 = 0;
let votes: i32 = 0;
let nearest: i32 = 0;
export let allowed: i32 = 0; // one byte a target: whether it may be found
let postings: i32 = 0;

export function begin(targetCount: i32, featureCount: i32): void {
  targets = targetCount;
  wordBits = featureCount < MANY ? FEW_BITS : MANY_BITS;
  words = 1 << wordBits;
  scores = (STARTS + (words * 2 + 2) * 4 + 15) & ~15;
  nearest = scores + targets * 4;
  latest = nearest + targets * 4;
  allowed = latest + targets * 2;
  postings = (allowed + targets + 15) & ~15;
  const pages = (postings + featureCount * POSTING + 65535) >> 16;
  if (memory.size() < pages) memory.grow(pages - memory.size());
  memory.fill(STARTS, 0, (words * 2 + 2) * 4);
}

@inline
function wordOf(feature: i32, dark: i32): i32 {
  return <i32>(load<u32>(CODES + feature * CODE, WORD_AT) & (words - 1)) + (feature < dark ? 0 : words);
}

/** All targets' features are counted before the first are added. */
export function count(features: i32, dark: i32): void {
  for (let f = 0; f < features; f++) {
    const at = STARTS + (wordOf(f, dark) + 2) * 4;
    store<i32>(at, load<i32>(at) + 1);
  }
}

/** Afterwards each word's start is followed by the place of its next feature: in the end, the next word's start. */
export function endCounting(): void {
  for (let at = STARTS; at < STARTS + words * 2 * 4; at += 4) store<i32>(at, load<i32>(at) + load<i32>(at, 4), 4);
}

export function add(target: i32, features: i32, dark: i32): void {
  for (let f = 0; f < features; f++) {
    const at = STARTS + (wordOf(f, dark) + 1) * 4;
    const place = load<i32>(at);
    store<i32>(at, place + 1);
    const posting = postings + place * POSTING;
    store<u16>(posting, target);
    store<u16>(posting, poseOf(f), 2);
    store<u8>(posting, load<u16>(FRAMES + f * 8) >> 7, 4);
    store<u8>(posting, load<u16>(FRAMES + f * 8, 2) >> 7, 5);
    memory.copy(posting + CODE_AT, CODES + f * CODE + 16, POSTING - CODE_AT);
  }
}

/** A feature's direction in 256 parts of a turn, below its size in quarters of an octave. */
function poseOf(feature: i32): i32 {
  const size = <i32>load<u16>(FRAMES + feature * 8, 4) | 1;
  const octave = 31 - clz(size);
  const quarter = ((size << 2) >> octave) & 3;
  return (<i32>load<u16>(FRAMES + feature * 8, 6) >> 8) | (((octave << 2) | quarter) << 8);
}

/** The cost of each of the query's features: the postings that it would read. */
export function measure(features: i32, dark: i32): void {
  for (let f = 0; f < features; f++) {
    const own = wordOf(f, dark);
    let cost = lengthOf(own);
    for (let bit = 0; bit < wordBits; bit++) cost += lengthOf(own ^ (1 << bit));
    store<i32>(COSTS + f * 4, cost);
  }
}

@inline
function lengthOf(word: i32): i32 {
  return load<i32>(STARTS + word * 4, 4) - load<i32>(STARTS + word * 4);
}

export function clearVotes(): void {
  votes = 0;
  memory.fill(scores, 0, targets * 10);
}

// The nearest hits of a feature, one a target
const hits = new StaticArray<i32>(RIVALS);
const distances = new StaticArray<i32>(RIVALS);

/** Keeps a hit in its order, unless one of its target is as near. Returns how many are kept. */
function keep(feature: i32, posting: i32, distance: i32, count: i32): i32 {
  // Per target: the feature that hit it last, and how near
  const seen = nearest + <i32>load<u16>(posting) * 4, hit = ((feature + 1) << 8) | distance, before = load<i32>(seen);
  const isKnown = before >> 8 == feature + 1;
  if (isKnown && before <= hit) return count;
  store<i32>(seen, hit);
  let rank = count;
  if (isKnown) {
    const target = load<u16>(posting);
    do rank--; while (rank >= 0 && load<u16>(hits[rank]) != target);
  }
  if (!isKnown || rank < 0) rank = count < RIVALS ? count++ : RIVALS - 1;
  for (; rank > 0 && distances[rank - 1] > distance; rank--) {
    hits[rank] = hits[rank - 1];
    distances[rank] = distances[rank - 1];
  }
  hits[rank] = posting;
  distances[rank] = distance;
  return count;
}

/** Each feature votes for the targets with the nearest hits. */
export function vote(start: i32, end: i32, dark: i32): void {
  for (let i = start; i < end; i++) {
    const f = load<i32>(CHOSEN + i * 4);
    const a = load<u64>(CODES + f * CODE, 16), b = load<u64>(CODES + f * CODE, 22);
    let count = 0, limit = LIMIT;
    const own = wordOf(f, dark);
    for (let probe = -1; probe < wordBits; probe++) {
      const word = probe < 0 ? own : own ^ (1 << probe);
      let posting = postings + load<i32>(STARTS + word * 4) * POSTING;
      const stop = postings + load<i32>(STARTS + word * 4, 4) * POSTING;
      for (; posting < stop; posting += POSTING) {
        // The second eight bytes begin with two of the first
        const rest = (load<u64>(posting, CODE_AT + 6) ^ b) >> 16;
        const distance = <i32>(popcnt<u64>(load<u64>(posting, CODE_AT) ^ a) + popcnt<u64>(rest));
        if (distance > limit || !load<u8>(allowed + load<u16>(posting))) continue;
        count = keep(f, posting, distance, count);
        if (count == RIVALS) limit = distances[RIVALS - 1] - 1;
      }
    }
    for (let rank = 0; rank < count; rank++) {
      const last = latest + <i32>load<u16>(hits[rank]) * 2, at = VOTES + ++votes * VOTE;
      store<i32>(at, hits[rank]);
      store<u16>(at, (f << 4) | rank, 4);
      store<u16>(at, load<u16>(last), 6);
      store<u16>(last, votes);
    }
  }
}

// The votes for one target: places in both pictures, how the target is turned and scaled there, and the worth
const ranks = new StaticArray<i32>(MOST_FOR_ONE);
const turns = new StaticArray<i32>(MOST_FOR_ONE);
const zooms = new StaticArray<i32>(MOST_FOR_ONE);
const tx = new StaticArray<f32>(MOST_FOR_ONE);
const ty = new StaticArray<f32>(MOST_FOR_ONE);
const qx = new StaticArray<f32>(MOST_FOR_ONE);
const qy = new StaticArray<f32>(MOST_FOR_ONE);
const sizes = new StaticArray<f32>(MOST_FOR_ONE);

function readVotes(target: i32): i32 {
  let count = 0;
  for (let vote = <i32>load<u16>(latest + target * 2); vote > 0 && count < MOST_FOR_ONE; count++) {
    const at = VOTES + vote * VOTE, posting = load<i32>(at), feature = <i32>load<u16>(at, 4) >> 4;
    const pose = poseOf(feature), other = <i32>load<u16>(posting, 2);
    const quarter = other >> 8;
    ranks[count] = load<u16>(at, 4) & 15;
    turns[count] = (pose - other) & 255;
    zooms[count] = (pose >> 8) - quarter;
    tx[count] = 4 * <f32>load<u8>(posting, 4);
    ty[count] = 4 * <f32>load<u8>(posting, 5);
    qx[count] = <f32>load<u16>(FRAMES + feature * 8) / 32;
    qy[count] = <f32>load<u16>(FRAMES + feature * 8, 2) / 32;
    sizes[count] = (<f32>load<u16>(FRAMES + feature * 8, 4) * 8) / <f32>((9 + 2 * (quarter & 3)) << (quarter >> 2));
    vote = load<u16>(at, 6);
  }
  return count;
}

/** The worth of the votes that agree with one of them on the target's place. */
function agreeWith(i: i32, count: i32): f32 {
  const c = sizes[i] * cosines[turns[i]], s = sizes[i] * cosines[(turns[i] + 192) & 255];
  let worth: f32 = 0;
  for (let j = 0; j < count; j++) {
    const turn = (turns[j] - turns[i] + TURN) & 255;
    if (turn > 2 * TURN || abs(zooms[j] - zooms[i]) > ZOOM) continue;
    const dx = tx[j] - tx[i], dy = ty[j] - ty[i];
    const ex = qx[i] + c * dx - s * dy - qx[j], ey = qy[i] + s * dx + c * dy - qy[j];
    const allowed = NEAR + SLANT * sizes[i] * Mathf.sqrt(dx * dx + dy * dy);
    if (ex * ex + ey * ey <= allowed * allowed) worth += 1 / <f32>(ranks[j] + 1);
  }
  return worth;
}

/** By the part of a turn, of 256. */
const cosines = new StaticArray<f32>(256);

/** A target's score is the most votes that agree on its place. Returns the first target that is not yet scored. */
export function score(target: i32): i32 {
  if (cosines[0] == 0) for (let i = 0; i < 256; i++) cosines[i] = Mathf.cos((<f32>i * Mathf.PI) / 128);
  for (let compared = 0; target < targets && compared < COMPARED_AT_ONCE; target++) {
    const count = readVotes(target);
    let best: f32 = 0;
    for (let i = 0; i < count; i++) {
      if (ranks[i] >= LIKELY) continue;
      best = max(best, agreeWith(i, count));
      compared += count;
    }
    store<f32>(scores + target * 4, best);
  }
  return target;
}
