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

test("an image stays while it is used, and no longer", () => {
  const blobs = new ImageBlobs();
  const image = blobs.add(Buffer.from("picture"));
  blobs.add(Buffer.from("picture"));
  for (let use = 0; use < 2; use += 1) {
    expect(blobs.find(image.sha256)).toBe(image);
    blobs.release(image.sha256);
  }
  expect(blobs.find(image.sha256)).toBeUndefined();
  // Others attach data to the object.
  expect(blobs.add(Buffer.from("picture"))).not.toBe(image);
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
