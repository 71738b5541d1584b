import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { TaskMeta } from "vitest";
import { generateClients } from "./generated.ts";
import { installEverywhere } from "./install.ts";

/*
 * Runs what the guide "Works with" promises on each supported version of Node, which npx downloads, and prints a table:
 * `npm run test:matrix`, or `npm run test:matrix -- 22 24`. Versions of clients, runners and interceptors that a version of Node
 * cannot load are skipped.
 */
const FILES = [
  "test/matrix/clients.test.ts",
  "test/matrix/every-client.test.ts",
  "test/matrix/kept-clients.test.ts",
  "test/matrix/http2.test.ts",
  "test/matrix/leaving.test.ts",
  "test/package/clients-around-nock.test.ts",
  "test/package/failures-explained.test.ts",
  "test/matrix/neighbours.test.ts",
  "test/matrix/cycles.test.ts",
  "test/matrix/realms.test.ts",
  "test/package/register.test.ts",
  "test/package/whole-urls.test.ts",
  "test/package/runners.test.ts",
  "test/matrix/runners.test.ts",
  "test/matrix/runtimes.test.ts",
  "test/package/memory.test.ts",
  "test/matrix/types.test.ts",
  "test/matrix/worker.test.ts",
  "test/matrix/permissions.test.ts",
  "test/matrix/vitest-5.test.ts",
  "test/package/playwright.test.ts",
  "test/intercept/nock.test.ts",
  "test/intercept/sockets.test.ts",
  "test/intercept/other-hosts.test.ts",
  "test/intercept/users-nock.test.ts",
  "test/intercept/restored-when-stopped.test.ts",
  "test/intercept/undici.test.ts",
  "test/intercept/looked-up-hosts.test.ts",
  "test/intercept/answered-as-by-a-server.test.ts",
  "test/intercept/fetch-as-at-the-sockets.test.ts",
  "test/intercept/other-hosts-as-without-a-mock.test.ts",
  "test/intercept/user-nock-first.test.ts",
  "test/intercept/by-address.test.ts",
  "test/intercept/proxies.test.ts",
  "test/intercept/socks.test.ts",
  "test/intercept/kept-connections.test.ts",
  "test/intercept/kept-sockets.test.ts",
  "test/intercept/kept-other-hosts.test.ts",
  "test/intercept/kept-other-sockets.test.ts",
  "test/intercept/kept-proxies.test.ts",
  "test/intercept/upgraded-and-raw-sockets.test.ts",
  "test/intercept/tracers.test.ts",
  "test/intercept/mock-fetch-as-fetch.test.ts",
  "test/intercept/origin-pattern.test.ts",
  "test/intercept/asynchronous-context.test.ts",
];

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly meta?: TaskMeta;
    }[];
  }[];
}

const given = process.argv.slice(2);
const versions = given.length > 0 ? given : ["20", "22", "24", "26"];
const folder = await realpath(await mkdtemp(join(tmpdir(), "matrix-")));
spawnSync("npm", ["install", "--no-audit", "--no-fund", "--prefix", "test/matrix"], { stdio: "inherit" });
const cells = new Map<string, string[]>(FILES.map((file) => [file, []]));
const failed: string[] = [];
const answered: ({ readonly version: string } & NonNullable<TaskMeta["client"]>[number])[] = [];
for (const version of versions) {
  const output = join(folder, `${version}.json`);
  const vitest = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--reporter=json",
    `--outputFile=${output}`,
    ...FILES,
  ];
  spawnSync("npx", ["--yes", "--package", `node@${version}`, "--", "node", ...vitest], {
    stdio: "inherit",
  });
  const { testResults }: Report = JSON.parse(await readFile(output, "utf8"));
  for (const file of FILES) {
    const results = testResults.filter(({ name }) => relative(process.cwd(), name) === file);
    const tests = results.flatMap(({ assertionResults }) => assertionResults);
    const count = (status: string) => tests.filter((test) => test.status === status).length;
    const skipped = tests.length - count("passed") - count("failed");
    const parts = [`${count("passed")} passed`];
    if (count("failed") > 0) parts.push(`${count("failed")} failed`);
    if (skipped > 0) parts.push(`${skipped} skipped`);
    cells.get(file)?.push(tests.length === 0 ? "did not run" : parts.join(", "));
    if (tests.length === 0) failed.push(`Node ${version}: ${file} did not run`);
    for (const { status, fullName, meta = {} } of tests) {
      if (status === "failed") failed.push(`Node ${version}: ${fullName}`);
      for (const one of meta.client ?? []) answered.push({ version, ...one });
    }
  }
}
const further = [
  ...[...(await installEverywhere(folder))].map(([neighbour, result]) => [
    `Installed beside ${neighbour}`,
    result,
  ]),
  ...(await generateClients(folder)),
];
for (const [what, result] of further) {
  console.log(`${what}: ${result}`);
  if (result !== "works") failed.push(`${what}: ${result}`);
}
await rm(folder, { recursive: true });
const rows = [["", ...versions.map((version) => `Node ${version}`)], versions.concat("").map(() => "---")];
for (const [file, row] of cells) rows.push([file, ...row]);
const table = (all: readonly (readonly string[])[]) => all.map((row) => `| ${row.join(" | ")} |`).join("\n");
console.log(table(rows));
console.log("\nRequests that end as those to servers do, of each client:\n");
const modes = [...new Set(answered.map(({ mode }) => mode))];
const clients = [...new Set(answered.map(({ name }) => name))].map((name) => [
  name,
  ...modes.map((mode) => {
    const of = answered.filter((one) => one.name === name && one.mode === mode);
    return of.map(({ version, same }) => `${version}: ${same}`).join(", ");
  }),
]);
console.log(table([["client", ...modes], ["---", ...modes.map(() => "---")], ...clients]));
for (const mode of modes) {
  const times = answered.filter((one) => one.mode === mode).map((one) => ({ ...one, ...one.slowest }));
  const [slowest] = times.sort((a, b) => b.milliseconds - a.milliseconds);
  if (slowest !== undefined)
    console.log(
      `${mode}: at most ${slowest.milliseconds} ms (${slowest.name}, ${slowest.request}, Node ${slowest.version})`,
    );
}
for (const line of failed) console.log(line);
process.exitCode = failed.length > 0 ? 1 : 0;
