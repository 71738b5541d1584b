import { expect, test } from "vitest";
import { ImageShelf } from "../../src/store/image-shelf.ts";

test("equal images are kept once, and as they were", async () => {
  const shelf = new ImageShelf();
  const bytes = Buffer.from("picture");
  const first = shelf.add(bytes);
  bytes.fill(0);
  const second = shelf.add(Buffer.from("picture"));
  expect(second.sha256).toBe(first.sha256);
  expect(await second.bytes()).toBe(await first.bytes());
  expect((await first.bytes()).toString()).toBe("picture");
});

test("an image stays while anyone has it, and a little longer", async () => {
  const shelf = new ImageShelf();
  const image = shelf.add(Buffer.from("picture"));
  shelf.add(Buffer.from("picture"));
  for (let use = 0; use < 3; use += 1) {
    expect(shelf.find(image.sha256)?.toString()).toBe("picture");
    shelf.release(image);
  }
  expect(shelf.find(image.sha256)?.toString()).toBe("picture");
  expect(await shelf.add(Buffer.from("picture")).bytes()).toBe(shelf.find(image.sha256));
});

test("what nobody has any more is bounded", () => {
  const shelf = new ImageShelf();
  const images = Array.from({ length: 70 }, (_, index) => shelf.add(Buffer.alloc(2 ** 20, index)));
  for (const image of images) shelf.release(image);
  const found = images.filter(({ sha256 }) => shelf.find(sha256) !== undefined);
  expect(found).toEqual(images.slice(-64));
});
