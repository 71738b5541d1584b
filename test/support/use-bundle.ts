import { afterAll, beforeAll } from "vitest";
import { type Bundle, bundled } from "./bundle.ts";

/**
 * Makes a bundle before the tests of a file, or of a `describe`, and removes it after them.
 *
 * @param source - as for {@link bundled}.
 * @returns its path, for tests.
 */
export function useBundle(source: string): () => string {
  let bundle: Bundle | undefined;
  beforeAll(async () => {
    bundle = await bundled(source);
  }, 60_000);
  afterAll(() => bundle?.remove());
  return () => bundle?.path ?? "";
}
