import { Semaphore, yieldToEventLoop } from "../core/general/scheduling.ts";
import type { GreyPicture } from "../core/images/decode.ts";
import { instantiate, type KernelMemory } from "../core/images/kernels/instantiate.ts";
import { featuresKernel } from "./kernels/compiled.ts";
import { smallSize } from "./pixels.ts";
import { BITS, type Projections, VALUES } from "./projections.ts";

/** The local features of a picture: dark ones on light ground first. */
export interface Features {
  /** Size, in pixels, of the picture as it was searched. */
  readonly width: number;
  readonly height: number;
  readonly count: number;
  readonly dark: number;
  /** Of each: x and y in 1/32 pixel, size in 1/128 pixel, direction in 1/65536 turn. */
  readonly frames: Uint16Array;
  /** Of each: 32 bytes. Similar features have codes that differ in few bits. */
  readonly codes: Uint8Array;
}

/** Copies features to addresses in a kernel's memory. */
export function putFeatures({ memory }: KernelMemory, features: Features, codesAt: number, framesAt: number) {
  new Uint8Array(memory.buffer, codesAt).set(features.codes);
  new Uint16Array(memory.buffer, framesAt, features.frames.length).set(features.frames);
}

export interface TargetFeatures extends Features {
  /** The picture in grey, at its small size. */
  readonly small: Uint8Array;
}

/** Places in a pixel: those in pictures of less than 2,048 pixels fit into 16 bits. */
const PLACES = 32;

export const placeOf = (frames: Uint16Array, index: number): readonly number[] =>
  Array.from(frames.subarray(index * FRAME_FIELDS, index * FRAME_FIELDS + 2), (value) => value / PLACES);

/** A fraction of a picture's side, to tenths of a pixel. */
export const inParts = (part: number): number => Math.round(part * 10_000) / 10_000;

const HEAD_BYTES = 8;
const BYTES_EACH = 2 * 4 + 32;

/** As bytes, for another process: width, height, count and how many are dark, the frames, the codes, the small picture. */
export function packFeatures({ width, height, count, dark, frames, codes, small }: TargetFeatures): Buffer {
  const numbers = Buffer.from(Uint16Array.of(width, height, count, dark, ...frames).buffer);
  return Buffer.concat([numbers, codes, small]);
}

/** Undefined for other data than {@link packFeatures} wrote. */
export function unpackFeatures(packed: Buffer): TargetFeatures | undefined {
  if (packed.length < HEAD_BYTES) return undefined;
  const [width = 0, height = 0, count = 0, dark = 0] = [0, 2, 4, 6].map((at) => packed.readUInt16LE(at));
  if (dark > count || width === 0 || height === 0) return undefined;
  const small = smallSize({ width, height });
  const end = HEAD_BYTES + count * BYTES_EACH;
  if (packed.length !== end + small.width * small.height) return undefined;
  const part = (from: number, to: number) => Uint8Array.from(packed.subarray(from, to));
  const codesAt = end - count * CODE_BYTES;
  const frames = new Uint16Array(part(HEAD_BYTES, codesAt).buffer);
  return { width, height, count, dark, frames, codes: part(codesAt, end), small: part(end, packed.length) };
}

export interface SearchSettings {
  /** Length of the longer side, in pixels, to which pictures are scaled, as far as that enlarges them at most twice. */
  readonly side: number;
  readonly most: number;
  /** Least contrast, in 1/64 of a grey level. */
  readonly contrast: number;
  /** The part of the features that the smallest ones may be. */
  readonly finest: number;
}

export const TARGET_SEARCH: SearchSettings = { side: 640, most: 384, contrast: 30, finest: 0.7 };
export const QUERY_SEARCH: SearchSettings = { side: 1280, most: 2000, contrast: 20, finest: 1 };
/** Of a query at half its size. */
export const HALF_QUERY_SEARCH: SearchSettings = { ...QUERY_SEARCH, most: 800 };

/** Of a query that is shortened. */
export const SHORT_QUERY_SEARCH: SearchSettings = { ...QUERY_SEARCH, most: 500 };

export interface FeaturesKernel
  extends KernelMemory<"CANDIDATES" | "SELECTED" | "FEATURES" | "RAW" | "CODES" | "PROJECTION" | "BIASES"> {
  begin(width: number, height: number): number;
  startDetection(contrast: number): void;
  detectPart(): number;
  describe(start: number, end: number, most: number): number;
}

const CODE_BYTES = BITS / 8;
const FRAME_FIELDS = 4;
/** 32-bit fields of a feature and of a candidate in the kernel's memory. */
const [FEATURE_FIELDS, CANDIDATE_FIELDS] = [6, 8];
const MOST_CANDIDATES = 32_768;
/** Slices take 1 to 3 ms: a turn of the event loop costs up to half a millisecond, too. */
const DESCRIBED_PER_SLICE = 150;

/** One picture at a time: the kernel keeps it between slices. */
export class FeatureFinder {
  readonly kernel = instantiate<FeaturesKernel>(featuresKernel);
  readonly #turn = new Semaphore(1);

  constructor({ weights, biases }: Projections) {
    const { buffer } = this.kernel.memory;
    new Int8Array(buffer, this.kernel.PROJECTION.value, BITS * VALUES).set(weights);
    new Int32Array(buffer, this.kernel.BIASES.value, BITS).set(biases);
  }

  find(picture: GreyPicture, search: SearchSettings): Promise<Features> {
    return this.#turn.run(() => this.#search(picture, search));
  }

  async #search(
    { data, width, height }: GreyPicture,
    { most, contrast, finest }: SearchSettings,
  ): Promise<Features> {
    const { kernel } = this;
    const at = kernel.begin(width, height);
    new Uint8Array(kernel.memory.buffer).set(data, at);
    kernel.startDetection(contrast);
    let found = -1;
    while (found < 0) {
      await yieldToEventLoop();
      found = kernel.detectPart();
    }
    await yieldToEventLoop();
    const selected = this.#select(found, width, height, most, finest);
    new Int32Array(kernel.memory.buffer, kernel.SELECTED.value, selected.length).set(selected);
    for (let start = 0; start < selected.length; start += DESCRIBED_PER_SLICE) {
      kernel.describe(start, Math.min(start + DESCRIBED_PER_SLICE, selected.length), most);
      await yieldToEventLoop();
    }
    const count = kernel.describe(selected.length, selected.length, most);
    return this.#copy(count, width, height);
  }

  /** The strongest candidates: half of them spread over the picture, the rest wherever they are. */
  #select(found: number, width: number, height: number, most: number, finest: number): Int32Array {
    const { buffer } = this.kernel.memory;
    const values = new Float32Array(buffer, this.kernel.CANDIDATES.value, found * CANDIDATE_FIELDS);
    const fields = new Int32Array(buffer, this.kernel.CANDIDATES.value, found * CANDIDATE_FIELDS);
    // Bits of positive numbers have the numbers' order. Sorting numbers is many times faster than by a function.
    const keys = new Float64Array(found);
    for (let index = 0; index < found; index++)
      keys[index] = (fields[index * CANDIDATE_FIELDS + 3] ?? 0) * MOST_CANDIDATES + found - 1 - index;
    keys.sort();
    const side = Math.max(width, height) / GRID;
    const columns = Math.ceil(width / side);
    const cells = columns * Math.ceil(height / side);
    const quota = Math.ceil((most * SPREAD) / cells);
    const inCell = new Uint16Array(cells);
    const [spread, others]: [number[], number[]] = [[], []];
    for (let rank = found - 1; rank >= 0; rank--) {
      const index = found - 1 - ((keys[rank] ?? 0) % MOST_CANDIDATES);
      const at = index * CANDIDATE_FIELDS;
      const cell = Math.floor((values[at] ?? 0) / side) + columns * Math.floor((values[at + 1] ?? 0) / side);
      const before = inCell[cell] ?? 0;
      inCell[cell] = before + 1;
      (before < quota ? spread : others).push(index);
    }
    let smallest = 0;
    const isKept = (index: number) =>
      fields[index * CANDIDATE_FIELDS + 4] !== 0 || ++smallest <= most * finest;
    return Int32Array.from([...spread, ...others].filter(isKept).slice(0, most));
  }

  /** Copies the features from the kernel's memory, dark ones first. */
  #copy(count: number, width: number, height: number): Features {
    const { kernel } = this;
    const { buffer } = kernel.memory;
    const fields = new Float32Array(buffer, kernel.FEATURES.value, count * FEATURE_FIELDS);
    const signs = new Int32Array(buffer, kernel.FEATURES.value, count * FEATURE_FIELDS);
    const given = new Uint8Array(buffer, kernel.CODES.value, count * CODE_BYTES);
    const frames = new Uint16Array(count * FRAME_FIELDS);
    const codes = new Uint8Array(count * CODE_BYTES);
    let [copied, dark] = [0, 0];
    for (const sign of [1, 0])
      for (let place = 0; place < count; place++) {
        const from = place * FEATURE_FIELDS;
        if (signs[from + 4] !== sign) continue;
        codes.set(given.subarray(place * CODE_BYTES, (place + 1) * CODE_BYTES), copied * CODE_BYTES);
        const to = copied++ * FRAME_FIELDS;
        dark += sign;
        frames[to] = Math.round((fields[from] ?? 0) * PLACES);
        frames[to + 1] = Math.round((fields[from + 1] ?? 0) * PLACES);
        frames[to + 2] = Math.round((fields[from + 2] ?? 0) * 128);
        frames[to + 3] = Math.round(((fields[from + 3] ?? 0) / (2 * Math.PI)) * 65536);
      }
    return { width, height, count, dark, frames, codes };
  }
}

/** Cells along the longer side of a picture, and the part of its features that is spread over them. */
const [GRID, SPREAD] = [8, 0.5];
