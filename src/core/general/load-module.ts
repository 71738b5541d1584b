import { createRequire, Module } from "node:module";
import { fileURLToPath } from "node:url";

/** Loads a dependency on first use: most tests never need it. Not by `import()`, which Jest refuses in CommonJS. */
export const loadModule = createRequire(import.meta.url);

const path = fileURLToPath(import.meta.url);
/** With the name that it would get when it is loaded, which loaders such as Playwright's read. */
const ours = Object.assign(new Module(path), { filename: path });

/**
 * Loads a dependency once in a process, by Node's own loader. Jest's would read all its files again for each test file, and hand
 * out what tests mock; the `require` of a module is Node's in Jest too. Bun's modules have none.
 */
export const loadOnceInProcess: Module["require"] =
  "require" in ours ? (name) => ours.require(loadModule.resolve(name)) : loadModule;

/** By path, what Node's own loader has loaded, also for what Jest's asks of it: addons. */
export const loadedInProcess: NodeJS.Dict<NodeJS.Module> = Reflect.get(Module, "_cache");

/** Loads something once. A failure is not kept: files may be out of reach for a while, as under a replaced file system. */
export function loadedOnce<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
