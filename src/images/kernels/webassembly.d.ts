/** Node has WebAssembly, its type declarations have not; this is the part used here. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance<Exports> {
    constructor(module: Module);
    readonly exports: Exports;
  }
}
