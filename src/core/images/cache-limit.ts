export const DEFAULT_IMAGE_CACHE_BYTES = 256 * 2 ** 20;

let limit = DEFAULT_IMAGE_CACHE_BYTES;
let applyLimit: (bytes: number) => void = () => {};

/**
 * Limits the memory that prepared images may take, in bytes, for the whole process; 256 MiB by default. One takes 233 kB, a
 * third of that when it is grey. Images that do not fit are prepared again by each query that needs them. Undefined changes nothing.
 * @throws RangeError when it is not a number of at least 0.
 */
export function setImageCacheBytes(bytes: number | undefined): void {
  if (bytes === undefined) return;
  if (!(bytes >= 0)) {
    throw new RangeError(`imageCacheBytes: expected a number of bytes, at least 0; got ${bytes}`);
  }
  limit = bytes;
  applyLimit(bytes);
}

/** Calls `apply` now and whenever the limit is set. */
export function followImageCacheBytes(apply: (bytes: number) => void): void {
  applyLimit = apply;
  apply(limit);
}
