import { fileURLToPath } from "node:url";
import { defineConfig, type Rolldown, type UserConfig } from "tsdown";

const INTERNAL = "src/testing/internal.ts";

/** Entry points: name in `dist`, and source. Each but `internal` needs a line in package.json too: in `exports`, or in `bin`. */
const entries = {
  index: "src/index.ts",
  openapi: "src/openapi/index.ts",
  server: "src/servers/index.ts",
  cli: "src/cli/main.ts",
  assert: "src/testing/assert.ts",
  jest: "src/testing/jest.ts",
  msw: "src/testing/msw.ts",
  "node-test": "src/testing/node-test.ts",
  playwright: "src/testing/playwright.ts",
  register: "src/mock/register.ts",
  // What modules of runners use of the one copy of the code, and nobody else may.
  internal: INTERNAL,
};

/** Entries built as modules: Vitest cannot be required, and MSW is another copy when it is. */
const moduleEntries = { vitest: "src/testing/vitest.ts", msw: entries.msw };

/** The entries that anybody may import: not the command. */
const DECLARED = Object.values({ ...entries, ...moduleEntries }).filter(
  (source) => source !== INTERNAL && source !== entries.cli,
);

/**
 * Packages whose used parts go into ours: tree-shaken and in one file, they load in a few milliseconds, and nobody
 * installs the 28 MB of date-fns for one function.
 */
export const BUNDLED = [
  "cross-spawn",
  "date-fns",
  "isexe",
  "lru-cache",
  "path-key",
  "shebang-command",
  "shebang-regex",
  "which",
  "zod",
];

const common: UserConfig = {
  platform: "node",
  target: "node20.19",
  tsconfig: "tsconfig.src.json",
  // Members that only this package uses are not declared, nor are the types that only they mention.
  // Nobody may import the internal entry, whose types are the package's own. The native compiler needs a quarter of the time of the
  // other, and `npm run types` checks the types.
  dts: {
    tsconfig: "tsconfig.declarations.json",
    tsgo: { path: "node_modules/typescript-7/bin/tsc" },
    entry: DECLARED,
  },
  deps: { alwaysBundle: BUNDLED.map((name) => new RegExp(`^${name}(/|$)`)) },
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
      // A command has nothing to pass on, and some entries have a module of their own.
      if (file.exports.length === 0 || file.name in moduleEntries) continue;
      const names = file.exports.join(", ");
      this.emitFile({
        type: "asset",
        fileName: `${file.name}.mjs`,
        source: `export { ${names} } from "./${file.fileName}";\n`,
      });
      if (file.name === "internal") continue;
      this.emitFile({
        type: "asset",
        fileName: `${file.name}.d.mts`,
        source: `export * from "./${file.fileName}";\n`,
      });
    }
  },
};

/** Adds what a bundler for browsers resolves the package to, instead of failing at `node:http` or at run time. */
const advisingBrowsers: Rolldown.Plugin = {
  name: "advising-browsers",
  generateBundle(_options, bundle) {
    const advice =
      "mock-cloud-reco runs in Node, not in browsers: start its servers (npx mock-cloud-reco serve), and let the page send requests to their URLs";
    // Whatever is imported has to be found: a bundler stops at a missing name, without this advice. `test` is that of Vitest.
    const names = new Set(["test"]);
    for (const file of Object.values(bundle))
      if (file.type === "chunk" && ["index", "server"].includes(file.name))
        for (const name of file.exports) names.add(name);
    const source = `throw new Error(${JSON.stringify(advice)});\nexport let ${[...names].join(", ")};\n`;
    this.emitFile({ type: "asset", fileName: "browser.mjs", source });
  },
};

/** Escapes what is not ASCII: V8 reads a file of single bytes faster. */
const asciiOnly: Rolldown.Plugin = {
  name: "ascii-only",
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === "chunk") file.code = file.code.replace(/[^\p{ASCII}]/gu, escaped);
    }
  },
};

const escaped = (character: string): string =>
  [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");

/**
 * Keeps zod's configuration and registry in our copy of zod. As globals, they are leaks to test runners that look for such, and a
 * user's `z.config()` would change what our errors say.
 */
const ownZod: Rolldown.Plugin = {
  name: "own-zod",
  transform(code, path) {
    if (!/\/node_modules\/zod\/v4\/core\/(core|registries)\.js$/.test(path)) return null;
    if (!code.includes("globalThis).__zod_global")) throw new Error(`${path} has no globals any more`);
    return `const ownGlobals = {};\n${code.replaceAll("globalThis", "ownGlobals")}`;
  },
};

/** What else the main entry does not need, so that it loads faster; and the entry that acts when it is loaded. */
const NOT_IN_CORE = [
  "index\\.ts",
  "cli/",
  "servers/",
  "page/",
  "testing/",
  // Of mocks.
  "mock/(?!clock-handle|create|emulator-control|handles)",
  "intercept/(?!errors|pending-delays|unhandled-requests)",
  "explain/(?!caller|journal-text)",
  // Loaded with the first image.
  "core/general/free-memory",
  // Of servers and commands.
  "options/(command-settings|setting)",
  "core/http/(listen|trust)",
  "core/schema/zod/to-json-schema",
  // Loaded with the first image, the first wrong signature and the first state file.
  "recognition/(?!matcher)",
  "core/images/(?!on-demand|cache-limit|decoder-error|kernels/instantiate|matching/(comparison|matchers)|ratings/rating)",
  "core/apis/explanations/",
  "core/schema/causes/(?!(causes|queries|row|words)\\.ts)",
];

/**
 * What is loaded when one of its exports is first used, as by a `require` in a function: why requests are refused, and how to say it,
 * and what few tests use. A third of what Node would otherwise read before the first request.
 */
const WHEN_USED = {
  refusals:
    /^src\/core\/(apis\/explanations\/(?!signature|signed-|earlier|digests)|schema\/causes\/(?!(causes|queries|row|words|description)\.ts))/,
  modelTargetApi: /^src\/core\/apis\/model-target\//,
  queryApi: /^src\/core\/apis\/query\//,
  report: /^src\/page\/(report|select)\.ts$/,
  managerApi: /^src\/core\/apis\/manager\//,
  httpServer: /^src\/core\/http\/(body-reader|http-messages|http-server|node-server|unended-heads)\.ts$/,
  seldom:
    /^src\/(core\/(apis\/vumark\/instances|emulator\/write-json|general\/text-file|store\/(rate-history|snapshot)\.)|realism\/lag|servers\/certificate)/,
  socks: /^src\/intercept\/sockets\/socks/,
  // Of servers: what most of them never do.
  page: /^src\/page\/(?!report\.|select\.|page-requests\.)/,
  redis: /^src\/(redis\/|servers\/shared-manager)/,
  stateFiles:
    /^src\/(core\/store\/(state-file|snapshot-(lists|reader))|servers\/(persisted-state|seed-file))/,
  openapi: /^src\/openapi\//,
  managerLink: /^src\/servers\/manager-link\.ts$/,
};

/** Likewise, wherever packages are. Several of the others share the second. */
const PACKAGES_WHEN_USED = {
  dates: /\/node_modules\/date-fns\//,
  lruCache: /\/node_modules\/lru-cache\//,
  zodOutput: /\/node_modules\/zod\/v4\/(core\/visit|mini\/in-out)\.js$/,
};

const CORE = new RegExp(`^(package\\.json$|src/(?!${NOT_IN_CORE.join("|")}))`);
const CORE_PACKAGES = /\/node_modules\/zod\/(?!.*json-schema)/;

const CHECKOUT = fileURLToPath(new URL(".", import.meta.url));

/**
 * Whether a module is what every entry needs.
 * @param checkout - the repository's folder, which may itself be in one named `src`: `/usr/src/app/`
 */
export const isInCore = (path: string, checkout = CHECKOUT): boolean =>
  (isIn(CORE, path, checkout) || CORE_PACKAGES.test(path)) &&
  !Object.values(WHEN_USED).some((sources) => isIn(sources, path, checkout)) &&
  !Object.values(PACKAGES_WHEN_USED).some((packages) => packages.test(path));

/** Declarations are cut as the bundler likes. */
const isIn = (sources: RegExp, path: string, checkout = CHECKOUT): boolean =>
  path.startsWith(checkout) && !path.endsWith(".d.ts") && sources.test(path.slice(checkout.length));

/** What mocks need besides the core, and servers do not. What few tests use is in files of its own. */
const MOCKS = /^src\/(explain\/|mock\/(?!register|serve-page)|intercept\/(?!descendants|sockets\/socks))/;

/** What `using` becomes: only mocks have it. */
const USING = /^\0@oxc-project.runtime/;

const loadedWhenUsed: Rolldown.Plugin = {
  name: "loaded-when-used",
  generateBundle(_options, bundle) {
    const names = Object.keys({ ...WHEN_USED, ...PACKAGES_WHEN_USED }).join("|");
    const required = new RegExp(`^const (require_(?:${names})) = (require\\(.*\\));$`, "gm");
    for (const file of Object.values(bundle)) {
      if (file.type !== "chunk") continue;
      file.code = file.code.replace(
        required,
        "const $1 = new Proxy({}, { get: (loaded, name) => (loaded.code ??= $2)[name] });",
      );
      if (file.name !== "core") continue;
      // Another file may wait for the core.
      const others =
        file.code.match(/^(?:const \w+ = )?require\("\.\/(?!rolldown-runtime)[^"]*"\);$/gm) ?? [];
      if (others.length > 0)
        throw new Error(`expected a core that requires no other file at once; got ${others.join(" ")}`);
    }
  },
};

/**
 * Says exports in fewer words: several hundred of them would be a twentieth of what Node reads. Variables that may change keep their
 * getters, and entries keep all, for other tools.
 */
const shortExports: Rolldown.Plugin = {
  name: "short-exports",
  generateBundle(_options, bundle) {
    const long =
      /^Object\.defineProperty\(exports, "(\w+)", \{\n\tenumerable: true,\n\tget: function\(\) \{\n\t\treturn (\w+);\n\t\}\n\}\);\n/gm;
    for (const file of Object.values(bundle)) {
      if (file.type !== "chunk" || file.isEntry) continue;
      const changing = new Set(
        [...file.code.matchAll(/^(?:let|var) (\w+(?:, \w+)*)(?! = class\b)/gm)].flatMap(([, names = ""]) =>
          names.split(", "),
        ),
      );
      const exported = [...file.code.matchAll(long)].filter(([, , value]) => !changing.has(value ?? ""));
      if (file.name === "core" && exported.length === 0)
        throw new Error("expected exports as the bundler wrote them before");
      if (exported.length === 0) continue;
      const said = exported.map(([, name, value]) =>
        name === value ? `\t${name},\n` : `\t${name}: ${value},\n`,
      );
      const code = file.code.replace(long, (whole, _name, value) => (changing.has(value) ? whole : ""));
      file.code = `${code}Object.assign(exports, {\n${said.join("")}});\n`;
    }
  },
};

/** Short names for what is named some three thousand times: they would be 18 kB of the package otherwise. */
const shortNames: Rolldown.Plugin = {
  name: "short-names",
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== "chunk") continue;
      const names = new Set([...file.code.matchAll(/\brequire_(\w+)/g)].map(([, name = ""]) => name));
      const taken = [...names].find((name) => new RegExp(`\\$${name}\\b`).test(file.code));
      if (taken !== undefined) throw new Error(`expected no $${taken} yet in ${file.fileName}`);
      file.code = file.code.replace(/\brequire_(\w+)/g, "$$$1");
    }
  },
};

/** The documentation is in the declarations; a fifth of what Node would read were comments. */
const NO_COMMENTS = { jsdoc: false, annotation: false };

/**
 * What every entry needs, in one file: left to itself, the bundler cuts it into files that load each other in circles, where
 * one of them sees the other before it is complete. Declarations have no such trouble.
 */
const oneCore: Rolldown.OutputOptions = {
  comments: NO_COMMENTS,
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      { name: "core", test: (path) => isInCore(path) },
      { name: "mocks", test: (path) => (isIn(MOCKS, path) && !isInCore(path)) || USING.test(path) },
      ...Object.entries(WHEN_USED).map(([name, sources]) => ({
        name,
        test: (path: string) => isIn(sources, path),
      })),
      ...Object.entries(PACKAGES_WHEN_USED).map(([name, test]) => ({ name, test })),
    ],
  },
};

/** Makes a real module load the one copy of the code too. */
const throughTheEntries: Rolldown.Plugin = {
  name: "through-the-entries",
  resolveId: (source) => {
    const [, entry] = /\/(index|internal)\.ts$/.exec(source) ?? [];
    return entry === undefined ? null : { id: `./${entry}.mjs`, external: true };
  },
};

export default defineConfig([
  {
    ...common,
    entry: entries,
    format: "cjs",
    clean: true,
    plugins: [ownZod, moduleWrappers, advisingBrowsers, loadedWhenUsed, shortExports, shortNames, asciiOnly],
    outputOptions: oneCore,
  },
  {
    ...common,
    entry: moduleEntries,
    format: "esm",
    // Their sources say all types that they declare, so that no compiler has to read everything again.
    dts: { oxc: { stripInternal: true }, entry: DECLARED },
    clean: false,
    plugins: [throughTheEntries],
    outputOptions: { comments: NO_COMMENTS },
  },
]);
