/** A prepared picture. */
interface Prepared {
  readonly grey: boolean;
  readonly pixels: Uint8Array;
}

/** Pixels of colour pictures that were dropped: new memory takes longer than to prepare a picture. */
const spare = new Set<Uint8Array>();
const MOST_SPARE = 4;
/** How many searches compare with a picture. */
const searches = new WeakMap<Prepared, number>();

export function countSearch(image: Prepared, change: 1 | -1): void {
  searches.set(image, (searches.get(image) ?? 0) + change);
}

/** Whether any search compares with a picture. */
export const isSearched = (image: Prepared): boolean => (searches.get(image) ?? 0) > 0;

/** Takes the memory of a query's picture that nobody will ask for again. */
export function recycle(image: Prepared): void {
  if (!image.grey && !isSearched(image) && spare.size < MOST_SPARE) spare.add(image.pixels);
}

export function takeSpare(): Uint8Array | undefined {
  const [pixels] = spare;
  if (pixels !== undefined) spare.delete(pixels);
  return pixels;
}
