import { readFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { copySamples, createProject, inConsumer, inModules, runNode } from "../package/run.ts";

/** A second copy of nock 14 beside the one that the package uses. */
const COPY = "nock-copy";

beforeAll(async () => {
  await copySamples("neighbours");
  await cp(inModules("nock"), inConsumer("neighbours/node_modules", COPY), { recursive: true });
});

const [major = 0] = process.versions.node.split(".").map(Number);

interface Neighbour {
  /** Its name in node_modules. */
  readonly name: string;
  /** The oldest version of Node that can load it. */
  readonly needs: number;
  /** The clients that it intercepts by itself. */
  readonly clients: readonly string[];
  /** Whether it works beside `"nock"` when the later one stops first; `undefined`: not beside `"nock"`. */
  readonly endsCleanly?: boolean;
}

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
const NEIGHBOURS: readonly Neighbour[] = [
  { name: "nock-13", needs: 20, clients: ["node:https"], endsCleanly: false },
  { name: "nock", needs: 20, clients: FETCH_AND_HTTPS, endsCleanly: true },
  { name: COPY, needs: 20, clients: FETCH_AND_HTTPS },
  { name: "nock-15", needs: 22, clients: FETCH_AND_HTTPS, endsCleanly: true },
  { name: "msw", needs: 20, clients: FETCH_AND_HTTPS, endsCleanly: false },
  { name: "msw-3", needs: 22, clients: FETCH_AND_HTTPS, endsCleanly: true },
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

  it.skipIf(major < needs || endsCleanly === undefined).each(["ours", "theirs"])(
    'intercept: "nock" answers; first started: %s',
    async (first) => {
      const later = first === "ours" ? "theirs" : "ours";
      const [round] = await rounds(name, "nock", first, later);
      expect(round?.ours).toEqual([expect.stringMatching(/^40[01] /), expect.stringMatching(/^40[01] /)]);
      if (endsCleanly)
        expect(round).toMatchObject({ left: later === "ours" ? they : OURS, isRestored: true });
      const lost = round?.reasons.filter((reason) => /no headers of its own; .*second nock/.test(reason));
      expect(lost).toEqual([]);
    },
  );
});

describe("in a project with nock 15, a mock without the option intercept", () => {
  it.runIf(major >= 22).each([
    ["nock 14 of its own", { "mock-cloud-reco/node_modules/nock": "nock" }],
    ["nock 15 by overrides", {}],
  ])("answers at the sockets, with %s, and keeps the user's", async (what, own) => {
    const project = `nock-15-${what.replaceAll(" ", "-")}`;
    await createProject(project, { nock: "nock-15", ...own });
    await cp(inConsumer("neighbours/nock-15.mjs"), inConsumer(project, "nock-15.mjs"));
    const { code, printed } = await runNode(project, ["nock-15.mjs"]);
    expect(code, printed).toBe(0);
    const { depths, ...seen } = JSON.parse(printed.split("\n").at(-1) ?? "");
    const ours = expect.stringMatching(/^401 /);
    const refused = expect.stringContaining("unhandledRequests");
    expect(seen).toEqual({
      ours: [ours, ours],
      theirs: ["200 theirs", "200 theirs"],
      blocked: [refused, refused],
      shadowed: [ours, ours, ours, ours],
      warnings: [
        expect.stringMatching(
          /^your mocks of https:\/\/vws\.vuforia\.com:443 in nock are not asked.*mock\.addFault/,
        ),
      ],
      recorded: 2,
      secondNock: false,
    });
    // Each cycle left a layer on `Socket#connect`.
    expect(depths[1]).toBe(depths[0]);
  });
});

describe("beside a second copy of nock 14", () => {
  it('intercept: "nock" is refused by the constructor, which names the alternative', async () => {
    const { code, printed } = await runNode("neighbours", ["neighbour.mjs", COPY, "nock", "theirs", "ours"]);
    expect(code).toBe(1);
    expect(printed).toMatch(
      /Error: two copies of nock are loaded, \S+nock-copy and this package's \S+, .* set the option intercept to "sockets"/,
    );
  });

  it('intercept: "nock" answers when the copy is loaded later, which then intercepts nothing', async () => {
    const [round] = await rounds(COPY, "nock", "ours", "theirs");
    expect(round).toMatchObject({
      ours: OURS,
      theirs: ["fetch failed", expect.stringContaining("theirs.example")],
      isRestored: true,
    });
  });
});

describe("beside two servers of MSW 2 in one process, of which MSW itself only lets the later one answer", () => {
  it.each(["12m", "1m2", "m12"])("both ours and theirs answer; started in the order %s", async (order) => {
    for (const intercept of ["nock", "sockets"]) {
      const { code, printed } = await runNode("neighbours", ["two-servers.mjs", intercept, order]);
      expect(code, printed).toBe(0);
      const { results, isRestored } = JSON.parse(printed.split("\n").at(-1) ?? "");
      // Beside nock, MSW loses requests of node:https, with and without a mock.
      expect(results).toEqual([401, 401, 200, intercept === "sockets" ? 200 : expect.anything()]);
      if (intercept === "sockets") expect(isRestored).toBe(true);
    }
  });
});

describe("what MSW lets through when it refuses requests without a handler", () => {
  const guide = readFileSync(new URL("../../examples/msw/README.md", import.meta.url), "utf8").replaceAll(
    /\s+/g,
    " ",
  );
  const blocked = expect.stringContaining('"mock-cloud-reco/register" blocks the real service');
  const refused = (option: string) =>
    expect.stringMatching(new RegExp(`^.*\\[MSW\\] Cannot bypass .*"${option}"`));

  it.for([
    { name: "msw", needs: 20, option: "onUnhandledRequest", toMock: "refused", handled: 401 },
    { name: "msw-3", needs: 22, option: "onUnhandledFrame", toMock: "answered", handled: blocked },
  ])("is as the guide says of $name", async ({ name, needs, option, toMock, handled }, { skip }) => {
    skip(major < needs);
    await createProject(`unhandled-${name}`, { msw: name, undici: "undici" });
    await cp(inConsumer("neighbours/unhandled.mjs"), inConsumer(`unhandled-${name}/unhandled.mjs`));
    const { code, printed } = await runNode(`unhandled-${name}`, ["unhandled.mjs"]);
    expect(code, printed).toBe(0);
    expect(JSON.parse(printed.split("\n").at(-1) ?? "")).toEqual({
      mock: toMock === "refused" ? [refused(option), refused(option)] : [401, 401],
      mockPassed: [401, 401],
      servers: refused(option),
      serversPassed: 401,
      handled,
      undici: blocked,
    });
    expect(guide).toContain(`\`${option}: "error"\``);
  });

  it("is said of both versions", () => {
    expect(guide).toContain(
      'MSW 2 then needs a `passthrough()` handler for the service\'s hosts; MSW 3, with `onUnhandledFrame: "error"`, needs none',
    );
    expect(guide).toContain("For servers, both need one");
    expect(guide).toContain("MSW does not see undici's `request`");
    expect(guide).toContain("With `mock-cloud-reco/register`, MSW 3 sees no request to it");
  });
});

describe("the handlers for MSW", () => {
  it.runIf(major >= 24).for([
    { name: "msw", code: 0 },
    { name: "msw-3", code: 1 },
  ])("of $name behind a proxy of the environment end with code $code", async ({ name, code }) => {
    await createProject(`proxied-${name}`, { msw: name });
    await cp(inConsumer("neighbours/handlers.mjs"), inConsumer(`proxied-${name}/handlers.mjs`));
    const proxy = { NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: "http://127.0.0.1:9" };
    const ended = await runNode(`proxied-${name}`, ["handlers.mjs", "ours"], proxy);
    expect(ended.code, ended.printed).toBe(code);
  });

  it.for([
    { name: "msw", needs: 20, first: "ours" },
    { name: "msw", needs: 20, first: "theirs" },
    { name: "msw-3", needs: 22, first: "ours" },
    { name: "msw-3", needs: 22, first: "theirs" },
  ])(
    "of $name answer from a mock that intercepts nothing; first started: $first",
    async ({ name, needs, first }, { skip }) => {
      skip(major < needs);
      await createProject(`handlers-${name}`, { msw: name });
      await cp(inConsumer("neighbours/handlers.mjs"), inConsumer(`handlers-${name}/handlers.mjs`));
      const { code, printed } = await runNode(`handlers-${name}`, ["handlers.mjs", first]);
      expect(code, printed).toBe(0);
      expect(JSON.parse(printed.split("\n").at(-1) ?? "")).toEqual([
        "pictures",
        401,
        401,
        "A",
        expect.stringMatching(/^(Failed to fetch|fetch failed)$/),
        4,
      ]);
    },
  );
});
