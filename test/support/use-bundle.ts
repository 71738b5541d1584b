import { dirname } from "node:path";
import { afterAll, beforeAll, inject } from "vitest";
import { type Bundle, bundled } from "./bundle.ts";

/**
 * Makes a bundle before the tests of a file, or of a `describe`, and removes it after them. In projects that build the package, the
 * program loads that, as users' programs do.
 *
 * @param source - as for {@link bundled}.
 * @returns its path, for tests.
 */
export function useBundle(source: string): () => string {
  let bundle: Bundle | undefined;
  beforeAll(async () => {
    const command: string | undefined = inject("command");
    bundle = await bundled(source, command && dirname(command));
  }, 60_000);
  afterAll(() => bundle?.remove());
  return () => bundle?.path ?? "";
}
