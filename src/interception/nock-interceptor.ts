import type { Interception, Interceptor } from "./interceptor.ts";
import { NockSession, type ReplyWay } from "./nock-session.ts";

/**
 * Intercepts global `fetch` and everything built on `node:http` (axios, got, superagent, node-fetch) with nock. Not covered:
 * the `undici` package's own functions.
 *
 * Loads nock now, and leaves it as it was found when the last mock of the process stops.
 *
 * @param way - how answers reach the client; decided by the first of several mocks that run at once.
 * @throws Error if nock is missing, of an unusable version or switched off, or if `process.nextTick` is faked.
 */
export function interceptWithNock(interception: Interception, way: ReplyWay = "direct"): Interceptor {
  const remove = NockSession.current(way).add(interception);
  let running = true;
  return {
    stop: () => {
      if (running) remove();
      running = false;
    },
  };
}
