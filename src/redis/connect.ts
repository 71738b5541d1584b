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
  const { Redis } = clientLibrary();
  const client = new Redis(stateUrl.href, {
    ...(stateCertificate !== undefined && { tls: { ca: stateCertificate } }),
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: ANSWER_MILLISECONDS,
    commandTimeout: ANSWER_MILLISECONDS,
    retryStrategy: (attempt) => Math.min(50 * attempt, LONGEST_PAUSE_MILLISECONDS),
  });
  const redis = new RedisConnection(client, statePrefix, shown);
  let isRefused = false;
  const note = (error: unknown) => {
    isRefused ||= REFUSED.test(messageOf(error));
  };
  client.on("error", note);
  try {
    await client.connect();
    await redis.open();
  } catch (error) {
    note(error);
    if (isRefused || error instanceof StateRefusedError) {
      client.disconnect();
      const why = isRefused ? `${shown} rejects the user or the password` : messageOf(error);
      throw new StateRefusedError(why);
    }
  }
  return new RedisBacking(redis, assess, summaries, clockIsShared);
}

function clientLibrary(): typeof import("iovalkey") {
  try {
    return loadModule("iovalkey");
  } catch {
    throw new Error("Redis needs the package iovalkey; install it beside mock-cloud-reco");
  }
}
