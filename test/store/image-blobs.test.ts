import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { ImageBlobs } from "../../src/core/store/image-blobs.ts";
import { SnapshotReader } from "../../src/core/store/snapshot-reader.ts";

test("equal images are kept once, unchanged", () => {
  const blobs = new ImageBlobs();
  const bytes = Buffer.from("picture");
  const first = blobs.add(bytes);
  bytes.fill(0);
  const second = blobs.add(Buffer.from("picture"));
  expect(second.sha256).toBe(first.sha256);
  expect(second).toBe(first);
  expect(first.bytes().toString()).toBe("picture");
});

test("a small image keeps no more memory than its own bytes", () => {
  const bytes = new ImageBlobs().add(Buffer.from("picture")).bytes();
  expect(bytes.buffer.byteLength).toBe(7);
});

test("an image stays while it is used, and a little longer", () => {
  const blobs = new ImageBlobs();
  const image = blobs.add(Buffer.from("picture"));
  blobs.add(Buffer.from("picture"));
  for (let use = 0; use < 3; use += 1) {
    expect(blobs.find(image.sha256)?.bytes().toString()).toBe("picture");
    blobs.release(image.sha256);
  }
  expect(blobs.find(image.sha256)?.bytes().toString()).toBe("picture");
  expect(blobs.add(Buffer.from("picture"))).toBe(blobs.find(image.sha256));
});

test("the memory of unused images is limited", () => {
  const blobs = new ImageBlobs();
  const images = Array.from({ length: 70 }, (_, index) => blobs.add(Buffer.alloc(2 ** 20, index)));
  for (const { sha256 } of images) blobs.release(sha256);
  const found = images.filter(({ sha256 }) => blobs.find(sha256) !== undefined);
  expect(found).toEqual(images.slice(-63));
});

test("the number of unused images is limited, however small they are", () => {
  const blobs = new ImageBlobs();
  const images = Array.from({ length: 5000 }, (_, index) => blobs.add(Buffer.from(`${index}`)));
  for (const { sha256 } of images) blobs.release(sha256);
  const found = images.filter(({ sha256 }) => blobs.find(sha256) !== undefined);
  expect(found.length).toBeLessThanOrEqual(4096);
  expect(found.length).toBeGreaterThan(4000);
  expect(found.at(-1)).toBe(images.at(-1));
  // Others attach data to the object.
  const spare = blobs.find(images.at(-1)?.sha256 ?? "");
  expect(spare).toEqual({ sha256: images.at(-1)?.sha256, bytes: expect.any(Function) });
  expect(spare).not.toBe(images.at(-1));
});

test.each([1, 2, 3, 5, 7, 1000])("images in a snapshot are found in chunks of %d bytes", (size) => {
  const image = Buffer.from([0, 1, 2, 3, 255, 254, 253, 63, 191, 239]);
  const sha256 = createHash("sha256").update(image).digest("hex");
  const base64 = image.toString("base64");
  const others = { first: [{ images: "a" }], 'im"ages': { a: '\\"images":{"b":"c"}' }, version: 1 };
  const given = JSON.stringify({ ...others, more: [{}], images: { one: "#", two: "", three: {} } });
  const text = given.replace("#", base64.replaceAll("/", "\\/"));
  const upload = new SnapshotReader();
  const bytes = Buffer.from(text);
  const kept: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) kept.push(...upload.write(bytes.subarray(at, at + size)));
  expect(Buffer.concat(kept).toString()).toBe(given.replace("#", ""));
  expect(upload.images.get(sha256)).toEqual(image);
});
