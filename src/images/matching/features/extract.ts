import { Semaphore, yieldToEventLoop } from "../../../emulator/scheduling.ts";
import { featuresKernel } from "../../kernels/compiled.ts";
import { instantiate, type KernelMemory } from "../../kernels/instantiate.ts";
import { BITS, VALUES } from "./projections.ts";

/** The local features of a picture, those that are dark on light ground first. */
export interface Features {
  /** Size, in pixels, of the picture as it was searched. */
  readonly width: number;
  readonly height: number;
  readonly count: number;
  /** How many are dark on light ground; the others are light on dark. */
  readonly dark: number;
  /** Of each: x and y in 1/64 pixel, size in 1/128 pixel, direction in 1/65536 turn. */
  readonly frames: Uint16Array;
  /** Of each: 32 bytes. Similar features have codes that differ in few bits. */
  readonly codes: Uint8Array;
}

/** Where a feature is, in pixels. */
export const placeOf = (frames: Uint16Array, index: number): readonly number[] =>
  Array.from(frames.subarray(index * FRAME_FIELDS, index * FRAME_FIELDS + 2), (value) => value / 64);

/** A picture to search for features. */
export interface GreyPicture {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** How a picture is searched. */
export interface Search {
  /** Length of the longer side, in pixels, to which larger pictures are scaled. */
  readonly side: number;
  readonly most: number;
  /** Least contrast, in 1/64 of a grey level. */
  readonly contrast: number;
  /** The part of the features that the smallest ones may be. */
  readonly finest: number;
}

export const TARGET_SEARCH: Search = { side: 640, most: 384, contrast: 30, finest: 0.7 };
export const QUERY_SEARCH: Search = { side: 800, most: 1500, contrast: 20, finest: 1 };

export interface FeaturesKernel extends KernelMemory {
  begin(width: number, height: number): number;
  startDetection(contrast: number): void;
  detectPart(): number;
  describe(start: number, end: number, most: number): number;
  candidatesAt(): number;
  selectedAt(): number;
  featuresAt(): number;
  rawAt(): number;
  codesAt(): number;
  projectionAt(): number;
  biasesAt(): number;
}

/** What signs of a feature's values make its code. */
export interface Projections {
  readonly weights: Int8Array;
  readonly biases: Int32Array;
}

export const CODE_BYTES = BITS / 8;
const FRAME_FIELDS = 4;
/** 32-bit fields of a feature and of a candidate in the kernel's memory. */
const [FEATURE_FIELDS, CANDIDATE_FIELDS] = [6, 8];
/** Slices take 1 to 3 ms: a turn of the event loop costs up to half a millisecond, too. */
const DESCRIBED_PER_SLICE = 150;
/** Parts of the detection in an octave, which takes a quarter of the time of the one before. */
const OCTAVE_PARTS = 8;
const beginsSlice = (part: number): boolean =>
  part < OCTAVE_PARTS ? part % 2 === 0 : part === OCTAVE_PARTS || part === 2 * OCTAVE_PARTS;

/** Finds the features of pictures, one picture at a time: the kernel keeps the picture between slices. */
export class FeatureFinder {
  readonly kernel = instantiate<FeaturesKernel>(featuresKernel);
  readonly #turn = new Semaphore(1);

  constructor({ weights, biases }: Projections) {
    const { buffer } = this.kernel.memory;
    new Int8Array(buffer, this.kernel.projectionAt(), BITS * VALUES).set(weights);
    new Int32Array(buffer, this.kernel.biasesAt(), BITS).set(biases);
  }

  /**
   * Finds the features of a grey picture.
   * @param read called before the kernel takes the next picture, with the place of each feature in its memory
   */
  find(
    { data, width, height }: GreyPicture,
    { most, contrast, finest }: Search,
    read: (places: readonly number[]) => void = () => {},
  ): Promise<Features> {
    return this.#turn.run(async () => {
      const { kernel } = this;
      const at = kernel.begin(width, height);
      new Uint8Array(kernel.memory.buffer).set(data, at);
      kernel.startDetection(contrast);
      let found = -1;
      for (let part = 0; found < 0; part++) {
        if (beginsSlice(part)) await yieldToEventLoop();
        found = kernel.detectPart();
      }
      await yieldToEventLoop();
      const selected = this.#select(found, width, height, most, finest);
      new Int32Array(kernel.memory.buffer, kernel.selectedAt(), selected.length).set(selected);
      for (let start = 0; start < selected.length; start += DESCRIBED_PER_SLICE) {
        kernel.describe(start, Math.min(start + DESCRIBED_PER_SLICE, selected.length), most);
        await yieldToEventLoop();
      }
      const count = kernel.describe(selected.length, selected.length, most);
      const places = this.#darkFirst(count);
      read(places);
      return this.#copy(places, width, height);
    });
  }

  /** The strongest candidates: half of them spread over the picture, the rest wherever they are. */
  #select(found: number, width: number, height: number, most: number, finest: number): readonly number[] {
    const values = new Float32Array(
      this.kernel.memory.buffer,
      this.kernel.candidatesAt(),
      found * CANDIDATE_FIELDS,
    );
    const octaves = new Int32Array(
      this.kernel.memory.buffer,
      this.kernel.candidatesAt(),
      found * CANDIDATE_FIELDS,
    );
    const strengths = Array.from({ length: found }, (_, index) => values[index * CANDIDATE_FIELDS + 3] ?? 0);
    const sorted = [...strengths.keys()].sort((a, b) => (strengths[b] ?? 0) - (strengths[a] ?? 0) || a - b);
    const side = Math.max(width, height) / GRID;
    const columns = Math.ceil(width / side);
    const quota = Math.ceil((most * SPREAD) / (columns * Math.ceil(height / side)));
    const inCell = new Map<number, number>();
    const taken = new Set<number>();
    const selected: number[] = [];
    let smallest = 0;
    const take = (index: number) => {
      taken.add(index);
      if (octaves[index * CANDIDATE_FIELDS + 4] === 0) {
        smallest += 1;
        if (smallest > most * finest) return;
      }
      selected.push(index);
    };
    const cellOf = (index: number) =>
      Math.floor((values[index * CANDIDATE_FIELDS] ?? 0) / side) +
      columns * Math.floor((values[index * CANDIDATE_FIELDS + 1] ?? 0) / side);
    for (const index of sorted) {
      if (selected.length >= most) break;
      const cell = cellOf(index);
      const others = inCell.get(cell) ?? 0;
      if (others >= quota) continue;
      inCell.set(cell, others + 1);
      take(index);
    }
    for (const index of sorted) {
      if (selected.length >= most) break;
      if (!taken.has(index)) take(index);
    }
    return selected;
  }

  /** The places of the features in the kernel's memory, those that are dark on light ground first. */
  #darkFirst(count: number): readonly number[] {
    const fields = new Int32Array(
      this.kernel.memory.buffer,
      this.kernel.featuresAt(),
      count * FEATURE_FIELDS,
    );
    const places = Array.from({ length: count }, (_, place) => place);
    const isDark = (place: number) => fields[place * FEATURE_FIELDS + 4] === 1;
    return [...places.filter(isDark), ...places.filter((place) => !isDark(place))];
  }

  #copy(places: readonly number[], width: number, height: number): Features {
    const { kernel } = this;
    const { buffer } = kernel.memory;
    const count = places.length;
    const fields = new Float32Array(buffer, kernel.featuresAt(), count * FEATURE_FIELDS);
    const signs = new Int32Array(buffer, kernel.featuresAt(), count * FEATURE_FIELDS);
    const codes = new Uint8Array(buffer, kernel.codesAt(), count * CODE_BYTES);
    const features = {
      width,
      height,
      count,
      dark: places.filter((place) => signs[place * FEATURE_FIELDS + 4] === 1).length,
      frames: new Uint16Array(count * FRAME_FIELDS),
      codes: new Uint8Array(count * CODE_BYTES),
    };
    for (const [index, place] of places.entries()) {
      const [x = 0, y = 0, size = 0, angle = 0] = fields.subarray(place * FEATURE_FIELDS);
      const turn = Math.round((angle / (2 * Math.PI)) * 65536) & 0xffff;
      features.frames.set(
        [Math.round(x * 64), Math.round(y * 64), Math.round(size * 128), turn],
        index * FRAME_FIELDS,
      );
      features.codes.set(codes.subarray(place * CODE_BYTES, (place + 1) * CODE_BYTES), index * CODE_BYTES);
    }
    return features;
  }
}

/** Cells along the longer side of a picture, and the part of its features that is spread over them. */
const [GRID, SPREAD] = [8, 0.5];
