import { readFileSync } from "node:fs";
import { defineConfig, type Rolldown, type UserConfig } from "tsdown";

/** Entry points: name in `dist`, and source. Each needs a line in package.json too: in `exports`, or in `bin`. */
const entries = {
  index: "src/index.ts",
  openapi: "src/openapi/index.ts",
  server: "src/servers/index.ts",
  cli: "src/cli/main.ts",
  assert: "src/testing/assert.ts",
  jest: "src/testing/jest.ts",
  "node-test": "src/testing/node-test.ts",
  register: "src/mock/register.ts",
};

const common: UserConfig = {
  platform: "node",
  target: "node20.19",
  dts: true,
  // Bundled, and tree-shaken, zod loads in a few milliseconds instead of as a hundred files.
  noExternal: [/^zod/],
  // Names stay, so that stacks can be read; white space would be a quarter of the package.
  minify: { compress: true, mangle: false, codegen: true },
};

/** What is bundled keeps its licence. */
const zodLicence: Rolldown.Plugin = {
  name: "zod-licence",
  generateBundle() {
    const source = readFileSync(new URL("node_modules/zod/LICENSE", import.meta.url), "utf8");
    this.emitFile({ type: "asset", fileName: "LICENSE-zod", source });
  },
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
    groups: [
      {
        name: "core",
        test: /\/node_modules\/zod\/|\/src\/(?!cli\/|servers\/|testing\/|openapi\/|.*\.d\.ts)/,
      },
    ],
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
    plugins: [moduleWrappers, zodLicence],
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
