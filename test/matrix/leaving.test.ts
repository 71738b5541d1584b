import { beforeAll, describe, expect, it } from "vitest";
import { copySamples, inModules, runNode, runProgram } from "../package/run.ts";
import { canIsolate, ISOLATED } from "../support/name-spaces.ts";
import { LEAVING } from "./leaving-clients.ts";

beforeAll(() => copySamples("leaving"));

const RUNTIMES = {
  Node: [process.execPath],
  Bun: [inModules(".bin/bun"), "run"],
  Deno: [inModules(".bin/deno"), "run", "-A"],
};

/** The service's name leads to a host that listens; then something may be taken away. */
const world = (taken: string) => `
  ip link set lo up
  ip addr add 203.0.113.7/32 dev lo
  names=$(mktemp)
  echo "203.0.113.7 vws.vuforia.com" > "$names"
  mount --bind "$names" /etc/hosts
  coproc HOST { exec "$NODE" host.mjs; }
  read -r listening <&"\${HOST[0]}"
  ${taken}"$@"
  kill "$HOST_PID"
  rm "$names"
`;
const NO_RESOLVER = 'mount --bind /dev/null /etc/resolv.conf; : > "$names"\n';
const NO_NETWORK = "unshare --net ";

async function ends(command: readonly string[], modes: readonly string[], taken = ""): Promise<unknown> {
  const args = [...ISOLATED, "bash", "-euc", world(taken), "bash", ...command, "leaving.mjs", ...modes];
  const environment = { NODE: process.execPath, NODE_OPTIONS: "" };
  const { code, printed } = await runProgram("unshare", "leaving", args, environment);
  expect(code, printed).toBe(0);
  return JSON.parse(printed.split("\n").at(-1) ?? "");
}

/** What is expected of each client of a runtime. */
const all = (runtime: string, of: (clients: (typeof LEAVING)[number]) => object) =>
  Object.fromEntries(
    LEAVING.filter((clients) => clients.runtime === runtime).flatMap((clients) =>
      clients.names.map((name) => [name, of(clients)]),
    ),
  );
const stopped = () => ({ none: "stopped" });

describe.runIf(canIsolate)("the clients that leave", () => {
  describe.each(Object.entries(RUNTIMES))("of %s", (runtime, command) => {
    it("reach the service or not, as the guide's table says", async () => {
      expect(await ends(command, ["nock", "sockets", "register"])).toEqual(
        all(runtime, ({ mock, register }) => ({ nock: mock, sockets: mock, register })),
      );
    });
  });

  it.each([
    ["Bun", "network", NO_NETWORK],
    ["Node", "resolver", NO_RESOLVER],
  ] as const)("of %s are stopped where there is no %s", async (runtime, _what, taken) => {
    expect(await ends(RUNTIMES[runtime], ["none"], taken)).toEqual(all(runtime, stopped));
  });

  it("of Deno are stopped by --deny-net and without --allow-run", async () => {
    const allowed = ["--deny-net", "--allow-env", "--allow-read", "--allow-ffi", "--no-prompt"];
    expect(await ends([inModules(".bin/deno"), "run", ...allowed], ["none"])).toEqual(all("Deno", stopped));
  });

  it.runIf(process.allowedNodeEnvironmentFlags.has("--allow-net"))(
    "of Node are stopped by its permissions, but for native ones that may be loaded",
    async () => {
      const reading = [process.execPath, "--permission", "--allow-fs-read=*"];
      expect(await ends(reading, ["none"])).toEqual(all("Node", stopped));
      expect(await ends([...reading, "--allow-addons"], ["none"])).toEqual({
        ...all("Node", stopped),
        impit: { none: "leaves" },
        "wreq-js": { none: "leaves" },
      });
    },
  );
});

it("mock-cloud-reco/register names native clients that are loaded", async () => {
  const program = 'await import("impit"); await import("impit"); await import("wreq-js");';
  const args = ["--import", "mock-cloud-reco/register", "--input-type=module", "-e", program];
  const { code, printed } = await runNode("leaving", args);
  expect(code, printed).toBe(0);
  expect(printed.match(/\S+(?= does not send its requests through Node)/g), printed).toEqual([
    "impit",
    "wreq-js",
  ]);
});
