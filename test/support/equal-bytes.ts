import { expect } from "vitest";

/** `toEqual` by itself takes each byte for a member of an object: pictures take it as long to compare as to draw. */
expect.addEqualityTesters([
  (one: unknown, other: unknown) =>
    one instanceof Uint8Array && other instanceof Uint8Array && one.constructor === other.constructor
      ? Buffer.compare(one, other) === 0
      : undefined,
]);
