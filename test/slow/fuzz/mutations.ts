import type { Random } from "mock-cloud-reco";

/** A request on its way to a socket. */
export interface RawRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

const pick = <T>(random: Random, from: readonly T[], otherwise: T): T =>
  from[random.integer(from.length)] ?? otherwise;

const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"];
const PATH_PIECES = [
  "/",
  "//",
  "..",
  "%",
  "%2F",
  "%00",
  "%zz",
  "%ff",
  "?",
  "#",
  ".csv",
  "a".repeat(5000),
  "\u00e9",
  ";",
  ":",
];
const TEXTS = [
  "",
  " ",
  "\t",
  "x",
  "null",
  "-1",
  "1e999",
  "99999999999999999999",
  ",,,",
  ";q=",
  '"',
  '\\"'.repeat(500),
  "VWS ",
  "Bearer ",
  "Basic Og==",
  "multipart/form-data",
  "multipart/form-data; boundary=",
  "Sat, 21 Nov 2026 10:42:00 GMT",
  "\u00ff",
  "v".repeat(9000),
];
const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -0.5,
  1e300,
  "",
  "\ud800",
  "\u{1f600}".repeat(70),
  "=",
  "YQ==",
  "2026-13-45T99:99:99Z",
  [],
  [[]],
  {},
  { __proto__: 1, constructor: 2 },
  "n".repeat(70_000),
];

/** Changes one to four things. */
export function mutate(random: Random, request: RawRequest): RawRequest {
  let mutated = request;
  for (let left = 1 + random.integer(4); left > 0; left -= 1) mutated = mutateOnce(random, mutated);
  return mutated;
}

function mutateOnce(random: Random, request: RawRequest): RawRequest {
  const { target, headers, body } = request;
  switch (random.integer(8)) {
    case 0:
      return { ...request, method: pick(random, METHODS, "GET") };
    case 1:
      return { ...request, target: splice(random, target, pick(random, PATH_PIECES, "/")) };
    case 2:
      return { ...request, headers: headers.filter((_, index) => index !== at(random, headers)) };
    case 3:
      return { ...request, headers: [...headers, ...headers.slice(at(random, headers)).slice(0, 1)] };
    case 4: {
      const index = at(random, headers);
      const value = pick(random, TEXTS, "");
      return {
        ...request,
        headers: headers.map(([name, old], place) => [name, place === index ? value : old]),
      };
    }
    case 5: {
      const index = at(random, headers);
      const changed = (old: string) => splice(random, old, pick(random, TEXTS, ""));
      return {
        ...request,
        headers: headers.map(([name, old], place) => [name, place === index ? changed(old) : old]),
      };
    }
    case 6:
      return { ...request, body: mutateBytes(random, body) };
    default:
      return { ...request, body: mutateJson(random, body) };
  }
}

const at = (random: Random, list: { readonly length: number }): number =>
  random.integer(Math.max(1, list.length));

function splice(random: Random, text: string, piece: string): string {
  const place = random.integer(text.length + 1);
  return text.slice(0, place) + piece + text.slice(place + random.integer(3));
}

/** Flips, cuts, repeats or inserts bytes. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  if (bytes.length === 0) return random.bytes(random.integer(50));
  const place = at(random, bytes);
  const copy = Buffer.from(bytes);
  switch (random.integer(4)) {
    case 0:
      for (let left = 1 + random.integer(8); left > 0; left -= 1)
        copy[at(random, copy)] = random.integer(256);
      return copy;
    case 1:
      return copy.subarray(0, place);
    case 2:
      return Buffer.concat([copy.subarray(0, place), random.bytes(random.integer(40)), copy.subarray(place)]);
    default:
      return Buffer.concat([copy, copy.subarray(place)]);
  }
}

/** Changes one value of a JSON document, wherever it is; other bytes become nested brackets. */
function mutateJson(random: Random, bytes: Buffer): Buffer {
  try {
    return Buffer.from(JSON.stringify(mutateValue(random, JSON.parse(bytes.toString()))));
  } catch {
    return Buffer.from("[".repeat(1 + random.integer(random.integer(20) === 0 ? 100_000 : 200)));
  }
}

export function mutateValue(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random.integer(8) === 0)
    return pick(random, VALUES, null);
  const keys = Object.keys(value);
  if (keys.length === 0) return pick(random, VALUES, null);
  const key = pick(random, keys, "");
  if (Array.isArray(value)) {
    const copy: unknown[] = [...value];
    const index = Number(key);
    if (random.integer(4) === 0) copy.push(copy[index]);
    else copy[index] = mutateValue(random, copy[index]);
    return copy;
  }
  const entries = Object.entries(value);
  if (random.integer(6) === 0) return Object.fromEntries(entries.filter(([name]) => name !== key));
  if (random.integer(6) === 0) return { ...value, [`${key}s`]: pick(random, VALUES, null) };
  return Object.fromEntries(
    entries.map(([name, old]) => [name, name === key ? mutateValue(random, old) : old]),
  );
}

const FRAGMENTS = [
  "GET /targets HTTP/1.1\r\n",
  "POST /v1/query HTTP/1.1\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "Host: x\r\n",
  "Content-Length: 10\r\n",
  "Content-Length: -1\r\n",
  "Content-Length: 18446744073709551616\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: gzip, chunked\r\n",
  "Expect: 100-continue\r\n",
  "Connection: upgrade\r\nUpgrade: websocket\r\n",
  "\r\n",
  "\n",
  "ffffffffffffffff\r\n",
  "0\r\n\r\n",
  "5;x=y\r\nhello\r\n",
  " folded: line\r\n",
  ": no name\r\n",
  "A: \u0000\r\n",
  "\u0016\u0003\u0001\u0002\u0000\u0001\u0000",
];

/** Bytes that look somewhat like HTTP, or like nothing. */
export function rawMessage(random: Random): Buffer {
  const kind = random.integer(5);
  if (kind === 0) return random.bytes(1 + random.integer(2000));
  // Also a whole head and what follows it: without one, nearly all messages are refused for their first line.
  const head = kind === 1 ? "GET /summary HTTP/1.1\r\nHost: localhost\r\n\r\n" : "";
  const pieces = Array.from({ length: 1 + random.integer(12) }, () => pick(random, FRAGMENTS, ""));
  return Buffer.from(head + pieces.join(""), "latin1");
}
