import { createRequire } from "node:module";

/** Loads a dependency on first use: most tests never need it. Not by `import()`, which Jest refuses in CommonJS. */
export const loadModule = createRequire(import.meta.url);
