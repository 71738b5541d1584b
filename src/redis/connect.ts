import type { Redis } from "iovalkey";
import { loadModule } from "../core/general/load-module.ts";
import { requireNetwork } from "../core/general/permissions.ts";
import { messageOf } from "../core/general/text.ts";
import type { AssessImage } from "../core/store/store.ts";
import { RedisBacking, type Summaries } from "./redis-backing.ts";
import { RedisConnection, StateRefusedError } from "./redis-connection.ts";

export interface RedisAddress {
  /** `redis://` or, over TLS, `rediss://`. */
  readonly stateUrl: URL;
  /** The prefix of all keys, so that several emulators can share one server. */
  readonly statePrefix: string;
  /** A certificate to trust, as PEM text. */
  readonly stateCertificate?: string | undefined;
}

const ANSWER_MILLISECONDS = 2000;
const LONGEST_PAUSE_MILLISECONDS = 1000;
const REFUSED = /WRONGPASS|NOAUTH|NOPERM|invalid password/;

/**
 * Connects to Redis or Valkey, and retries. Until then, requests that need the state fail with StateUnavailableError.
 *
 * @throws StateRefusedError for a wrong user, password or version of the state; NotPermittedError; Error if the client library is
 * missing.
 */
export async function connectToRedis(
  { stateUrl, statePrefix, stateCertificate }: RedisAddress,
  assess: AssessImage,
  summaries?: Summaries,
  clockIsShared = false,
): Promise<RedisBacking> {
  const shown = `${stateUrl.protocol}//${stateUrl.host}`;
  requireNetwork(`${shown} cannot be reached`);
  const { Redis, Cluster } = clientLibrary();
  const client = new Redis(stateUrl.href, {
    ...(stateCertificate !== undefined && { tls: { ca: stateCertificate } }),
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: ANSWER_MILLISECONDS,
    commandTimeout: ANSWER_MILLISECONDS,
    retryStrategy: pauseBefore,
  });
  const redis = new RedisConnection(client, statePrefix, shown);
  let isRefused = false;
  const note = (error: unknown) => {
    isRefused ||= REFUSED.test(messageOf(error));
  };
  client.on("error", note);
  let joined: Promise<void> = Promise.resolve();
  client.on("ready", () => {
    joined = followCluster(client, redis, Cluster);
    joined.catch(note);
  });
  try {
    await client.connect();
    await joined;
    await redis.open();
  } catch (error) {
    note(error);
    if (isRefused || error instanceof StateRefusedError) {
      redis.close();
      const why = isRefused ? `${shown} rejects the user or the password` : messageOf(error);
      throw new StateRefusedError(why);
    }
  }
  return new RedisBacking(redis, assess, summaries, clockIsShared);
}

const pauseBefore = (attempt: number): number => Math.min(50 * attempt, LONGEST_PAUSE_MILLISECONDS);

/**
 * If the server is a node of a cluster, goes on with a client that finds and follows the node that has the keys.
 *
 * @throws StateRefusedError for a Sentinel.
 */
async function followCluster(
  client: Redis,
  redis: RedisConnection,
  Cluster: Library["Cluster"],
): Promise<void> {
  const mode = await modeOf(client);
  if (mode === "sentinel")
    throw new StateRefusedError(
      `${redis.shown} is a Sentinel, which keeps no state; give the URL of the Redis or Valkey that it watches`,
    );
  if (mode !== "cluster") return;
  const { options } = client;
  const cluster = new Cluster([{ host: options.host, port: options.port }], {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: pauseBefore,
    // A certificate names hosts, not their addresses.
    dnsLookup: (name, done) => done(null, name),
    redisOptions: options,
  });
  const { handleError } = cluster;
  // A command whose connection ends may have been carried out. Scripts read keys that they do not declare: a node that is receiving
  // these must not run one before it has all of them.
  cluster.handleError = (error, hops, handlers) =>
    handleError.call(cluster, error, hops, {
      ...handlers,
      ask: handlers.defaults,
      connectionClosed: handlers.defaults,
    });
  redis.use(cluster);
  // Its promise never settles if the cluster is not ready; the client tries again by itself.
  const tried = new Promise((resolve) => {
    for (const event of ["ready", "close"]) cluster.once(event, resolve);
  });
  cluster.connect().catch(() => {});
  await tried;
}

/** What a server is, as it says itself. Proxies and users without the permission do not say it. */
async function modeOf(client: Redis): Promise<unknown> {
  const reply = await client.call("HELLO").catch(() => undefined);
  return Array.isArray(reply) ? reply[reply.indexOf("mode") + 1] : undefined;
}

type Library = typeof import("iovalkey");

function clientLibrary(): Library {
  try {
    return loadModule("iovalkey");
  } catch {
    throw new Error("Redis needs the package iovalkey; install it beside mock-cloud-reco");
  }
}
