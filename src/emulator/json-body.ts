import { Base64Text } from "../schema/base64.ts";
import type { BodyStream } from "./message.ts";
import { systemRandom } from "./random.ts";
import { finish, inTurns, type Steps } from "./scheduling.ts";
import { asciiJson } from "./text.ts";

/** A longer body is sent in chunks. */
const MOST_AT_ONCE = 2 ** 20;
/** Encoded at a time; a multiple of 3, so that the parts of the base64 need no padding. */
const BYTES_PER_CHUNK = 192 * 1024;
/** How many values are written before other work may run. */
const VALUES_PER_STEP = 100;
/** How deep the lists of a large value are: a target is the fourth level of a snapshot. */
const LEVELS_OF_LISTS = 4;

/** A value as compact JSON in ASCII, in which every {@link Base64Text} is a string. Large JSON is a stream. */
export const jsonBody = (value: unknown): Buffer | BodyStream => finish(bodySteps(value, 0));

/** Like {@link jsonBody}, but lets other work run in between. */
export const largeJsonBody = (value: unknown): Promise<Buffer | BodyStream> =>
  inTurns(bodySteps(value, LEVELS_OF_LISTS));

function* bodySteps(value: unknown, levels: number): Steps<Buffer | BodyStream> {
  const parts: (string | Base64Text)[] = [];
  const length = yield* new JsonWriter(parts).steps(value, levels);
  const chunks = function* (): Generator<Buffer> {
    for (const part of parts) {
      if (typeof part === "string") yield Buffer.from(part, "latin1");
      else
        for (let start = 0; start < part.bytes.length; start += BYTES_PER_CHUNK)
          yield part.slice(start, start + BYTES_PER_CHUNK);
    }
  };
  return length <= MOST_AT_ONCE ? Buffer.concat([...chunks()]) : { length, chunks };
}

/** Writes JSON as texts of at most about a megabyte, and the base64 between them. */
class JsonWriter {
  /** Unguessable, so that no other text can be mistaken for it. */
  private readonly mark = systemRandom.hex(32);
  private found: Base64Text[] = [];
  private text = "";
  private length = 0;
  private written = 0;

  constructor(private readonly parts: (string | Base64Text)[]) {}

  /** @returns the number of characters. */
  *steps(value: unknown, levels: number): Steps<number> {
    yield* this.write(value, levels);
    this.flush();
    return this.length;
  }

  private *write(value: unknown, levels: number): Steps<void> {
    this.written += 1;
    if (this.written % VALUES_PER_STEP === 0) yield;
    if (levels > 0 && Array.isArray(value)) {
      for (const [index, each] of value.entries()) {
        this.add(index === 0 ? "[" : ",");
        yield* this.write(each ?? null, levels - 1);
      }
      this.add(value.length === 0 ? "[]" : "]");
    } else if (levels > 0 && isPlain(value)) {
      const given = Object.entries(value).filter(([, each]) => each !== undefined);
      for (const [index, [name, each]] of given.entries()) {
        this.add(`${index === 0 ? "{" : ","}${asciiJson(name)}:`);
        yield* this.write(each, levels - 1);
      }
      this.add(given.length === 0 ? "{}" : "}");
    } else this.addJson(value);
  }

  private addJson(value: unknown): void {
    const json = asciiJson(value, (_key, inner: unknown) => {
      if (!(inner instanceof Base64Text)) return inner;
      this.found.push(inner);
      return this.mark;
    });
    if (this.found.length === 0) {
      this.add(json);
      return;
    }
    const between = json.split(this.mark);
    for (const [index, part] of between.entries()) {
      this.add(part);
      const text = this.found[index];
      if (text === undefined) continue;
      this.flush();
      this.parts.push(text);
      this.length += text.length;
    }
    this.found = [];
  }

  private add(json: string): void {
    this.text += json;
    if (this.text.length > MOST_AT_ONCE) this.flush();
  }

  private flush(): void {
    for (let start = 0; start < this.text.length; start += MOST_AT_ONCE)
      this.parts.push(this.text.slice(start, start + MOST_AT_ONCE));
    this.length += this.text.length;
    this.text = "";
  }
}

/** Whether JSON writes an object by its own fields alone. */
const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" &&
  value !== null &&
  !(value instanceof Base64Text) &&
  !("toJSON" in value && typeof value.toJSON === "function");
