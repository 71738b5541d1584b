import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { combinations, firstOf } from "../support/combinations.ts";
import { inMatrix } from "../support/matrix.ts";
import { useBundle } from "../support/use-bundle.ts";

/** What each client received from each host at each step "ask", and what is patched at the end. */
interface Outcome {
  readonly results: readonly Readonly<Record<string, string>>[];
  readonly left: readonly string[];
}

const [major = 0] = process.versions.node.split(".").map(Number);
const program = useBundle("test/intercept/nock-orders.ts");
const run = promisify(execFile);
const TRAP = `--import=${new URL("../support/network-trap.mjs", import.meta.url)}`;
const OWN = fileURLToPath(new URL("../../node_modules/nock/index.js", import.meta.url));

const NOCKS = [
  { version: 13, file: inMatrix("nock-13/index.js"), needs: 20 },
  { version: 14, file: OWN, needs: 20 },
  { version: 15, file: inMatrix("nock-15/dist/index.js"), needs: 22 },
].filter(({ file, needs }) => existsSync(file) && major >= needs);

async function outcome(file: string, mode: string, order: string): Promise<Outcome> {
  const { stdout } = await run(process.execPath, [TRAP, program(), file, mode, ...order.split(" ")]);
  return JSON.parse(stdout);
}

const withoutMock = new Map<string, Promise<Outcome>>();
/** The outcome without a mock, which each mode is compared with. */
function outcomeWithout(file: string, order: string): Promise<Outcome> {
  const key = `${file} ${order}`;
  const known = withoutMock.get(key) ?? outcome(file, "none", order);
  withoutMock.set(key, known);
  return known;
}

/** Orders of steps. "start" and "stop" are the mock's; the others are the user's calls of nock. */
const ORDERS = [
  "import start mocks ask stop ask restore",
  "import mocks start ask stop ask restore",
  "import start mocks ask restore ask activate ask cleanAll ask mocks ask stop restore ask",
  "import mocks start ask restore ask stop ask activate ask restore",
  "import restore activate start mocks ask stop ask restore",
  "start ask stop import activate mocks ask start ask stop ask restore ask",
  "start import mocks ask cleanAll ask restore stop ask",
  "import restore start activate mocks ask restore stop ask activate ask restore",
];

/** Orders in which the user's nock becomes active later than the mock's, and is restored later. */
const INTERLOCKED = [
  "start import mocks ask stop ask restore",
  "importing start import mocks ask stop ask restore",
  "import restore start activate mocks ask stop ask restore",
  "import restore start ask activate mocks ask restore ask activate ask stop ask restore ask",
  "import start ask restore stop ask start activate mocks ask stop restore ask",
];

/** Each version in both modes. */
const USED = NOCKS.flatMap((nock) => ["nock", "sockets"].map((mode) => ({ ...nock, mode })));

test.each(
  combinations(USED, [...firstOf(ORDERS, 2), ...firstOf(INTERLOCKED, 2)]).map(([used, order]) => ({
    ...used,
    order,
  })),
)(
  'a user\'s nock $version answers as without a mock, which answers for its own hosts, with intercept: "$mode": $order',
  async ({ version, file, mode, order }) => {
    const [without, beside] = await Promise.all([outcomeWithout(file, order), outcome(file, mode, order)]);
    const wanted = without.results.map((answers, index) => {
      const own = Object.keys(beside.results[index] ?? {}).filter((name) => name.startsWith("ours "));
      return { ...Object.fromEntries(own.map((name) => [name, "401 ours"])), ...answers };
    });
    expect(beside.results).toEqual(wanted);
    // A nock other than the mock's puts back what it found, which is the mock's.
    const isLeft = INTERLOCKED.includes(order) && version !== 14 && mode === "nock";
    // nock 15 puts back what guarded `Socket#connect`: it does nothing until the next mock uses it.
    const idle = INTERLOCKED.includes(order) && version === 15 ? ["connect"] : [];
    if (!isLeft) expect(beside.left.filter((name) => !idle.includes(name))).toEqual([]);
  },
);

describe.each(NOCKS)("a user's nock $version with disableNetConnect()", ({ version, file }) => {
  test.each(["nock", "sockets"])(
    'lets the mock answer once its host is allowed, with intercept: "%s"',
    async (mode) => {
      const { results } = await outcome(file, mode, "import start disable ask allow ask stop restore");
      // nock 13 refuses before it opens a connection. So does nock 14, unless the mock's interceptors are in it.
      const isRefused = version === 13 || (version === 14 && mode === "sockets");
      const answers = results.map((each) =>
        ["node:https", "axios", "got"].map((name) => each[`ours ${name}`]),
      );
      expect(answers).toEqual([
        Array(3).fill(isRefused ? "ENETUNREACH" : "401 ours"),
        Array(3).fill("401 ours"),
      ]);
    },
  );
});

test("mocks of a user whose nock is inactive when the mock starts are answered, and after it too", async () => {
  const { results, left } = await outcome(OWN, "nock", "import restore start mocks ask stop ask restore");
  const theirs = results.map((answers) =>
    Object.entries(answers).filter(([name, answer]) => name.startsWith("theirs") && answer !== "200 theirs"),
  );
  expect(theirs).toEqual([[], []]);
  expect(left).toEqual([]);
});
