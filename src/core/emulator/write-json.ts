import { isJsonObject } from "../general/json.ts";
import { asciiJson } from "../general/text.ts";
import { Base64Text } from "../schema/base64.ts";
import type { BodyStream } from "./message.ts";
import { systemRandom } from "./random.ts";

/** A longer body is sent in chunks. */
const MOST_AT_ONCE = 2 ** 20;
/** Encoded at a time. Larger texts would take fresh memory each, which costs several times as much as encoding them. */
const BYTES_PER_CHUNK = 48 * 1024;

/** Writes compact ASCII JSON; each {@link Base64Text} becomes a string. Large JSON is a stream. */
export function writeJson(value: unknown): Buffer | BodyStream {
  // Unguessable, so that no other text can be mistaken for it.
  const mark = systemRandom.hex(32);
  const found: Base64Text[] = [];
  const json = asciiJson(value, (_key, inner: unknown) => {
    if (!(inner instanceof Base64Text)) return inner;
    found.push(inner);
    return mark;
  });
  const between = found.length === 0 ? [json] : json.split(mark);
  const length =
    json.length - found.length * mark.length + found.reduce((sum, { length }) => sum + length, 0);
  const chunks = function* (): Generator<Buffer> {
    for (const [index, text] of between.entries()) {
      for (let start = 0; start < text.length; start += MOST_AT_ONCE)
        yield Buffer.from(text.slice(start, start + MOST_AT_ONCE), "latin1");
      for (const part of found[index]?.parts(BYTES_PER_CHUNK) ?? []) yield Buffer.from(part, "latin1");
    }
  };
  return length <= MOST_AT_ONCE ? Buffer.concat([...chunks()]) : { length, chunks };
}

/**
 * The same JSON as text, in parts of a record each, which are made while they are taken: where it is written several times a second,
 * one large text would make the process grow.
 */
export function* jsonParts(value: unknown): Generator<string> {
  if (value instanceof Base64Text) {
    yield '"';
    yield* value.parts(BYTES_PER_CHUNK);
    yield '"';
  } else if (Array.isArray(value)) {
    yield* enclosed("[", value, "]", jsonParts);
  } else if (isJsonObject(value) && Object.values(value).some(isNested)) {
    const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
    yield* enclosed("{", fields, "}", function* ([name, inner]) {
      yield `${asciiJson(name)}:`;
      yield* jsonParts(inner);
    });
  } else yield asciiJson(value);
}

const isNested = (value: unknown): boolean => typeof value === "object" && value !== null;

function* enclosed<Item>(
  start: string,
  items: readonly Item[],
  end: string,
  partsOf: (item: Item) => Iterable<string>,
): Generator<string> {
  yield start;
  for (const [index, item] of items.entries()) {
    if (index > 0) yield ",";
    yield* partsOf(item);
  }
  yield end;
}
