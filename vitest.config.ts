import { rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import packageJson from "./package.json" with { type: "json" };
import { BUILT_PACKAGE, CACHE } from "./test/support/bundle.ts";
import { ALL } from "./test/support/combinations.ts";
import { markdownBlocks } from "./test/support/markdown-blocks-plugin.ts";
import { hasMatrix } from "./test/support/matrix.ts";
import { RepeatedTests } from "./test/support/repeated-tests.ts";
import { SkippedTests, saysWhatIsSkipped } from "./test/support/skipped.ts";

// Tests reach no other machine, and reading that machine's certificates takes as long as half of a process's start.
delete process.env.NODE_EXTRA_CA_CERTS;

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Tests of what a mock or the decoder does to the process, which must be theirs alone. */
const WHOLE_PROCESS = [
  "test/docs/guides.test.ts",
  "test/images/{decoder-limits,large-decoder,ready-for-queries}.test.ts",
  "test/runners/node-test-fixture.test.ts",
];

/** Tests of what a mock and others patch and load: that is of a thread, which starts in less time than a process. */
const INTERCEPTION = "test/intercept/**/*.test.ts";

const BUILDS_PACKAGE = { globalSetup: "test/support/built-package.ts" };
/** Each file would take longer to import the sources than for its tests. */
const IMPORTS_BUILT_PACKAGE = {
  alias: [
    { find: /^mock-cloud-reco$/, replacement: `${BUILT_PACKAGE}/index.mjs` },
    { find: /^mock-cloud-reco\/register$/, replacement: `${BUILT_PACKAGE}/register.mjs` },
  ],
};
/** Coverage is that of the sources, and who watches changes them. */
const TESTS_SOURCES = process.argv.includes("--coverage") || !process.argv.includes("run");

/** Each project has a Vite of its own, which would transform every source again: in a run, what one has transformed the others read. */
const TRANSFORMED = `${CACHE}/transformed-${process.pid}`;
const SHARES_TRANSFORMED = {
  experimental: { fsModuleCache: true, fsModuleCachePath: TRANSFORMED },
};
const removeTransformed = { onTestRunEnd: () => rm(TRANSFORMED, { recursive: true, force: true }) };

/** Tests that start programs: a stalled machine fails them once, a defect fails them twice. */
const PROGRAMS = [
  "test/cli/{advice,env-file,exec,healthcheck,host-names,input-files,mounted-state,processes,progress,redis-guide,run,seeding,serve,service-links,walkthrough}.test.ts",
  "test/combined/combined.test.ts",
  "test/conformance/verify/verify.test.ts",
  "test/docs/{main-job,release,vuforia-api}.test.ts",
  "test/mock/realism/transports.test.ts",
  "test/protocol/model-target/{archive,workflow-example}.test.ts",
  "test/servers/redis-{away,cluster,servers}.test.ts",
  "test/store/redis-{filling,snapshots,store}.test.ts",
];

/** Tests of the package's declarations, which take most of the time of building it. */
const DECLARATIONS = "test/{package/{checkout,contents,types},matrix/types}.test.ts";
/** Of the package: they start processes of their own, in which everything happens that they test. */
const OF_PACKAGE = {
  isolate: false,
  globalSetup: "test/package/pack.ts",
  maxConcurrency: 3,
  testTimeout: 120_000,
  retry: 1,
};
const WITHOUT_MATRIX = hasMatrix ? [] : ["test/matrix/**"];

/** What `npm run check` tests. CI does that first, with every combination, and does not repeat it. */
const CHECKED =
  process.env.CHECKED === undefined
    ? []
    : [...packageJson.scripts.check.matchAll(/test\/\w+/g)].map(([folder]) => `${folder}/**`);

/** Soaks and large inputs take a fifth of the time of all tests: by default, only CI runs most of them. */
const SLOW = ALL ? "test/slow/**/*.test.ts" : "test/slow/{faults,process}.test.ts";
/** Those that take minutes. The workflow runs them on main and every night, with `SOAKS=1`; `.ci/run` alone has 25 minutes. */
const SOAKS = process.env.SOAKS === "1" ? [] : ["test/slow/{hostile-bodies,large-state,memory}.test.ts"];

export default defineConfig({
  plugins: [markdownBlocks()],
  resolve: {
    alias: [
      { find: /^mock-cloud-reco$/, replacement: source("./src/index.ts") },
      { find: /^mock-cloud-reco\/server$/, replacement: source("./src/servers/index.ts") },
      {
        find: /^mock-cloud-reco\/(assert|jest|msw|node-test|playwright|vitest)$/,
        replacement: source("./src/testing/$1.ts"),
      },
      {
        find: /^mock-cloud-reco\/examples\/client$/,
        replacement: source("./examples/client/vuforia-client.cjs"),
      },
      { find: /^mock-cloud-reco\/register$/, replacement: source("./src/mock/register.ts") },
      { find: /^mock-cloud-reco\/openapi$/, replacement: source("./src/openapi/index.ts") },
    ],
  },
  test: {
    testTimeout: 30_000,
    reporters: ["default", new RepeatedTests(), new SkippedTests(), removeTransformed],
    onConsoleLog: (printed) => !saysWhatIsSkipped(printed),
    setupFiles: [source("./test/support/each-file.ts")],
    ...(TESTS_SOURCES ? {} : SHARES_TRANSFORMED),
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      exclude: ["src/page/ui/**"],
      reporter: "text-summary",
      // By a selection, without slow tests, and those of the page and the installed package, which run in processes of their own.
      thresholds: { lines: 95, branches: 88 },
    },
    // One more than two cores: many tests wait, for processes or a processing time. By itself, Vitest leaves one core idle.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    projects: [
      {
        extends: true,
        // Files share workers: importing everything again for each of them takes longer than most tests.
        test: {
          name: "source",
          include: ["test/**/*.test.ts"],
          exclude: [
            ...WHOLE_PROCESS,
            INTERCEPTION,
            ...PROGRAMS,
            "test/container/**",
            "test/matrix/**",
            "test/package/**",
            "test/slow/**",
            "test/page/**",
            ...CHECKED,
          ],
          isolate: false,
        },
      },
      { extends: true, test: { name: "process", include: WHOLE_PROCESS } },
      {
        extends: true,
        test: {
          name: "interception",
          include: [INTERCEPTION],
          pool: "threads",
          ...BUILDS_PACKAGE,
          ...(TESTS_SOURCES ? {} : IMPORTS_BUILT_PACKAGE),
        },
      },
      {
        extends: true,
        test: { name: "programs", include: PROGRAMS, isolate: false, retry: 1, ...BUILDS_PACKAGE },
      },
      {
        extends: true,
        test: {
          name: "page",
          include: ["test/page/**/*.test.ts"],
          isolate: false,
          globalSetup: "test/page/set-up.ts",
          testTimeout: 120_000,
          expect: { poll: { timeout: 60_000 } },
          // A browser of its own process, on a machine that does other things too.
          retry: 1,
        },
      },
      {
        extends: true,
        test: { name: "slow", include: [SLOW], exclude: SOAKS, testTimeout: 240_000, retry: 1 },
      },
      {
        extends: true,
        test: { name: "declarations", include: [DECLARATIONS], exclude: WITHOUT_MATRIX, ...OF_PACKAGE },
      },
      {
        extends: true,
        test: {
          name: "package",
          include: ["test/{package,matrix}/**/*.test.ts"],
          exclude: [DECLARATIONS, ...WITHOUT_MATRIX, "**/node_modules/**"],
          ...OF_PACKAGE,
        },
      },
    ],
  },
});
