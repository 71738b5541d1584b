import { afterAll, beforeAll } from "vitest";
import { type Bundle, bundled, COMMAND } from "./bundle.ts";

/**
 * Makes a bundle before the tests of a file, or of a `describe`, and removes it after them.
 *
 * @param source - as for {@link bundled}; default: the command.
 * @returns its path, for tests.
 */
export function useBundle(source = COMMAND): () => string {
  let bundle: Bundle | undefined;
  beforeAll(async () => {
    bundle = await bundled(source);
  }, 60_000);
  afterAll(() => bundle?.remove());
  return () => bundle?.path ?? "";
}
