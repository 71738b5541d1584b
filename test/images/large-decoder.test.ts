import { setImmediate as nextTurn } from "node:timers/promises";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { decodeThumbnail } from "../../src/core/images/decode.ts";
import { claiming } from "../support/claimed-size.ts";
import { makePng } from "../support/png.ts";

describe("progressive images of more than 37,748,736 pixels", () => {
  it("are decoded one at a time, and leave decoders to other images", async () => {
    const large = await claiming(7000, 6000);
    const small = makePng({ width: 99 });
    const ended: string[] = [];
    const decoding = (name: string, image: Buffer) =>
      decodeThumbnail(image).then((decoded) => {
        expect(Buffer.isBuffer(decoded)).toBe(true);
        ended.push(name);
      });
    // As many large images as there are decoders, and more.
    const all = ["1", "2", "3", "4", "5"].map((name) => decoding(name, large));
    const others = Array.from({ length: 10 }, () => decoding("small", small));
    await Promise.all(others);
    expect(ended.filter((name) => name !== "small").length).toBeLessThan(2);
    let isOver = false;
    const over = Promise.all(all).finally(() => {
      isOver = true;
    });
    let most = 0;
    while (!isOver) {
      // Not with those in the queue: one that leaves it while the two are read counts twice.
      most = Math.max(most, sharp.counters().process);
      await nextTurn();
    }
    await over;
    expect(most).toBe(1);
  });
});
