import type * as z from "zod/mini";
import { snapshot } from "../schema/snapshot.ts";
import { defOf } from "../schema/zod/values.ts";

/** Longer elements take no more time, for their length, than those of a valid snapshot. */
const LONGEST_CHECKED = 256;

/** What a value may be; undefined below a key that no record has, `any` below an object that is stored as it is. */
type Expected = z.core.$ZodType | "any" | undefined;

/** An object or list that has begun. */
interface Begun {
  readonly isList: boolean;
  /** Of the object's latest key, or of the list's elements. */
  inside: Expected;
  readonly own: Expected;
  readonly start: number;
}

/**
 * Follows the lists in a snapshot's JSON while it arrives, to leave out what follows a wrong element: checking millions of small ones
 * would take minutes, in one turn of the event loop. The wrong element stays, so that the snapshot is refused for it.
 */
export class SnapshotLists {
  /** Whether the bytes from here on are left out. */
  isDropping = false;
  private readonly begun: Begun[] = [];
  /** The depth of a list whose latest element is wrong. */
  private wrongAt: number | undefined;
  private earlier: Buffer = Buffer.alloc(0);
  private chunk: Buffer = Buffer.alloc(0);
  /** Bytes before the chunk. */
  private before = 0;

  /** The following positions are in this chunk. */
  next(chunk: Buffer): void {
    this.before += this.chunk.length;
    const ends = [this.earlier, this.chunk].map((bytes) => bytes.subarray(-LONGEST_CHECKED));
    this.earlier = Buffer.concat(ends).subarray(-LONGEST_CHECKED);
    this.chunk = chunk;
  }

  get depth(): number {
    return this.begun.length;
  }

  get isInObject(): boolean {
    return this.begun.at(-1)?.isList === false;
  }

  /** @param name - as it is written, with escapes. */
  key(name: string): void {
    const latest = this.begun.at(-1);
    if (latest !== undefined && !this.isDropping)
      latest.inside = name.includes("\\") ? "any" : fieldOf(latest.own, name);
  }

  begin(isList: boolean, at: number): void {
    const outside = this.begun.at(-1);
    const own = outside === undefined ? snapshot : outside.inside;
    const inside = isList && !this.isDropping ? elementOf(own) : undefined;
    this.begun.push({ isList, own, inside, start: this.before + at });
  }

  end(at: number): void {
    if (this.wrongAt === this.depth) {
      this.wrongAt = undefined;
      this.isDropping = false;
    }
    const ended = this.begun.pop();
    if (ended === undefined || this.isDropping || this.begun.at(-1)?.isList !== true) return;
    const text = this.textFrom(ended.start, at);
    if (text !== undefined && !accepts(ended.own, text)) this.wrongAt = this.depth;
  }

  comma(): void {
    if (this.wrongAt === this.depth) this.isDropping = true;
  }

  /** A number, text or other simple value begins with this byte. */
  simple(byte: number): void {
    const list = this.begun.at(-1);
    if (list?.isList === true && !this.isDropping && !beginsAs(list.inside, byte)) this.wrongAt = this.depth;
  }

  /** Undefined if it is too long. */
  private textFrom(start: number, at: number): string | undefined {
    const from = start - this.before;
    if (at + 1 - from > LONGEST_CHECKED) return undefined;
    const earlier = from < 0 ? this.earlier.subarray(from) : Buffer.alloc(0);
    return Buffer.concat([earlier, this.chunk.subarray(Math.max(0, from), at + 1)]).toString();
  }
}

/** A lazy schema makes another one each time that it is asked. */
const made = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

/** The schema behind lazy ones. */
function plain(schema: Expected): Expected {
  if (schema === undefined || schema === "any") return schema;
  const def = defOf(schema);
  if (def.type === "readonly" || def.type === "optional") return plain(def.innerType);
  if (def.type !== "lazy") return schema;
  const inner = made.get(schema) ?? def.getter();
  made.set(schema, inner);
  return plain(inner);
}

function fieldOf(schema: Expected, name: string): Expected {
  const object = plain(schema);
  if (object === undefined || object === "any") return object;
  const def = defOf(object);
  if (def.type === "object") return Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
  return def.type === "array" || isSimple(def.type) ? undefined : "any";
}

function elementOf(schema: Expected): Expected {
  const list = plain(schema);
  if (list === undefined || list === "any") return list;
  const def = defOf(list);
  if (def.type === "array") return def.element;
  return def.type === "object" || def.type === "record" || isSimple(def.type) ? undefined : "any";
}

const isSimple = (type: string): boolean => ["string", "number", "boolean", "literal", "enum"].includes(type);

function accepts(schema: Expected, text: string): boolean {
  if (schema === undefined || schema === "any") return schema === "any";
  try {
    return (schema as z.ZodMiniType).safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

const QUOTE = 0x22;
/** `[-0-9]`. */
const isDigit = (byte: number): boolean => byte === 0x2d || (byte >= 0x30 && byte <= 0x39);

function beginsAs(expected: Expected, byte: number): boolean {
  const schema = plain(expected);
  if (schema === undefined || schema === "any") return schema === "any";
  const { type } = defOf(schema);
  if (type === "object" || type === "array") return false;
  if (type === "number") return isDigit(byte);
  return type !== "string" || byte === QUOTE;
}
