import {
  formatOf,
  type ImageFormat,
  jpegFrame,
  type PixelSize,
  pixelSizeOf,
} from "../general/image-header.ts";
import { thumbnailKernel } from "./kernels/compiled.ts";
import { instantiate, type KernelMemory, keptWhileUsed } from "./kernels/instantiate.ts";

/** Side, in pixels, of the square that images are compared at. */
export const THUMBNAIL_SIDE = 256;

/** libvips reduces longer sides in two steps. */
const LONGEST_SIDE = 1023;

/** Whether {@link scaleToThumbnail} scales pictures of this size. */
export const fitsKernel = ({ width, height }: PixelSize): boolean => Math.max(width, height) <= LONGEST_SIDE;

/** Enlarging moves pixels by up to half of one, to the left and to the top: pictures have to be turned before. */
export const isEnlarged = ({ width, height }: PixelSize): boolean => Math.min(width, height) < THUMBNAIL_SIDE;

/** Whether the decoder should leave the scaling to the kernel: it takes 4 ms to enlarge a side, and reduces while it decodes. */
export const isScaledFaster = (size: PixelSize): boolean => isEnlarged(size) && fitsKernel(size);

/** sharp decodes JPEG files with a longer shorter side at a reduced size: at first at half the length, from five times on at less. */
const MAX_UNSHRUNK_SIDE = 3 * THUMBNAIL_SIDE - 1;
const MAX_HALVED_SIDE = 5 * THUMBNAIL_SIDE - 1;
const [PNG_DEPTH_AT, PNG_COLOUR_AT] = [24, 25];
/** Grey and RGB, of PNG files by colour type, of JPEG files by the number of components. */
const OPAQUE: Readonly<Record<ImageFormat, readonly (number | undefined)[]>> = { PNG: [0, 2], JPEG: [1, 3] };

/**
 * Whether a thumbnail can be made of the file's pixels. Not of large JPEG files, decoded at a reduced size, nor of 16-bit samples,
 * scaled before they are rounded, and of palettes, transparent pixels and CMYK, converted afterwards.
 */
export const scalesAsFile = (bytes: Buffer, { width, height }: PixelSize): boolean =>
  formatOf(bytes) === "PNG"
    ? bytes[PNG_DEPTH_AT] === 8 && OPAQUE.PNG.includes(bytes[PNG_COLOUR_AT]) && !bytes.includes("tRNS")
    : Math.min(width, height) <= MAX_UNSHRUNK_SIDE && OPAQUE.JPEG.includes(jpegFrame(bytes)?.components);

/** Whether sharp makes a thumbnail of what it decodes at half the length, and the kernels can: libvips rounds odd lengths otherwise. */
export function isHalved(bytes: Buffer): boolean {
  const { width, height } = pixelSizeOf(bytes) ?? { width: 0, height: 0 };
  const side = Math.min(width, height);
  const isEven = width % 2 === 0 && height % 2 === 0;
  const fits = fitsKernel({ width: width / 2, height: height / 2 });
  return isEven && fits && side > MAX_UNSHRUNK_SIDE && side <= MAX_HALVED_SIDE;
}

interface Kernel extends KernelMemory {
  begin(width: number, height: number): number;
  scale(): number;
}

const load = keptWhileUsed(() => instantiate<Kernel>(thumbnailKernel));

const THUMBNAIL_BYTES = 3 * THUMBNAIL_SIDE ** 2;

/**
 * Scales R, G and B to 256x256 as the decoder does, in less than a millisecond. Where it rounds a place otherwise, values differ
 * by up to 6 for noise.
 * @returns the kernel's own memory, which the next call overwrites
 */
export function scaleToThumbnail(data: Uint8Array, width: number, height: number): Uint8Array {
  const kernel = load();
  // The memory may grow.
  const at = kernel.begin(width, height);
  new Uint8Array(kernel.memory.buffer).set(data, at);
  const thumbnailAt = kernel.scale();
  return new Uint8Array(kernel.memory.buffer, thumbnailAt, THUMBNAIL_BYTES);
}
