/*
 * npx tsx test/slow/scripts/pictures-against.ts CHECKOUT: compares this package with a built checkout of another commit, on the same
 * 2,000 pairs of pictures and 2,000 damaged files. Fails when a score differs by more than 0.002, a verdict of another score than
 * one within 0.002 of the threshold, a rating by a bit, or a status.
 */
import { createRequire } from "node:module";
import { resolve } from "node:path";
import sharp, { type Sharp } from "sharp";
import { builtPackage } from "../../bench/built-package.ts";
import { generator, scenePixels } from "../../support/scenes.ts";

type Package = ReturnType<typeof builtPackage>;

const [checkout = "", count = "2000"] = process.argv.slice(2);
const PAIRS = Number(count);
const THRESHOLD = 0.6;
const MOST = 0.002;
const own = builtPackage();
const other: Package = createRequire(import.meta.url)(resolve(checkout, "dist/index.cjs"));

const random = generator(62);
const below = (limit: number) => Math.floor(random() * limit);
const pick = <T>(from: readonly [T, ...T[]]): T => from[below(from.length)] ?? from[0];

type Size = readonly number[];

/** Below the kernel's sides, on both sides of where a JPEG shrinks while it loads, and tall, wide and tiny ones. */
const SIZES: readonly [Size, ...Size[]] = [
  [320, 240],
  [240, 320],
  [256, 192],
  [200, 150],
  [640, 480],
  [1280, 960],
  [1024, 250],
  [180, 900],
  [48, 64],
  [500, 500],
  [515, 700],
  [1023, 255],
  [1600, 1200],
];

/** Half of them any: libvips' rounding decides for some sizes between two places. */
const anySize = (): Size => (random() < 0.5 ? pick(SIZES) : [8 + below(1100), 8 + below(1100)]);

const drawnAt = (seed: number, [width = 1, height = 1]: readonly number[]): Sharp =>
  sharp(scenePixels(seed, 320, 240), { raw: { width: 320, height: 240, channels: 3 } }).resize(
    width,
    height,
    {
      fit: "fill",
    },
  );

const ENCODED: readonly [(image: Sharp) => Sharp, ...((image: Sharp) => Sharp)[]] = [
  (image) => image.png({ compressionLevel: 1 }),
  (image) => image.jpeg({ quality: 85 }),
  (image) => image.jpeg({ quality: 60, progressive: true }),
  (image) => image.jpeg({ quality: 95, chromaSubsampling: "4:4:4" }),
  (image) => image.greyscale().jpeg({ quality: 80 }),
];

const ALTERED: readonly [(image: Sharp) => Sharp, ...((image: Sharp) => Sharp)[]] = [
  (image) => image.jpeg({ quality: 20 }),
  (image) => image.jpeg({ quality: 5 }),
  (image) => image.modulate({ brightness: 1.3 }).png(),
  (image) => image.modulate({ brightness: 0.7 }).jpeg(),
  (image) => image.blur(0.8).png(),
  (image) => image.blur(3).jpeg(),
];

/** A picture with itself, with an altered copy of any size, or with another one. */
async function pairOf(number: number): Promise<readonly [kind: string, a: Buffer, b: Buffer]> {
  const [first, second] = [anySize(), anySize()];
  const a = await pick(ENCODED)(drawnAt(number, first)).toBuffer();
  if (number % 3 === 0) return ["same", a, a];
  if (number % 3 === 1) return ["altered", a, await pick(ALTERED)(drawnAt(number, second)).toBuffer()];
  return ["other", a, await pick(ENCODED)(drawnAt(number + 100_000, second)).toBuffer()];
}

const BOUNDS = [0, 1e-6, 1e-5, 1e-4, 2e-4, 5e-4, 1e-3, MOST, Number.POSITIVE_INFINITY];
const histogram = BOUNDS.map(() => 0);
const failures: string[] = [];
const score = async ({ createStructuralSimilarityMatcher }: Package, a: Buffer, b: Buffer) =>
  Number(await createStructuralSimilarityMatcher({ threshold: -1 })(a, b));

let largest = 0;
for (let number = 0; number < PAIRS; number += 1) {
  const [kind, a, b] = await pairOf(number);
  const [now, before] = await Promise.all([score(own, a, b), score(other, a, b)]);
  const difference = Math.abs(now - before);
  largest = Math.max(largest, difference);
  const place = BOUNDS.findIndex((bound) => difference <= bound);
  histogram[place] = (histogram[place] ?? 0) + 1;
  const isNear = Math.abs(before - THRESHOLD) <= MOST;
  if (now > THRESHOLD !== before > THRESHOLD)
    console.log(`another verdict: pair ${number} (${kind}), ${before} before, ${now} now`);
  if (difference > MOST || (now > THRESHOLD !== before > THRESHOLD && !isNear))
    failures.push(`pair ${number} (${kind}): ${before} before, ${now} now`);
  const [rating, ratingBefore] = await Promise.all([own.brisqueRater(a), other.brisqueRater(a)]);
  if (rating !== ratingBefore)
    failures.push(`picture ${number}: rated ${ratingBefore} before, ${rating} now`);
}
console.table(BOUNDS.map((bound, at) => ({ "difference of scores up to": bound, pairs: histogram[at] })));
console.log(`the largest difference is ${largest}`);

/** A file with a byte changed, cut off, or with a part that is missing, doubled or of another file. */
function damaged(file: Buffer, strange: Buffer): Buffer {
  const at = below(file.length);
  // Most in the header, where a byte decides how a file is read.
  const place = random() < 0.6 ? below(Math.min(700, file.length)) : at;
  const kind = below(6);
  if (kind === 0) return file.subarray(0, at);
  if (kind === 1) return Buffer.concat([file.subarray(0, place), file.subarray(place + 1 + below(20))]);
  if (kind === 2) return Buffer.concat([file.subarray(0, place), file.subarray(Math.max(0, place - 9))]);
  if (kind === 3)
    return Buffer.concat([file.subarray(0, place), strange.subarray(0, below(99)), file.subarray(place)]);
  const changed = Buffer.from(file);
  for (let left = kind === 4 ? 1 : 8; left > 0; left -= 1)
    changed[(place + below(kind === 4 ? 1 : 40)) % file.length] = below(256);
  return changed;
}

async function started({ MockCloudReco, authorizationHeader, rfc1123Date }: Package) {
  const mock = new MockCloudReco({ processingTimeSeconds: 0, intercept: false });
  const database = mock.addCloudDatabase();
  const send = async (url: string, keys: readonly [string, string], type: string, body: Buffer) => {
    const [accessKey, secretKey] = keys;
    const [date, contentType] = [rfc1123Date(), type.split(";", 1).join("")];
    const signed = { method: "POST", path: new URL(url).pathname, contentType, date, body };
    const authorization = authorizationHeader({ ...signed, accessKey, secretKey });
    const headers = { date, authorization, "content-type": type };
    const response = await mock.fetch(url, { method: "POST", headers, body: new Uint8Array(body) });
    const text = await response.text();
    return `${response.status} ${/"result_code": ?"(\w+)"/.exec(text)?.[1] ?? text.slice(0, 40)}`;
  };
  let added = 0;
  return {
    mock,
    query: (image: Buffer) => {
      const head = '--xx\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n';
      const body = Buffer.concat([Buffer.from(head), image, Buffer.from("\r\n--xx--\r\n")]);
      const keys = [database.clientAccessKey, database.clientSecretKey] as const;
      return send(`${mock.urls.query}/v1/query`, keys, "multipart/form-data; boundary=xx", body);
    },
    add: (image: Buffer) => {
      added += 1;
      const body = Buffer.from(
        JSON.stringify({ name: `${added}`, width: 1, image: image.toString("base64") }),
      );
      const keys = [database.serverAccessKey, database.serverSecretKey] as const;
      return send(`${mock.urls.target}/targets`, keys, "application/json", body);
    },
  };
}

const [mine, baseline] = await Promise.all([started(own), started(other)]);
const statuses = new Map<string, number>();
const originals = await Promise.all(
  ENCODED.map((encoded, at) => encoded(drawnAt(at, SIZES[at] ?? SIZES[0])).toBuffer()),
);
for (let number = 0; number < PAIRS; number += 1) {
  const [file = Buffer.alloc(0), strange = file] = [below(5), below(5)].map((at) => originals[at]);
  const image = damaged(file, strange);
  for (const request of ["add", "query"] as const) {
    const [now, before] = await Promise.all([mine[request](image), baseline[request](image)]);
    statuses.set(`${request}: ${now}`, (statuses.get(`${request}: ${now}`) ?? 0) + 1);
    if (now !== before) failures.push(`damaged file ${number}, ${request}: ${before} before, ${now} now`);
  }
}
console.log(Object.fromEntries(statuses));
for (const { mock } of [mine, baseline]) mock.stop();
for (const failure of failures) console.log(failure);
console.log(`${PAIRS} pairs and as many damaged files: ${failures.length} failures`);
process.exitCode = failures.length > 0 ? 1 : 0;
