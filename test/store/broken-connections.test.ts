import { connect, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectToManager } from "../../src/servers/manager-connection.ts";
import { GLOBAL } from "../../src/store/backing.ts";
import { ManagerClient } from "../../src/store/manager/manager-client.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import { assessByBytes, cloud, NOW } from "./contract-cases.ts";
import { type Backing, openBacking } from "./manager-backing.ts";

type Side = "request" | "response";

let backing: Backing;
let proxy: Awaited<ReturnType<typeof openProxy>>;
let state: ManagerClient;
let close: () => void;
beforeEach(async () => {
  backing = await openBacking();
  proxy = await openProxy(backing.port);
  const connection = connectToManager({ managerUrl: new URL(`http://127.0.0.1:${proxy.port}`) });
  state = new ManagerClient(connection.exchange);
  close = connection.close;
});
afterEach(async () => {
  close();
  proxy.close();
  await backing.close();
});

/** Forwards connections, and cuts one after so many bytes in one direction. */
async function openProxy(port: number) {
  let cut: { readonly side: Side; left: number } | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const manager = connect(port, "127.0.0.1");
    const pair = [client, manager];
    const end = () => {
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) {
      sockets.add(socket);
      socket.on("error", end).on("close", end);
    }
    const forward = (from: Socket, to: Socket, side: Side) =>
      from.on("data", (chunk: Buffer) => {
        if (cut?.side !== side) return void to.write(chunk);
        const { left } = cut;
        cut.left -= chunk.length;
        if (cut.left > 0) return void to.write(chunk);
        cut = undefined;
        // What was forwarded has to arrive before the connection ends.
        to.write(chunk.subarray(0, left), end);
      });
    forward(client, manager, "request");
    forward(manager, client, "response");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" ? address?.port : undefined,
    cutAfter(side: Side, bytes: number) {
      cut = { side, left: bytes };
    },
    /** Whether the last cut was made. */
    hasCut: () => cut === undefined,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Runs an exchange, cut after each of its bytes, or every so many. Returns how often it was cut. */
async function cutEverywhere(side: Side, exchange: (bytes: number) => Promise<void>, step = 1) {
  for (let cuts = 0; ; cuts += 1) {
    const bytes = 1 + cuts * step;
    // On a connection that was used before.
    await state.readClock();
    proxy.cutAfter(side, bytes);
    await exchange(bytes);
    if (!proxy.hasCut()) return cuts;
  }
}

const sides = ["request", "response"] as const;

test.each(sides)(
  "a database is created once, wherever a connection is cut in the %s",
  async (side) => {
    const cuts = await cutEverywhere(side, async (number) => {
      const databaseName = `${side} ${String(number).padStart(4, "0")}`;
      expect(await state.create(cloud({ databaseName })), `cut after ${number} bytes`).toBeUndefined();
    });
    expect(cuts).toBeGreaterThan(100);
    expect(backing.memory.state.databases).toHaveLength(cuts + 1);
  },
  120_000,
);

test.each(sides)("changes are committed once, wherever a connection is cut in the %s", async (side) => {
  const credential = { clientId: "a", clientSecret: "b", scopes: [] };
  const cuts = await cutEverywhere(
    side,
    async (number) => {
      const found = await state.read(GLOBAL);
      if (typeof found !== "object") throw new Error("no records");
      const { scope, version } = found;
      proxy.cutAfter(side, number);
      const change = { kind: "credential", key: "a", record: credential } as const;
      expect(await state.commit({ scope, version }, [change]), `cut after ${number} bytes`).toBe(version + 1);
    },
    7,
  );
  expect(cuts).toBeGreaterThan(15);
  expect(backing.memory.state.global.version).toBe(cuts + 1);
});

test.each(sides)("a request counts once, wherever a connection is cut in the %s", async (side) => {
  backing.memory.createDatabase(cloud());
  const [{ scope } = { scope: "" }] = await state.list();
  const rule = { key: "a", maxRequests: 1_000_000, windowSeconds: 1000 };
  const cuts = await cutEverywhere(
    side,
    async () => {
      expect(await state.takeRateToken(scope, [rule], NOW)).toBeUndefined();
    },
    7,
  );
  expect(cuts).toBeGreaterThan(15);
  const [histories] = backing.memory.state.databases.map((database) => database.histories);
  expect(histories?.get("a")).toHaveLength(cuts + 1);
});

test("a change that an ended manager may have made is not made by the next one", async () => {
  await state.readClock();
  proxy.cutAfter("request", 100);
  const creating = state.create(cloud());
  await backing.kill();
  const next = new MemoryStore(assessByBytes);
  await backing.restart(next);
  await expect(creating).rejects.toThrow(
    /cannot be reached|the manager was restarted, and may have made this change before$/,
  );
  expect(next.state.databases).toHaveLength(0);
});
