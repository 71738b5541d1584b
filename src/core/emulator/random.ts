import { createHash, randomFillSync } from "node:crypto";

/** The source of all ids, keys, random ratings and placeholders. */
export interface Random {
  /** `digits` lower-case hexadecimal digits. */
  hex(digits: number): string;
  /** An integer from 0 to `bound - 1`. */
  integer(bound: number): number;
  /** `length` characters, each chosen from `alphabet`. */
  text(length: number, alphabet: string): string;
  /** `length` random bytes. */
  bytes(length: number): Buffer;
}

const BLOCK_BYTES = 4096;

/** What is hashed with each counter. */
export const seedText = (seed: string | number): string => `mock-cloud-reco:${seed}:`;

/** SHA-256 in counter mode: the same seed gives the same bytes on every machine. */
function seededBlocks(seed: string | number): () => Buffer {
  const text = seedText(seed);
  let counter = 0;
  return () => {
    const block = createHash("sha256").update(`${text}${counter}`).digest();
    counter += 1;
    return block;
  };
}

/** Draws ids until one is free: with the same seed, a state from an earlier run already has the first ones. */
export function unusedId(random: Random, isTaken: (id: string) => boolean): string {
  for (;;) {
    const id = random.hex(32);
    if (!isTaken(id)) return id;
  }
}

/** @param seed - gives the same sequence on every machine. Default: the system's randomness. */
export function createRandom(seed?: string | number): Random {
  const nextBlock = seed === undefined ? () => randomFillSync(Buffer.alloc(BLOCK_BYTES)) : seededBlocks(seed);
  let block: Buffer = Buffer.alloc(0);
  let used = 0;

  const bytes = (length: number): Buffer => {
    const generated = Buffer.alloc(length);
    for (let filled = 0; filled < length; ) {
      if (used === block.length) {
        block = nextBlock();
        used = 0;
      }
      const taken = block.copy(generated, filled, used, Math.min(block.length, used + length - filled));
      filled += taken;
      used += taken;
    }
    return generated;
  };
  const integer = (bound: number): number => Math.floor((bytes(6).readUIntBE(0, 6) / 2 ** 48) * bound);

  return {
    bytes,
    integer,
    hex: (digits) => {
      const length = Math.ceil(digits / 2);
      const end = used + length;
      if (end > block.length) return bytes(length).toString("hex").slice(0, digits);
      const text = block.toString("hex", used, end);
      used = end;
      return text.slice(0, digits);
    },
    text: (length, alphabet) =>
      Array.from({ length }, () => alphabet.charAt(integer(alphabet.length))).join(""),
  };
}

/** For values that must be unique or unguessable, whatever the seed. */
export const systemRandom: Random = createRandom();
