import { execFileSync } from "node:child_process";
import { BUILT_ENTRY, build } from "./built-package.ts";
import type { Bench, Comparison } from "./measure.ts";

const RUNS = 7;

/** Measured inside a fresh process, where nothing is loaded yet. */
const SCRIPT = `
  const start = performance.now();
  const { MockCloudReco } = require(${JSON.stringify(BUILT_ENTRY)});
  const imported = performance.now();
  const mock = new MockCloudReco();
  const constructed = performance.now();
  mock.stop();
  const first = performance.now();
  for (let count = 0; count < 100; count++) new MockCloudReco().stop();
  const again = (performance.now() - first) / 100;
  console.log(JSON.stringify({ import: imported - start, construct: constructed - imported, again }));
`;

/** What a test run pays for loading the package and making mocks. */
export const bench: Bench = {
  async run() {
    build();
    const runs = Array.from({ length: RUNS }, () => {
      const output = execFileSync(process.execPath, ["-e", SCRIPT], { encoding: "utf8" });
      const times: Record<"import" | "construct" | "again", number> = JSON.parse(output);
      return times;
    });
    const least = (which: "import" | "construct" | "again") => Math.min(...runs.map((run) => run[which]));
    const allowed = (name: string, milliseconds: number, atMost: number): Comparison => ({
      name,
      milliseconds,
      baseline: "what is allowed",
      baselineMilliseconds: atMost,
      atLeast: 1,
    });
    return [
      allowed("importing the package in a new process", least("import"), 45),
      allowed("constructing the first mock, nock included", least("construct"), 50),
      allowed("constructing and ending another mock", least("again"), 5),
    ];
  },
};
