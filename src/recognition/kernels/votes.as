/*
 * An inverted file over the features of some targets, in AssemblyScript. A feature's word is some bits of its code, and whether it
 * is dark; each posting has the target and 128 other bits (Jégou, Douze and Schmid 2008, "Hamming embedding"). A query's feature
 * looks in its own word and in those that differ in one bit (Lv et al. 2007, "Multi-probe LSH"). Votes count together that turn
 * and scale the target alike ("weak geometric consistency", the same): those of chance are scattered.
 */
// Bits of a word: the words of few features must not take more memory than the features
const FEW_BITS: i32 = 13;
const MANY_BITS: i32 = 16;
const MANY: i32 = 200000;
const CODE: i32 = 32;
const POSTING: i32 = 20; // the target, direction and size, then the last 128 bits of the code
const MOST_CODES: i32 = 2048;
const LIMIT: i32 = 28; // bits of 128 that may differ
// Added to a distance, so that differences between the smallest ones do not count most
const EVEN: i32 = 8;
// The worth of a vote; the votes of all features fit into 16 bits
const WORTH: i32 = 32;
// A target's votes are counted by turn and by octave of scale. Each counts in two of both, because neighbours overlap.
const TURNS: i32 = 16;
const OCTAVES: i32 = 8;
const BINS: i32 = TURNS * OCTAVES;

const CODES: i32 = 65536;
const FRAMES: i32 = CODES + MOST_CODES * CODE;
const COSTS: i32 = FRAMES + MOST_CODES * 8;
const CHOSEN: i32 = COSTS + MOST_CODES * 4;
const STARTS: i32 = CHOSEN + MOST_CODES * 4;

let wordBits: i32 = 0;
let words: i32 = 0;
let targets: i32 = 0;
let scores: i32 = 0;
let bins: i32 = 0;
let allowed: i32 = 0;
let postings: i32 = 0;

export function codesAt(): i32 { return CODES; }
export function framesAt(): i32 { return FRAMES; }
/** One u16 a target. */
export function scoresAt(): i32 { return scores; }
/** One u32 a feature of the query. */
export function costsAt(): i32 { return COSTS; }
/** One i32 a feature of the query that votes. */
export function chosenAt(): i32 { return CHOSEN; }
/** One byte a target: whether it may be found. */
export function allowedAt(): i32 { return allowed; }

export function begin(targetCount: i32, featureCount: i32): void {
  targets = targetCount;
  wordBits = featureCount < MANY ? FEW_BITS : MANY_BITS;
  words = 1 << wordBits;
  scores = (STARTS + (words * 2 + 2) * 4 + 15) & ~15;
  bins = scores + targets * 2;
  allowed = bins + targets * BINS * 2;
  postings = (allowed + targets + 15) & ~15;
  const pages = (postings + featureCount * POSTING + 65535) >> 16;
  if (memory.size() < pages) memory.grow(pages - memory.size());
  memory.fill(STARTS, 0, (words * 2 + 2) * 4);
}

@inline
function wordOf(feature: i32, dark: i32): i32 {
  return <i32>(load<u32>(CODES + feature * CODE) & (words - 1)) + (feature < dark ? 0 : words);
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
    memory.copy(posting + 4, CODES + f * CODE + 16, 16);
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

export function clearScores(): void {
  memory.fill(scores, 0, targets * (BINS + 1) * 2);
}

/** A target's score is the most votes that turn and scale it alike. */
function addVote(posting: i32, pose: i32, worth: i32): void {
  const target = <i32>load<u16>(posting), other = <i32>load<u16>(posting, 2);
  const turn = ((pose - other) & 255) / (256 / TURNS);
  const octave = min(max(((pose >> 8) - (other >> 8) + 2 * OCTAVES) >> 2, 0), OCTAVES - 2);
  for (let part = 0; part < 4; part++) {
    const bin = ((turn + (part & 1)) % TURNS) * OCTAVES + octave + (part >> 1);
    const at = bins + (target * BINS + bin) * 2;
    const votes = load<u16>(at) + <u16>worth;
    store<u16>(at, votes);
    if (votes > load<u16>(scores + target * 2)) store<u16>(scores + target * 2, votes);
  }
}

/**
 * Each feature votes for the two targets with the nearest hits, because two may show the same picture. The farther away the third
 * one's hit is, the more the votes are worth (compare Lowe 2004).
 */
export function vote(start: i32, end: i32, dark: i32): void {
  for (let i = start; i < end; i++) {
    const f = load<i32>(CHOSEN + i * 4);
    const a = load<u64>(CODES + f * CODE, 16), b = load<u64>(CODES + f * CODE, 24);
    let nearest = LIMIT + 1, second = LIMIT + 1, third = LIMIT + 1, first = 0, other = 0;
    const own = wordOf(f, dark);
    for (let probe = -1; probe < wordBits; probe++) {
      const word = probe < 0 ? own : own ^ (1 << probe);
      let posting = postings + load<i32>(STARTS + word * 4) * POSTING;
      const stop = postings + load<i32>(STARTS + word * 4, 4) * POSTING;
      for (; posting < stop; posting += POSTING) {
        const distance = <i32>(popcnt<u64>(load<u64>(posting, 4) ^ a) + popcnt<u64>(load<u64>(posting, 12) ^ b));
        const target = load<u16>(posting);
        if (distance >= third || !load<u8>(allowed + target)) continue;
        if (nearest <= LIMIT && target == load<u16>(first)) {
          if (distance < nearest) {
            nearest = distance;
            first = posting;
          }
          continue;
        }
        const isOther = second <= LIMIT && target == load<u16>(other);
        if (distance >= second) {
          if (!isOther) third = distance;
          continue;
        }
        if (!isOther) third = second;
        if (distance >= nearest) {
          second = distance;
          other = posting;
        } else {
          second = nearest;
          other = first;
          nearest = distance;
          first = posting;
        }
      }
    }
    const pose = poseOf(f);
    if (nearest < third) addVote(first, pose, ((third - nearest) * WORTH) / (third + EVEN));
    if (second < third) addVote(other, pose, ((third - second) * WORTH) / (third + EVEN));
  }
}
