import { cp, mkdir, rm, symlink } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { copySamples, inConsumer, inModules, runNode } from "./run.ts";

beforeAll(() => copySamples("neighbours"));

const [major = 0] = process.versions.node.split(".").map(Number);

interface Round {
  /** What fetch and node:https received from each host while both interceptors were started. */
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
  /** The same from the host of the interceptor that was stopped last, after the other one was stopped. */
  readonly left: readonly string[];
  /** What the mock's journal says about each of its requests. */
  readonly reasons: readonly string[];
  readonly isRestored: boolean;
}

async function rounds(...args: readonly string[]): Promise<readonly Round[]> {
  const { code, printed } = await runNode("neighbours", ["neighbour.mjs", ...args]);
  expect(code, printed).toBe(0);
  return JSON.parse(printed.split("\n").at(-1) ?? "");
}

const FETCH_AND_HTTPS = ["fetch", "node:https"];
/**
 * A neighbour's name in node_modules, the clients that it intercepts by itself, and whether it works beside `"nock"` when the later
 * one stops first.
 */
const NEIGHBOURS = [
  { name: "nock-13", needs: 20, clients: ["node:https"], endsCleanly: false },
  { name: "nock", needs: 20, clients: FETCH_AND_HTTPS, endsCleanly: true },
  { name: "nock-15", needs: 24, clients: FETCH_AND_HTTPS, endsCleanly: true },
  { name: "msw", needs: 20, clients: FETCH_AND_HTTPS, endsCleanly: false },
  { name: "msw-3", needs: 24, clients: FETCH_AND_HTTPS, endsCleanly: true },
];

/** The refusal of a key that does not exist. */
const OURS = [expect.stringMatching(/^400 /), expect.stringMatching(/^400 /)];
const theirs = (clients: readonly string[]) =>
  FETCH_AND_HTTPS.map((client) => (clients.includes(client) ? "200 theirs" : expect.any(String)));

describe.each(NEIGHBOURS)("beside $name", ({ name, needs, clients, endsCleanly }) => {
  const they = theirs(clients);

  it.skipIf(major < needs).each(["ours", "theirs"])(
    'intercept: "sockets" works in every order of stops, and leaves nothing patched; first started: %s',
    async (first) => {
      const both = { ours: OURS, theirs: they, isRestored: true };
      expect(await rounds(name, "sockets", first, "ours", "theirs")).toMatchObject([
        { ...both, left: they },
        { ...both, left: OURS },
      ]);
    },
  );

  it.skipIf(major < needs).each(["ours", "theirs"])(
    'intercept: "nock" answers; first started: %s',
    async (first) => {
      const later = first === "ours" ? "theirs" : "ours";
      const [round] = await rounds(name, "nock", first, later);
      expect(round?.ours).toEqual([expect.stringMatching(/^40[01] /), expect.stringMatching(/^40[01] /)]);
      if (endsCleanly)
        expect(round).toMatchObject({ left: later === "ours" ? they : OURS, isRestored: true });
      const lost = round?.reasons.filter((reason) => /no headers arrived at all; .*second nock/.test(reason));
      expect(lost).toHaveLength(name === "nock-13" && first === "ours" ? 1 : 0);
    },
  );
});

describe("the handlers for MSW", () => {
  it.each([
    { name: "msw", needs: 20 },
    { name: "msw-3", needs: 24 },
  ])("of $name answer from a mock that intercepts nothing", async ({ name, needs }) => {
    if (major < needs) return;
    // In a project of its own, where "msw" is this version.
    await rm(inConsumer(`handlers-${name}`), { recursive: true, force: true });
    await mkdir(inConsumer(`handlers-${name}/node_modules`), { recursive: true });
    await symlink(inModules(name), inConsumer(`handlers-${name}/node_modules/msw`));
    const installed = "node_modules/mock-cloud-reco";
    await cp(inConsumer(installed), inConsumer(`handlers-${name}`, installed), { recursive: true });
    await cp(inConsumer("neighbours/handlers.mjs"), inConsumer(`handlers-${name}/handlers.mjs`));
    const { code, printed } = await runNode(`handlers-${name}`, ["handlers.mjs"]);
    expect(code, printed).toBe(0);
    expect(JSON.parse(printed.split("\n").at(-1) ?? "")).toEqual([
      "pictures",
      401,
      401,
      "A",
      expect.stringMatching(/^(Failed to fetch|fetch failed)$/),
      4,
    ]);
  });
});
