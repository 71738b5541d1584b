import crypto from "node:crypto";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { brisqueRater, MockCloudReco, structuralSimilarityMatcher } from "mock-cloud-reco";
import type Sharp from "sharp";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { MockSession } from "../../support/mock-session.ts";
import { scene } from "../../support/scenes.ts";

// As the package loads it.
const sharp: typeof Sharp = createRequire(import.meta.url)("sharp");

/** How often each kind of work was done on an image; of base64, how many bytes were decoded. */
let counts: { base64: number; hashed: number; headers: number; decoded: number; scaledFromPixels: number };
/** A size that no other image in these tests has. */
const MIN_BYTES = 20_000;
/** Of a sharp image. */
interface Pipeline {
  readonly options: { readonly input: { readonly buffer?: Buffer; readonly rawWidth?: number } };
}

const { from } = Buffer;

beforeEach(async () => {
  // BRISQUE's model is base64 too.
  await brisqueRater(await scene(1, 32, 24));
  counts = { base64: 0, hashed: 0, headers: 0, decoded: 0, scaledFromPixels: 0 };
  Object.assign(Buffer, {
    from(...args: unknown[]) {
      const made: Buffer = Reflect.apply(from, Buffer, args);
      if (args[1] === "base64" && made.length > MIN_BYTES) counts.base64 += made.length;
      return made;
    },
  });
  const { write } = Buffer.prototype;
  vi.spyOn(Buffer.prototype, "write").mockImplementation(function (this: Buffer, ...args: unknown[]) {
    const written: number = Reflect.apply(write, this, args);
    if (args.at(-1) === "base64") counts.base64 += written;
    return written;
  });
  const { hash } = crypto;
  vi.spyOn(crypto, "hash").mockImplementation((...given: Parameters<typeof hash>) => {
    const [algorithm, data] = given;
    if (algorithm === "sha256" && ArrayBuffer.isView(data) && data.byteLength > MIN_BYTES) counts.hashed += 1;
    return hash(...given);
  });
  syncBuiltinESMExports();
  const { metadata, toBuffer } = sharp.prototype;
  vi.spyOn(sharp.prototype, "metadata").mockImplementation(function (this: Pipeline, ...args: unknown[]) {
    counts.headers += 1;
    return Reflect.apply(metadata, this, args);
  });
  vi.spyOn(sharp.prototype, "toBuffer").mockImplementation(function (this: Pipeline, ...args: unknown[]) {
    if (this.options.input.rawWidth) counts.scaledFromPixels += 1;
    else counts.decoded += 1;
    return Reflect.apply(toBuffer, this, args);
  });
});

afterEach(() => {
  Object.assign(Buffer, { from });
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

it("decodes an added image from base64, hashes it and decodes it once, queries included", async () => {
  const image = await scene(Math.floor(Math.random() * 1e9), 320, 240);
  expect(image.length).toBeGreaterThan(MIN_BYTES);
  await using mock = new MockCloudReco({
    processingTimeSeconds: 0,
    queryContentEncoding: "identity",
    queryMatcher: structuralSimilarityMatcher,
    targetRater: brisqueRater,
  });
  const database = mock.addCloudDatabase();
  const session = new MockSession(mock, database);
  const body = image.toString("base64");
  expect((await session.add({ image: body })).status).toBe(201);
  expect(counts).toMatchObject({ base64: image.length, hashed: 1, headers: 0, decoded: 1 });
  const { body: found } = await session.query(image);
  expect(JSON.parse(String(found)).results).toHaveLength(1);
  // The query's own bytes are hashed; nothing is opened or decoded again.
  expect(counts).toMatchObject({ base64: image.length, headers: 0, decoded: 1, scaledFromPixels: 0 });
  const copy = { name: "the same again", image: body };
  expect((await session.add(copy)).status).toBe(201);
  expect(counts).toMatchObject({ decoded: 1, scaledFromPixels: 0 });
});

it("decodes a query's image once, and opens it no more than that", async () => {
  await using mock = new MockCloudReco({ processingTimeSeconds: 0, targetRater: brisqueRater });
  const session = new MockSession(mock, mock.addCloudDatabase());
  await session.add({ image: (await scene(2, 32, 24)).toString("base64") });
  const [first, second] = await Promise.all([0, 1].map(() => scene(Math.random() * 1e9, 320, 240)));
  counts.decoded = 0;
  for (const image of [first, second, first, second]) expect((await session.query(image)).status).toBe(200);
  expect(counts).toMatchObject({ headers: 0, decoded: 2 });
});
