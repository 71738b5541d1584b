import http from "node:http";
import https from "node:https";
import { createRequire, syncBuiltinESMExports } from "node:module";
import type nockType from "nock";
import { keepProperties } from "./kept-properties.ts";

export type Nock = typeof nockType;

/** nock, active, with the means to put it back into the state in which it was found. */
export interface ActiveNock {
  readonly nock: Nock;
  /** Whether nock is a version whose inner workings `replyDirectly` was written for. */
  readonly knownInside: boolean;
  giveBack(): void;
  /**
   * What is left to do when this nock's Jest environment is gone, where hardly anything of it still works: it has patched
   * modules that the next environment shares.
   */
  abandon(): void;
}

/**
 * Loads and activates nock. Not an import: to load nock is to patch `fetch` and `node:http`, and importing this package must
 * patch nothing.
 *
 * @throws Error if nock cannot be used in this process, saying what to change.
 */
export function activateNock(): ActiveNock {
  refuseUselessNock();
  // Not named `require`: in the CommonJS build that name stands on the right of this line too.
  const load = createRequire(import.meta.url);
  const version = nockVersion(load);
  const wasLoaded = load.cache[load.resolve("nock")] !== undefined;
  // nock gives the globals back itself, but as another kind of properties.
  const putBackGlobals = keepProperties(globalThis, ["fetch", "Headers", "Request", "Response"]);
  const putBackHttp = keepProperties(http, ["ClientRequest", "get", "request"]);
  const putBackHttps = keepProperties(https, ["get", "request"]);
  const nock: Nock = load("nock");
  const wasActive = wasLoaded && nock.isActive();
  if (!nock.isActive()) nock.activate();
  // Makes `import { request } from "node:https"` see the patched function, and below the original again.
  if (!wasActive) syncBuiltinESMExports();
  return {
    nock,
    knownInside: version.startsWith("14.0."),
    giveBack: () => {
      if (wasActive || nock.activeMocks().length > 0) return;
      if (nock.isActive()) nock.restore();
      putBackGlobals();
      syncBuiltinESMExports();
    },
    abandon: () => {
      putBackHttp();
      putBackHttps();
      syncBuiltinESMExports();
    },
  };
}

function nockVersion(load: NodeJS.Require): string {
  let version: unknown;
  try {
    version = load("nock/package.json").version;
  } catch (cause) {
    throw new Error("nock is not installed: npm install --save-dev nock@14", { cause });
  }
  if (typeof version === "string" && /^14\.(0\.(1[7-9]|[2-9]\d)|[1-9]\d*\.\d+)$/.test(version))
    return version;
  throw new Error(
    `nock ${version} cannot be used, it must be 14.0.17 or a later 14: npm install --save-dev nock@14`,
  );
}

function refuseUselessNock(): void {
  if (process.env.NOCK_OFF === "true") {
    throw new Error("NOCK_OFF=true switches nock off, so no request would reach the mock: unset NOCK_OFF");
  }
  if ("clock" in process.nextTick) {
    throw new Error(
      "process.nextTick is faked, so every request would hang: " +
        'use jest.useFakeTimers({ doNotFake: ["nextTick"] }), or construct the mock before faking timers',
    );
  }
}
