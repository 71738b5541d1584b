import { loadedInProcess } from "../general/load-module.ts";

/** sharp's addon. Both builds of sharp share it, and each sets its limits, which hold for the process, when it is loaded. */
interface Addon {
  /** Sets MB, files and operations, if given. */
  cache(
    ...limits: readonly number[]
  ): Readonly<Record<"memory" | "files" | "items", { readonly max: number }>>;
  concurrency(threads?: number): number;
}

function isAddon(value: unknown): value is Addon {
  if (typeof value !== "object" || value === null) return false;
  return ["cache", "concurrency", "libvipsVersion"].every(
    (name) => typeof Reflect.get(value, name) === "function",
  );
}

/** Remembers what the application has set with `sharp.cache()` and `sharp.concurrency()`. Returns a function that sets it again. */
export function keepDecoderLimits(): () => void {
  const kept = Object.entries(loadedInProcess)
    .filter(([file]) => file.endsWith(".node"))
    .flatMap(([, module]) => {
      const addon: unknown = module?.exports;
      if (!isAddon(addon)) return [];
      const { memory, files, items } = addon.cache();
      return [{ addon, limits: [memory.max, files.max, items.max], threads: addon.concurrency() }];
    });
  return () => {
    for (const { addon, limits, threads } of kept) {
      addon.cache(...limits);
      addon.concurrency(threads);
    }
  };
}
