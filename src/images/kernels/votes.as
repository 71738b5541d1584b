/*
 * An inverted file over the features of some targets, in AssemblyScript. A feature's word is some bits of its code, and whether it
 * is dark; each posting has the target and 128 other bits (Jégou, Douze and Schmid 2008, "Hamming embedding"). A query's feature
 * looks in its own word and in those that differ in one bit (Lv et al. 2007, "Multi-probe LSH").
 */
const WORD_BITS: i32 = 13;
const WORDS: i32 = 1 << WORD_BITS;
const CODE: i32 = 32;
const POSTING: i32 = 20; // the target, then the last 128 bits of the code
const MOST_CODES: i32 = 2048;
const MOST_HITS: i32 = 8192;
const LIMIT: i32 = 28; // bits of 128 that may differ
const RIVALS: i32 = 3; // with as many that are as near, a hit tells nothing

const CODES: i32 = 65536;
const HITS: i32 = CODES + MOST_CODES * CODE;
const HISTOGRAM: i32 = HITS + MOST_HITS * 8;
const WEIGHTS: i32 = HISTOGRAM + 256;
const STARTS: i32 = WEIGHTS + 256;
const PLACES: i32 = STARTS + (WORDS * 2 + 1) * 4;
const SCORES: i32 = (PLACES + WORDS * 2 * 4 + 15) & ~15;

let targets: i32 = 0;
let last: i32 = 0;
let allowed: i32 = 0;
let postings: i32 = 0;

export function codesAt(): i32 { return CODES; }
/** One f32 a target. */
export function scoresAt(): i32 { return SCORES; }
/** One byte a target: whether it may be found. */
export function allowedAt(): i32 { return allowed; }

/** Makes room for so many targets and features. */
export function begin(targetCount: i32, featureCount: i32): void {
  targets = targetCount;
  last = SCORES + targets * 4;
  allowed = last + targets * 4;
  postings = (allowed + targets + 15) & ~15;
  const pages = (postings + featureCount * POSTING + 65535) >> 16;
  if (memory.size() < pages) memory.grow(pages - memory.size());
  memory.fill(STARTS, 0, (WORDS * 2 + 1) * 4);
}

@inline
function wordOf(feature: i32, dark: i32): i32 {
  return <i32>(load<u32>(CODES + feature * CODE) & (WORDS - 1)) + (feature < dark ? 0 : WORDS);
}

/** Counts the features of a target. All are counted before the first is added. */
export function count(features: i32, dark: i32): void {
  for (let f = 0; f < features; f++) {
    const at = STARTS + (wordOf(f, dark) + 1) * 4;
    store<i32>(at, load<i32>(at) + 1);
  }
}

export function endCounting(): void {
  for (let word = 0; word < WORDS * 2; word++) {
    const start = load<i32>(STARTS + word * 4);
    store<i32>(PLACES + word * 4, start);
    store<i32>(STARTS + word * 4, load<i32>(STARTS + word * 4, 4) + start, 4);
  }
}

/** Adds the features of a target. */
export function add(target: i32, features: i32, dark: i32): void {
  for (let f = 0; f < features; f++) {
    const at = PLACES + wordOf(f, dark) * 4;
    const place = load<i32>(at);
    store<i32>(at, place + 1);
    const posting = postings + place * POSTING;
    store<i32>(posting, target);
    memory.copy(posting + 4, CODES + f * CODE + 16, 16);
  }
}

export function clearScores(): void {
  memory.fill(SCORES, 0, targets * 4);
  memory.fill(last, 0xff, targets * 4);
}

/**
 * Lets some of the query's features vote. Each looks in its own word and in those with one bit changed. A hit counts the more,
 * the fewer there are that are at least as near.
 */
export function vote(start: i32, end: i32, dark: i32): void {
  for (let f = start; f < end; f++) {
    const a = load<u64>(CODES + f * CODE, 16), b = load<u64>(CODES + f * CODE, 24);
    memory.fill(HISTOGRAM, 0, (LIMIT + 1) * 4);
    let found = 0;
    const own = wordOf(f, dark);
    for (let probe = -1; probe < WORD_BITS; probe++) {
      const word = probe < 0 ? own : own ^ (1 << probe);
      let posting = postings + load<i32>(STARTS + word * 4) * POSTING;
      const stop = postings + load<i32>(STARTS + word * 4, 4) * POSTING;
      for (; posting < stop; posting += POSTING) {
        const distance = <i32>(popcnt<u64>(load<u64>(posting, 4) ^ a) + popcnt<u64>(load<u64>(posting, 12) ^ b));
        if (distance > LIMIT || found == MOST_HITS || !load<u8>(allowed + load<i32>(posting))) continue;
        store<i32>(HITS + found * 8, load<i32>(posting));
        store<i32>(HITS + found * 8, distance, 4);
        store<i32>(HISTOGRAM + distance * 4, load<i32>(HISTOGRAM + distance * 4) + 1);
        found++;
      }
    }
    // The farthest distance that still counts, and what each distance counts
    let nearer = 0;
    let cut = -1;
    for (let d = 0; d <= LIMIT; d++) {
      nearer += load<i32>(HISTOGRAM + d * 4);
      if (nearer >= RIVALS) break;
      cut = d;
      store<f32>(WEIGHTS + d * 4, Mathf.log(<f32>RIVALS / <f32>max(nearer, 1)));
    }
    for (let d = 0; d <= cut; d++) {
      if (!load<i32>(HISTOGRAM + d * 4)) continue;
      for (let i = 0; i < found; i++) {
        if (load<i32>(HITS + i * 8, 4) != d) continue;
        const target = load<i32>(HITS + i * 8);
        if (load<i32>(last + target * 4) == f) continue; // one vote of a feature per target, for the nearest
        store<i32>(last + target * 4, f);
        store<f32>(SCORES + target * 4, load<f32>(SCORES + target * 4) + load<f32>(WEIGHTS + d * 4));
      }
    }
  }
}
