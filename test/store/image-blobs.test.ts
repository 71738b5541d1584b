import { expect, test } from "vitest";
import { ImageBlobs } from "../../src/store/image-blobs.ts";

test("equal images are kept once, and as they were", () => {
  const shelf = new ImageBlobs();
  const bytes = Buffer.from("picture");
  const first = shelf.add(bytes);
  bytes.fill(0);
  const second = shelf.add(Buffer.from("picture"));
  expect(second.sha256).toBe(first.sha256);
  expect(second).toBe(first);
  expect(first.bytes().toString()).toBe("picture");
});

test("an image stays while anyone has it, and a little longer", () => {
  const shelf = new ImageBlobs();
  const image = shelf.add(Buffer.from("picture"));
  shelf.add(Buffer.from("picture"));
  for (let use = 0; use < 3; use += 1) {
    expect(shelf.find(image.sha256)?.bytes().toString()).toBe("picture");
    shelf.release(image.sha256);
  }
  expect(shelf.find(image.sha256)?.bytes().toString()).toBe("picture");
  expect(shelf.add(Buffer.from("picture"))).toBe(shelf.find(image.sha256));
});

test("what nobody has any more is bounded", () => {
  const shelf = new ImageBlobs();
  const images = Array.from({ length: 70 }, (_, index) => shelf.add(Buffer.alloc(2 ** 20, index)));
  for (const { sha256 } of images) shelf.release(sha256);
  const found = images.filter(({ sha256 }) => shelf.find(sha256) !== undefined);
  expect(found).toEqual(images.slice(-64));
});
