import http from "node:http";
import https from "node:https";
import { createRequire, syncBuiltinESMExports } from "node:module";
import type nockType from "nock";
import { keepProperties } from "./kept-properties.ts";
import { checkNock, checkProcess } from "./nock-checks.ts";

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
  checkProcess();
  // Not named `require`: in the CommonJS build that name stands on the right of this line too.
  const load = createRequire(import.meta.url);
  const version = checkNock(load);
  const wasLoaded = load.cache[load.resolve("nock")] !== undefined;
  // nock gives the globals back itself, but as another kind of properties.
  const putBackGlobals = keepProperties(globalThis, ["fetch", "Headers", "Request", "Response"]);
  const putBackHttp = keepProperties(http, ["ClientRequest", "get", "request"]);
  const putBackHttps = keepProperties(https, ["get", "request"]);
  const nock: Nock = load("nock");
  const wasActive = wasLoaded && nock.isActive();
  if (!nock.isActive()) nock.activate();
  // Makes `import { request } from "node:https"` see the patched function, which a nock that the user loaded does not do,
  // and below the original again.
  syncBuiltinESMExports();
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
