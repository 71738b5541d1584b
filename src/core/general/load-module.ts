import { createRequire } from "node:module";

/** Loads a dependency on first use: most tests never need it. Not by `import()`, which Jest refuses in CommonJS. */
export const loadModule = createRequire(import.meta.url);

/** Loads something once. A failure is not kept: files may be out of reach for a while, as under a replaced file system. */
export function loadedOnce<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loading: Promise<Module> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
