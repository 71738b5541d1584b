import { brotliDecompressSync } from "node:zlib";

type Module = object;

/** Not in Node's types. Not declared globally: the package's declarations would contradict those of the DOM. */
interface WebAssemblyNamespace {
  readonly Module: new (bytes: Uint8Array) => Module;
  readonly Instance: new <Exports>(module: Module) => { readonly exports: Exports };
}

const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyNamespace };

/** What a kernel exports besides its functions: its memory, and variables, which are addresses in it or results. */
export type KernelMemory<Variables extends string = never> = {
  readonly memory: { readonly buffer: ArrayBuffer };
} & { readonly [name in Variables]: { readonly value: number } };

const modules = new Map<Buffer, Module>();

/**
 * Creates an instance of a kernel, with a memory of its own. A kernel is a WebAssembly module, compressed with Brotli.
 * Compiles it once, in about a millisecond.
 */
export function instantiate<Exports extends KernelMemory>(kernel: Buffer): Exports {
  const module = modules.get(kernel) ?? new WebAssembly.Module(brotliDecompressSync(kernel));
  modules.set(kernel, module);
  return new WebAssembly.Instance<Exports>(module).exports;
}

/**
 * Makes something at its first use, and again when nobody has used it from one collection of garbage to the next: kernels have up to
 * 14 MB of memory, which would stay for as long as the process runs.
 */
export function keptWhileUsed<T extends object, Of extends readonly unknown[]>(
  make: (...of: Of) => T,
): (...of: Of) => T {
  let made: T | undefined;
  let isUsed = false;
  const collections = new FinalizationRegistry(() => {
    if (isUsed) watch();
    else made = undefined;
  });
  const watch = () => {
    isUsed = false;
    collections.register({}, undefined);
  };
  return (...of) => {
    if (made === undefined) watch();
    made ??= make(...of);
    isUsed = true;
    return made;
  };
}
