import { asciiJson } from "../general/text.ts";
import { Base64Text } from "../schema/base64.ts";
import type { BodyStream } from "./message.ts";
import { systemRandom } from "./random.ts";

/** A longer body is sent in chunks. */
const MOST_AT_ONCE = 2 ** 20;
/** Encoded at a time; a multiple of 3, so that the parts of the base64 need no padding. */
const BYTES_PER_CHUNK = 192 * 1024;

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
      const base64 = found[index];
      for (let start = 0; base64 && start < base64.bytes.length; start += BYTES_PER_CHUNK)
        yield base64.slice(start, start + BYTES_PER_CHUNK);
    }
  };
  return length <= MOST_AT_ONCE ? Buffer.concat([...chunks()]) : { length, chunks };
}
