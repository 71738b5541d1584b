import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "iovalkey";
import { freePorts } from "./free-ports.ts";
import { answering, command, whyNoRedis } from "./redis-server.ts";

const HOST = "127.0.0.1";
const PASSWORD = "hidden";
const RANGES = ["0-5460", "5461-10922", "10923-16383"];

interface Node {
  readonly id: string;
  readonly port: number;
  readonly busPort: number;
  readonly folder: string;
}

/** What every node knows from the start, so that they need not meet: that takes seconds. */
const nodesFile = (nodes: readonly Node[], own: Node): string => {
  const lines = nodes.map(({ id, port, busPort }, index) => {
    const flags = id === own.id ? "myself,master" : "master";
    const range = RANGES[index] ?? "";
    return `${id} ${HOST}:${port}@${busPort} ${flags} - 0 0 ${index + 1} connected ${range}`.trim();
  });
  return [...lines, "vars currentEpoch 4 lastVoteEpoch 0", ""].join("\n");
};

/**
 * Three nodes of a cluster, which keep their state over restarts, and a fourth without keys. All of them ask for a password. For two
 * seconds, they answer that the cluster is down.
 */
export async function startCluster() {
  if (command === undefined) throw new Error(whyNoRedis);
  const program = command;
  const directory = mkdtempSync(join(tmpdir(), "mock-cloud-reco-cluster-"));
  const ports = await freePorts(8);
  const nodes = ["a", "b", "c", "d"].map((letter, index): Node => {
    const [port = 0, busPort = 0] = ports.slice(2 * index);
    return { id: letter.repeat(40), port, busPort, folder: join(directory, letter) };
  });
  for (const node of nodes) {
    mkdirSync(node.folder);
    writeFileSync(join(node.folder, "nodes.conf"), nodesFile(nodes, node));
  }
  const running = new Map<Node, ChildProcess>();
  const start = (node: Node) => {
    const { port, busPort, folder } = node;
    const options = { port, bind: HOST, dir: folder, save: "", appendonly: "yes", appendfsync: "always" };
    const cluster = { "cluster-enabled": "yes", "cluster-port": busPort, "cluster-node-timeout": 2000 };
    const passwords = { requirepass: PASSWORD, masterauth: PASSWORD, "repl-diskless-sync-delay": 0 };
    const args = Object.entries({ ...options, ...cluster, ...passwords }).flatMap(([name, value]) => [
      `--${name}`,
      String(value),
    ]);
    running.set(node, spawn(program, args, { stdio: "ignore" }));
  };
  const kill = async (node: Node) => {
    const child = running.get(node);
    if (child === undefined || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  };
  for (const node of nodes) {
    start(node);
    await answering(node.port);
  }
  const nodeAt = (index: number) => {
    const node = nodes[index];
    if (node === undefined) throw new Error("no such node");
    return node;
  };
  const clientOf = (index: number) => new Redis(nodeAt(index).port, HOST, { password: PASSWORD });
  return {
    urls: nodes.slice(0, RANGES.length).map(({ port }) => `redis://:${PASSWORD}@${HOST}:${port}`),
    /** Moves the keys of a slot to the next node, and returns that. Calls `meanwhile` while the slot is between them. */
    async move(key: string, from: number, meanwhile: () => Promise<void>): Promise<number> {
      const to = (from + 1) % RANGES.length;
      const source = clientOf(from);
      const target = clientOf(to);
      try {
        const slot = await source.cluster("KEYSLOT", key);
        await target.cluster("SETSLOT", slot, "IMPORTING", nodeAt(from).id);
        await source.cluster("SETSLOT", slot, "MIGRATING", nodeAt(to).id);
        await meanwhile();
        const keys = await source.cluster("GETKEYSINSLOT", slot, 1000);
        const options = [HOST, nodeAt(to).port, "", 0, 5000, "AUTH", PASSWORD];
        await source.call("MIGRATE", ...options, "KEYS", ...keys.map(String));
        for (const client of [target, source]) await client.cluster("SETSLOT", slot, "NODE", nodeAt(to).id);
      } finally {
        for (const client of [source, target]) client.disconnect();
      }
      return to;
    },
    /** The index of the node that has the key. */
    async ownerOf(key: string): Promise<number> {
      const first = clientOf(0);
      const slot = await first.cluster("KEYSLOT", key);
      first.disconnect();
      return RANGES.findIndex((range) => slot <= Number(range.split("-")[1]));
    },
    /** Lets the fourth node follow a node, which is killed then, and take over its keys. */
    async failOver(from: number): Promise<void> {
      const replica = clientOf(RANGES.length);
      await replica.call("CLUSTER", "REPLICATE", nodeAt(from).id);
      while (!String(await replica.info("replication")).includes("master_link_status:up"));
      await kill(nodeAt(from));
      await replica.call("CLUSTER", "FAILOVER", "TAKEOVER");
      replica.disconnect();
    },
    kill: (index: number) => kill(nodeAt(index)),
    restart: (index: number) => start(nodeAt(index)),
    async close(): Promise<void> {
      await Promise.all(nodes.map(kill));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
