import { createRequire } from "node:module";

/**
 * Loads a dependency when it is first needed, not when this package is imported: most tests never need it. Synchronous,
 * and not `import()`, which Jest refuses in CommonJS.
 */
export const loadModule = createRequire(import.meta.url);
