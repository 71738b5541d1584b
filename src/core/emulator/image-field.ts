import { isJsonObject, type ParsedJson, parseJson } from "../general/json.ts";
import { decodeBase64Bytes } from "../schema/base64.ts";

/** Texts of more bytes get memory of their own from the system, which takes longer than to parse them. */
const LONG = 2 ** 16;
const KEY = Buffer.from('"image"');
const COLON = /^\s*:\s*"/;
const MOST_SPACE = 64;

/** A body with a long base64 `image`. */
export interface WithImage {
  /** Its `image` becomes text when it is read. */
  readonly json: ParsedJson;
  readonly image: Buffer;
}

/**
 * Parses a JSON object whose `image` is long and regular base64, without a text of it: clients send megabytes. Undefined for any
 * other body.
 */
export function parseWithImage(body: Buffer, most: number | undefined): WithImage | undefined {
  const place = body.length > LONG ? placeOfImage(body) : undefined;
  if (place === undefined) return undefined;
  const [start, end] = place;
  const rest = Buffer.concat([body.subarray(0, start), body.subarray(end)]);
  // An escaped name may be `image` too.
  if (rest.includes("\\")) return undefined;
  const json = parseJson(rest, most);
  const { value } = { value: undefined, ...json };
  if (!isJsonObject(value) || !Object.hasOwn(value, "image") || value.image !== "") return undefined;
  const image = decodeBase64Bytes(body.subarray(start, end));
  if (image === undefined) return undefined;
  const get = () => body.toString("latin1", start, end);
  return { json: { value: Object.defineProperty(value, "image", { get }) }, image };
}

/** Where the text of the only `image` begins and ends. */
function placeOfImage(body: Buffer): readonly [number, number] | undefined {
  const key = body.indexOf(KEY);
  const from = key + KEY.length;
  if (key === -1 || body.includes(KEY, from)) return undefined;
  const colon = COLON.exec(body.toString("latin1", from, from + MOST_SPACE))?.[0];
  if (colon === undefined) return undefined;
  const start = from + colon.length;
  const end = body.indexOf('"', start);
  return end - start > LONG ? [start, end] : undefined;
}
