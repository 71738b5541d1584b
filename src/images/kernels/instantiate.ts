import { brotliDecompressSync } from "node:zlib";

/** The part of WebAssembly used here, which Node's type declarations lack. */
declare global {
  namespace WebAssembly {
    class Module {
      constructor(bytes: Uint8Array);
    }
    class Instance<Exports> {
      constructor(module: Module);
      readonly exports: Exports;
    }
  }
}

/** A kernel as the package contains it. */
export interface CompiledKernel {
  /** Lower-case hex SHA-256 of the AssemblyScript source. */
  readonly sourceSha256: string;
  /** The WebAssembly module, compressed with Brotli, in base64. */
  readonly wasm: string;
}

/** What every kernel exports. */
export interface KernelMemory {
  readonly memory: { readonly buffer: ArrayBuffer };
}

const compile = ({ wasm }: CompiledKernel) =>
  new WebAssembly.Module(brotliDecompressSync(Buffer.from(wasm, "base64")));

const modules = new Map<CompiledKernel, WebAssembly.Module>();

/** Creates an instance of a kernel, with a memory of its own. Compiles the kernel once, in about a millisecond. */
export function instantiate<Exports extends KernelMemory>(kernel: CompiledKernel): Exports {
  const module = modules.get(kernel) ?? compile(kernel);
  modules.set(kernel, module);
  return new WebAssembly.Instance<Exports>(module).exports;
}
