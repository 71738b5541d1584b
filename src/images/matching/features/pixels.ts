import { windowsKernel } from "../../kernels/compiled.ts";
import { instantiate, type KernelMemory } from "../../kernels/instantiate.ts";

/** A grey picture. */
export interface GreyPicture {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

type Size = Pick<GreyPicture, "width" | "height">;

interface Kernel extends KernelMemory {
  pictureAt(): number;
  smallAt(): number;
  otherAt(): number;
  reduce(width: number, height: number, smallWidth: number, smallHeight: number): void;
  begin(width: number, height: number): number;
  isSame(others: number): number;
}

let instance: Kernel | undefined;

/** Every use ends before another one begins: nothing is kept in its memory in between. */
function load() {
  instance ??= instantiate<Kernel>(windowsKernel);
  return { kernel: instance, memory: new Uint8Array(instance.memory.buffer) };
}

/** Longer side, in pixels, of a target's small picture: 9 kB at most. */
const SMALL_SIDE = 96;
/** The least of a narrow one's shorter side, so that windows fit in. */
const LEAST_SIDE = 24;

/** The size of the small picture that is kept of a target. */
export function smallSize({ width, height }: Size): Size {
  const scale = Math.min(1, SMALL_SIDE / Math.max(width, height));
  const side = (length: number) => Math.max(LEAST_SIDE, Math.round(length * scale));
  return { width: side(width), height: side(height) };
}

/** The small picture that is kept of a target. */
export function reduce(picture: GreyPicture): Uint8Array {
  const { kernel, memory } = load();
  const { width, height } = smallSize(picture);
  memory.set(picture.data, kernel.pictureAt());
  kernel.reduce(picture.width, picture.height, width, height);
  return memory.slice(kernel.smallAt(), kernel.smallAt() + width * height);
}

/** A target, of which a small picture is kept. */
interface Kept extends Size {
  readonly small: Uint8Array;
}

/** Puts a target's small picture into the kernel. Returns how many of its windows have texture. */
function begin(target: Kept): number {
  const { kernel, memory } = load();
  const { width, height } = smallSize(target);
  memory.set(target.small, kernel.smallAt());
  return kernel.begin(width, height);
}

/** With fewer windows than this, pixels tell little. */
const LEAST_WINDOWS = 12;
/** In pictures that are equal but for their files, the part of the windows that are the same. */
const NEARLY_ALL = 0.95;

/** Whether one of the others shows the same as a target, but for how it was scaled and compressed; undefined if none does. */
export function findSame<T extends Kept>(target: Kept, others: readonly T[]): T | undefined {
  const size = smallSize(target);
  const windows = begin(target);
  if (windows < LEAST_WINDOWS) return undefined;
  const { kernel, memory } = load();
  const mayDiffer = Math.floor(windows * (1 - NEARLY_ALL));
  return others.find((other) => {
    const { width, height } = smallSize(other);
    if (width !== size.width || height !== size.height) return false;
    memory.set(other.small, kernel.otherAt());
    return kernel.isSame(mayDiffer) === 1;
  });
}
