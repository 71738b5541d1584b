import { Redis } from "iovalkey";
import { afterAll, beforeAll } from "vitest";
import { createRandom } from "../../src/core/emulator/random.ts";
import { MemoryStore } from "../../src/core/store/memory-store.ts";
import { RedisBacking, type Summaries } from "../../src/redis/redis-backing.ts";
import { RedisConnection } from "../../src/redis/redis-connection.ts";
import { RedisStore } from "../../src/redis/redis-store.ts";
import { fillOnce } from "../../src/redis/whole-state.ts";
import { type RunningRedis, startRedis } from "../support/redis-server.ts";
import { assessByBytes, changes, cloud, created, image, wholeSnapshot } from "./contract-cases.ts";

/** Keys with it belong to one state. */
export const newPrefix = (): string => createRandom().hex(8);

/** Starts a Redis for the tests of a `describe`, and returns what connects stores to it. */
export function storesInRedis() {
  let redis: RunningRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.close());

  const connect = (prefix = newPrefix(), clockIsShared = false, summaries?: Summaries) => {
    const client = new Redis(redis.url);
    const connection = new RedisConnection(client, prefix, redis.url);
    const backing = new RedisBacking(connection, assessByBytes, summaries, clockIsShared);
    const fill = (make: () => ReturnType<typeof stateWith>) => fillOnce(backing, make);
    return { client, connection, backing, fill, store: new RedisStore(backing) };
  };

  /** Several stores with one state, as several servers have. */
  const opened = async (servers: number) => {
    const prefix = newPrefix();
    const all = Array.from({ length: servers }, () => connect(prefix));
    const [first] = all;
    if (first === undefined) throw new Error("no server");
    return {
      stores: all.map(({ store }) => store),
      client: first.client,
      prefix,
      [Symbol.dispose]: () => {
        for (const { client } of all) client.disconnect();
      },
    };
  };

  return { connect, opened };
}

/** A state with one database of two targets. */
export async function stateWith(databaseName: string) {
  const memory = new MemoryStore(assessByBytes);
  await memory.run(changes.createDatabase(cloud({ databaseName })));
  for (const name of ["a", "b"]) await created(memory, databaseName, { name });
  return memory.state.capture();
}

/** A snapshot with a database "shop" of so many targets. */
export const snapshotOf = async (targets: number) => {
  const memory = new MemoryStore(assessByBytes);
  await memory.run(changes.createDatabase(cloud({ databaseName: "shop", targetQuota: 10_000 })));
  for (let count = 0; count < targets; count += 1)
    await created(memory, "shop", { name: `target ${count}`, image: image(1, 1, count % 5) });
  return memory.read(wholeSnapshot);
};
