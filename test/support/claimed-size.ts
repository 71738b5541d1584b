import sharp from "sharp";
import { scene } from "./scenes.ts";

/** A progressive JPEG whose header claims a size: the decoder takes memory for that size, and finds little data. */
export async function claiming(width: number, height: number): Promise<Buffer> {
  const image = Buffer.from(
    await sharp(await scene(1))
      .jpeg({ progressive: true })
      .toBuffer(),
  );
  // The frame header of a progressive JPEG: marker, length, precision, then both sides.
  const frame = image.indexOf(Buffer.from([0xff, 0xc2]));
  image.writeUInt16BE(height, frame + 5);
  image.writeUInt16BE(width, frame + 7);
  return image;
}
