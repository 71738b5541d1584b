import { defineConfig, type Rolldown, type UserConfig } from "tsdown";

/** Entry points: name in `dist`, and source. Each needs a line in package.json too: in `exports`, or in `bin`. */
const entries = {
  index: "src/index.ts",
  openapi: "src/openapi/index.ts",
  server: "src/server/index.ts",
  cli: "src/cli/main.ts",
  jest: "src/testing/jest.ts",
  "node-test": "src/testing/node-test.ts",
};

const common: UserConfig = {
  platform: "node",
  target: "node20.19",
  dts: true,
};

/**
 * Gives every CommonJS entry an ECMAScript module that passes its exports on. So there is one copy of the code however often
 * and in whichever way it is loaded: state is shared, and `instanceof` and the types hold across both.
 */
const moduleWrappers: Rolldown.Plugin = {
  name: "module-wrappers",
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== "chunk" || !file.isEntry || !file.fileName.endsWith(".cjs")) continue;
      // A command has nothing to pass on.
      if (file.exports.length === 0) continue;
      const names = file.exports.join(", ");
      this.emitFile({
        type: "asset",
        fileName: `${file.name}.mjs`,
        source: `export { ${names} } from "./${file.fileName}";\n`,
      });
      this.emitFile({
        type: "asset",
        fileName: `${file.name}.d.mts`,
        source: `export * from "./${file.fileName}";\n`,
      });
    }
  },
};

/**
 * What every entry needs, in one file: left to itself, the bundler cuts it into files that load each other in circles, where
 * one of them sees the other before it is complete. Declarations have no such trouble.
 */
const oneCore: Rolldown.OutputOptions = {
  codeSplitting: {
    groups: [{ name: "core", test: /\/src\/(?!cli\/|server\/|testing\/|openapi\/|.*\.d\.ts)/ }],
  },
};

/** Makes a real module load the one copy of the code too. */
const throughTheIndex: Rolldown.Plugin = {
  name: "through-the-index",
  resolveId: (source) => (source.endsWith("/index.ts") ? { id: "./index.mjs", external: true } : null),
};

export default defineConfig([
  {
    ...common,
    entry: entries,
    format: "cjs",
    clean: true,
    plugins: [moduleWrappers],
    outputOptions: oneCore,
  },
  // Vitest cannot be required.
  {
    ...common,
    entry: { vitest: "src/testing/vitest.ts" },
    format: "esm",
    clean: false,
    plugins: [throughTheIndex],
  },
]);
