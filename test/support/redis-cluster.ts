import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "iovalkey";
import { freePorts } from "./free-ports.ts";
import { answering, command, whyNoRedis } from "./redis-server.ts";

const HOST = "127.0.0.1";
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
    return `${id} ${HOST}:${port}@${busPort} ${flags} - 0 0 ${index + 1} connected ${RANGES[index]}`;
  });
  return [...lines, "vars currentEpoch 3 lastVoteEpoch 0", ""].join("\n");
};

/** Three nodes of a cluster, which keep their state over restarts. For two seconds, they answer that the cluster is down. */
export async function startCluster() {
  if (command === undefined) throw new Error(whyNoRedis);
  const program = command;
  const directory = mkdtempSync(join(tmpdir(), "mock-cloud-reco-cluster-"));
  const ports = await freePorts(6);
  const nodes = ["a", "b", "c"].map((letter, index): Node => {
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
    const args = Object.entries({ ...options, ...cluster }).flatMap(([name, value]) => [
      `--${name}`,
      String(value),
    ]);
    running.set(node, spawn(program, args, { stdio: "ignore" }));
  };
  const kill = async (node: Node) => {
    const child = running.get(node);
    const ended = new Promise((resolve) => child?.once("exit", resolve));
    child?.kill("SIGKILL");
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
  return {
    urls: nodes.map(({ port }) => `redis://${HOST}:${port}`),
    /** Moves the keys of a slot to the next node, and returns that. Calls `meanwhile` while the slot is between them. */
    async move(key: string, from: number, meanwhile: () => Promise<void>): Promise<number> {
      const to = (from + 1) % nodes.length;
      const [source, target] = [from, to].map((index) => new Redis(nodeAt(index).port, HOST));
      if (source === undefined || target === undefined) throw new Error("no such node");
      try {
        const slot = await source.cluster("KEYSLOT", key);
        await target.cluster("SETSLOT", slot, "IMPORTING", nodeAt(from).id);
        await source.cluster("SETSLOT", slot, "MIGRATING", nodeAt(to).id);
        await meanwhile();
        const keys = await source.cluster("GETKEYSINSLOT", slot, 1000);
        await source.call("MIGRATE", HOST, nodeAt(to).port, "", 0, 5000, "KEYS", ...keys.map(String));
        for (const client of [target, source]) await client.cluster("SETSLOT", slot, "NODE", nodeAt(to).id);
      } finally {
        for (const client of [source, target]) client.disconnect();
      }
      return to;
    },
    /** The index of the node that has the key. */
    async ownerOf(key: string): Promise<number> {
      const first = new Redis(nodeAt(0).port, HOST);
      const slot = await first.cluster("KEYSLOT", key);
      first.disconnect();
      return RANGES.findIndex((range) => slot <= Number(range.split("-")[1]));
    },
    kill: (index: number) => kill(nodeAt(index)),
    restart: (index: number) => start(nodeAt(index)),
    async close(): Promise<void> {
      await Promise.all(nodes.map(kill));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
