import { brotliDecompressSync } from "node:zlib";

type Module = object;

/** Not in Node's types. Not declared globally: the package's declarations would contradict those of the DOM. */
interface WebAssemblyNamespace {
  readonly Module: new (bytes: Uint8Array) => Module;
  readonly Instance: new <Exports>(module: Module) => { readonly exports: Exports };
}

const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyNamespace };

/** A kernel as the package contains it. */
export interface CompiledKernel {
  /** Lower-case hex SHA-256 of the AssemblyScript sources. */
  readonly sourceSha256: string;
  /** The WebAssembly module, compressed with Brotli, in base64. */
  readonly wasm: string;
}

export interface KernelMemory {
  readonly memory: { readonly buffer: ArrayBuffer };
}

const compile = ({ wasm }: CompiledKernel) =>
  new WebAssembly.Module(brotliDecompressSync(Buffer.from(wasm, "base64")));

const modules = new Map<CompiledKernel, Module>();

/** Creates an instance of a kernel, with a memory of its own. Compiles the kernel once, in about a millisecond. */
export function instantiate<Exports extends KernelMemory>(kernel: CompiledKernel): Exports {
  const module = modules.get(kernel) ?? compile(kernel);
  modules.set(kernel, module);
  return new WebAssembly.Instance<Exports>(module).exports;
}
