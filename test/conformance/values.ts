import { makePng, makeUpsideDownPng, pngChunk } from "../support/png.ts";
import type { Situation } from "./engine/fact.ts";

/** Returns what a placeholder stands for. */
export type Lookup = (name: string) => string;

/** `{target_id}`, `{month-1}`, `{added.uuid}`: braces in JSON never look like this. */
const PLACEHOLDER = /\{([a-z][a-z_.]*(?:[+-]\d+)?)\}/g;

export const filled = (text: string, lookup: Lookup): string =>
  text.replaceAll(PLACEHOLDER, (_, name: string) => lookup(name));

/** Small noise: an accepted image whose processing succeeds. */
export const acceptedImage = (): string => makePng().toString("base64");

/** A model that both families of datasets and both profiles accept. */
const RIGHT_MODEL = { name: "engine", cadDataUrl: "https://cad.example/engine.glb", views: [] };

const monthOf = (now: Date, later: number): string =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + later)).toISOString().slice(0, 7);

/** Returns the values of a situation, and those that a row defines itself. */
export function lookupIn(at: Situation, own: Readonly<Record<string, unknown>> = {}): Lookup {
  const [weekday = "", day = "", month = "", year = "", time = ""] = at.now
    .toUTCString()
    .replace(",", "")
    .split(" ");
  const values: Readonly<Record<string, () => string | undefined>> = {
    key: () => at.keys.serverAccessKey,
    client_key: () => at.keys.clientAccessKey,
    database_id: () => at.keys.databaseId,
    oauth_id: () => at.keys.modelTargetClientId,
    oauth_secret: () => at.keys.modelTargetClientSecret,
    username: () => at.keys.modelTargetUsername,
    password: () => at.keys.modelTargetPassword,
    target_id: () => at.targetId,
    target_id_encoded: () => `%${at.targetId.charCodeAt(0).toString(16)}${at.targetId.slice(1)}`,
    target_name: () => at.targetName,
    new_name: () => at.newName,
    prefix: () => at.named(""),
    token: () => at.token,
    image: acceptedImage,
    weekday: () => weekday,
    day: () => day,
    month_name: () => month,
    year: () => year,
    time: () => time,
    month_of_one_digit: () => monthOf(at.now, 0).replace("-0", "-").replace("-1", "-"),
  };
  const lookup: Lookup = (name) => {
    const [, later] = /^month([+-]\d+)?$/.exec(name) ?? [name];
    if (name.startsWith("month") && !(name in values)) return monthOf(at.now, Number(later ?? 0));
    if (name.startsWith("added.")) return at.given(name.slice("added.".length));
    if (name in own) return String(made(own[name], lookup));
    const value = values[name];
    if (value === undefined) throw new Error(`no value {${name}}`);
    return value() ?? "";
  };
  return lookup;
}

interface PngOfRow {
  readonly width?: number;
  readonly height?: number;
  readonly depth?: number;
  readonly colourType?: number;
  /** The length of the file, which a text chunk fills. */
  readonly bytes?: number;
  /** Its pixels are upside down, and EXIF data says so: viewers show the PNG that it would be otherwise. */
  readonly turned?: boolean;
}

function pngOf({ bytes, turned, ...shape }: PngOfRow): Buffer {
  if (turned === true) return makeUpsideDownPng();
  if (bytes === undefined) return makePng(shape);
  const filler = Buffer.alloc(bytes - makePng(shape).length - pngChunk("tEXt").length, "A");
  return makePng({ ...shape, before: [pngChunk("tEXt", filler)] });
}

const bytesOf = (value: unknown): Buffer => (Buffer.isBuffer(value) ? value : Buffer.from(String(value)));

type Maker = (content: never, lookup: Lookup) => unknown;
/** What the keys that begin with `$` mean; README.md describes them. */
const MAKERS: Readonly<Record<string, Maker>> = {
  $png: (shape: PngOfRow) => pngOf(shape),
  $hex: (digits: string) => Buffer.from(digits, "hex"),
  $base64: (content: unknown, lookup) => bytesOf(made(content, lookup)).toString("base64"),
  $repeat: ([part, times]: readonly [string, number]) => part.repeat(times),
  $pad: ([start, filler, length]: readonly [unknown, string, number], lookup) => {
    const first = made(start, lookup);
    if (Buffer.isBuffer(first)) return Buffer.concat([first, Buffer.alloc(length - first.length, filler)]);
    const text = String(first);
    return text + filler.repeat(length - text.length);
  },
  $join: (parts: readonly unknown[], lookup) => parts.map((part) => String(made(part, lookup))).join(""),
  $lines: ([text, length, end]: readonly [string, number, string], lookup) =>
    filled(text, lookup).replaceAll(new RegExp(`.{${length}}(?!$)`, "g"), `$&${end}`),
  $form: (fields: Readonly<Record<string, string>>, lookup) =>
    new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [name, filled(value, lookup)]),
    ).toString(),
  $basic: (pair: readonly [unknown, unknown], lookup) =>
    `Basic ${Buffer.from(pair.map((part) => made(part, lookup)).join(":")).toString("base64")}`,
  $escaped: (text: string, lookup) => bytesOf(filled(text, lookup)).toString("hex").replace(/../g, "%$&"),
  $model: (changes: object, lookup) => ({ ...RIGHT_MODEL, ...Object(made(changes, lookup)) }),
};

/** Returns the text, bytes or JSON that a value of a row stands for. */
export function made(value: unknown, lookup: Lookup): unknown {
  if (typeof value === "string") return filled(value, lookup);
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map((one) => made(one, lookup));
  const { $without: left, ...rest } = value as Record<string, unknown>;
  const [first] = Object.entries(rest);
  if (first?.[0].startsWith("$") !== true)
    return Object.fromEntries(Object.entries(rest).map(([key, one]) => [key, made(one, lookup)]));
  const maker = MAKERS[first[0]];
  if (maker === undefined || Object.keys(rest).length > 1)
    throw new Error(`no value ${Object.keys(rest).join()}`);
  return without(maker(first[1] as never, lookup), left);
}

/** Returns an object without some of its keys. */
export const without = (value: unknown, keys: unknown): unknown =>
  Array.isArray(keys)
    ? Object.fromEntries(Object.entries(Object(value)).filter(([key]) => !keys.includes(key)))
    : value;
