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

/**
 * Loads something once. A failure is not kept: files may be out of reach for a while, as under a replaced file system.
 * @returns a function that loads it. Its `now` is what is loaded already; its `soon` uses it at once in that case, because promises
 * would double the time of many short uses. `soon` ignores a failure to load: the code that needs the result loads it again.
 */
export function loadedOnce<Loaded extends object>(load: () => Promise<Loaded>) {
  let loading: Promise<Loaded> | undefined;
  let loaded: Loaded | undefined;
  const get = (): Promise<Loaded> => {
    loading ??= load().then(
      (it) => {
        loaded = it;
        return it;
      },
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    );
    return loading;
  };
  return Object.assign(get, {
    now: () => loaded,
    soon(use: (loaded: Loaded) => void): void {
      if (loaded !== undefined) use(loaded);
      else get().then(use, () => {});
    },
  });
}
