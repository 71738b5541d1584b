/*
 * An inverted file over the features of some targets, in AssemblyScript. A feature's word is some bits of its code, and whether it
 * is dark; each posting has the target and 128 other bits (Jégou, Douze and Schmid 2008, "Hamming embedding"). A query's feature
 * looks in its own word and in those that differ in one bit (Lv et al. 2007, "Multi-probe LSH").
 */
// Bits of a word when there are few features, whose words must not take more memory than they do, and when there are many
const FEW_BITS: i32 = 13;
const MANY_BITS: i32 = 16;
const MANY: i32 = 200000;
const CODE: i32 = 32;
const POSTING: i32 = 20; // the target, then the last 128 bits of the code
const MOST_CODES: i32 = 2048;
const LIMIT: i32 = 28; // bits of 128 that may differ
// Added to a distance, so that differences between the smallest ones do not count most
const EVEN: f32 = 8;

const CODES: i32 = 65536;
const COSTS: i32 = CODES + MOST_CODES * CODE;
const CHOSEN: i32 = COSTS + MOST_CODES * 4;
const STARTS: i32 = CHOSEN + MOST_CODES * 4;

let wordBits: i32 = 0;
let words: i32 = 0;
let targets: i32 = 0;
let scores: i32 = 0;
let allowed: i32 = 0;
let postings: i32 = 0;

export function codesAt(): i32 { return CODES; }
/** One f32 a target. */
export function scoresAt(): i32 { return scores; }
/** One u32 a feature of the query. */
export function costsAt(): i32 { return COSTS; }
/** One i32 a feature of the query that votes. */
export function chosenAt(): i32 { return CHOSEN; }
/** One byte a target: whether it may be found. */
export function allowedAt(): i32 { return allowed; }

/** Makes room for so many targets and features. */
export function begin(targetCount: i32, featureCount: i32): void {
  targets = targetCount;
  wordBits = featureCount < MANY ? FEW_BITS : MANY_BITS;
  words = 1 << wordBits;
  scores = (STARTS + (words * 2 + 2) * 4 + 15) & ~15;
  allowed = scores + targets * 4;
  postings = (allowed + targets + 15) & ~15;
  const pages = (postings + featureCount * POSTING + 65535) >> 16;
  if (memory.size() < pages) memory.grow(pages - memory.size());
  memory.fill(STARTS, 0, (words * 2 + 2) * 4);
}

@inline
function wordOf(feature: i32, dark: i32): i32 {
  return <i32>(load<u32>(CODES + feature * CODE) & (words - 1)) + (feature < dark ? 0 : words);
}

/** Counts the features of a target. All are counted before the first is added. */
export function count(features: i32, dark: i32): void {
  for (let f = 0; f < features; f++) {
    const at = STARTS + (wordOf(f, dark) + 2) * 4;
    store<i32>(at, load<i32>(at) + 1);
  }
}

/** From then on, behind each word's start is the place of its next feature, which is the next word's start in the end. */
export function endCounting(): void {
  for (let at = STARTS; at < STARTS + words * 2 * 4; at += 4) store<i32>(at, load<i32>(at) + load<i32>(at, 4), 4);
}

/** Adds the features of a target. */
export function add(target: i32, features: i32, dark: i32): void {
  for (let f = 0; f < features; f++) {
    const at = STARTS + (wordOf(f, dark) + 1) * 4;
    const place = load<i32>(at);
    store<i32>(at, place + 1);
    const posting = postings + place * POSTING;
    store<i32>(posting, target);
    memory.copy(posting + 4, CODES + f * CODE + 16, 16);
  }
}

/** How many postings each of the query's features would look at. */
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
  memory.fill(scores, 0, targets * 4);
}

@inline
function addVote(target: i32, worth: f32): void {
  store<f32>(scores + target * 4, load<f32>(scores + target * 4) + worth);
}

/**
 * Lets some of the chosen features vote. Each looks in its own word and in those with one bit changed. It votes for the two targets
 * that have the nearest hits, the more the farther away the third one's is (compare Lowe 2004): two targets may show the same picture.
 */
export function vote(start: i32, end: i32, dark: i32): void {
  for (let i = start; i < end; i++) {
    const f = load<i32>(CHOSEN + i * 4);
    const a = load<u64>(CODES + f * CODE, 16), b = load<u64>(CODES + f * CODE, 24);
    let nearest = LIMIT + 1, second = LIMIT + 1, third = LIMIT + 1, first = -1, other = -1;
    const own = wordOf(f, dark);
    for (let probe = -1; probe < wordBits; probe++) {
      const word = probe < 0 ? own : own ^ (1 << probe);
      let posting = postings + load<i32>(STARTS + word * 4) * POSTING;
      const stop = postings + load<i32>(STARTS + word * 4, 4) * POSTING;
      for (; posting < stop; posting += POSTING) {
        const distance = <i32>(popcnt<u64>(load<u64>(posting, 4) ^ a) + popcnt<u64>(load<u64>(posting, 12) ^ b));
        const target = load<i32>(posting);
        if (distance >= third || !load<u8>(allowed + target)) continue;
        if (target == first) {
          if (distance < nearest) nearest = distance;
          continue;
        }
        if (target == other) {
          if (distance < nearest) {
            second = nearest;
            other = first;
            nearest = distance;
            first = target;
          } else if (distance < second) second = distance;
          continue;
        }
        if (distance >= second) {
          third = distance;
          continue;
        }
        third = second;
        if (distance >= nearest) {
          second = distance;
          other = target;
        } else {
          second = nearest;
          other = first;
          nearest = distance;
          first = target;
        }
      }
    }
    if (nearest < third) addVote(first, <f32>(third - nearest) / (<f32>third + EVEN));
    if (second < third) addVote(other, <f32>(third - second) / (<f32>third + EVEN));
  }
}
