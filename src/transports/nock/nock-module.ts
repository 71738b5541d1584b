import http from "node:http";
import https from "node:https";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { dirname } from "node:path";
import type nockType from "nock";

export type Nock = typeof nockType;

const USABLE = /^14\.(0\.(1[7-9]|[2-9]\d|\d{3,})|[1-9]\d*\.\d+)$/;
const ADVICE =
  'install mock-cloud-reco again, or use the option intercept: "sockets", which does without nock';

/** nock, active, with the means to put it back into the state in which it was found. */
export interface ActiveNock {
  readonly nock: Nock;
  /** Whether nock is a version whose inner workings `replyDirectly` was written for. */
  readonly knownInside: boolean;
  restore(): void;
  /**
   * What is left to do when this nock's Jest environment is gone, where hardly anything of it still works: it has patched
   * modules that the next environment shares.
   */
  detach(): void;
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
    restore: () => {
      if (wasActive || nock.activeMocks().length > 0) return;
      if (nock.isActive()) nock.restore();
      syncBuiltinESMExports();
    },
    detach: () => {
      putBackHttp();
      putBackHttps();
      syncBuiltinESMExports();
    },
  };
}

/** @throws Error if nock would not work in this process as it is now. */
function checkProcess(): void {
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

function installedVersion(load: NodeJS.Require): unknown {
  try {
    return load("nock/package.json").version;
  } catch (cause) {
    const hidesIt =
      cause instanceof Error && "code" in cause && cause.code === "ERR_PACKAGE_PATH_NOT_EXPORTED";
    // nock 14 shows it, nock 15 does not.
    if (hidesIt) return "15 or later";
    throw new Error(`nock is not installed: ${ADVICE}`, { cause });
  }
}

/**
 * The version of the nock that `load` would load.
 *
 * @throws Error if it is missing or another than is accepted, or if another copy of it is loaded already.
 */
export function checkNock(load: NodeJS.Require): string {
  const version = installedVersion(load);
  if (typeof version !== "string" || !USABLE.test(version)) {
    throw new Error(`nock ${version} cannot be used, it must be 14.0.17 or a later 14: ${ADVICE}`);
  }
  const own = dirname(load.resolve("nock"));
  const others = Object.keys(load.cache)
    .filter((file) => /[\\/]nock[\\/]lib[\\/]intercept\.js$/.test(file))
    .map((file) => dirname(dirname(file)))
    .filter((folder) => folder !== own && String(load(`${folder}/package.json`).version).startsWith("14."));
  if (others.length > 0) {
    throw new Error(
      `two copies of nock are loaded, ${others[0]} by others and ${own} by this package, and requests would reach ` +
        'neither: have a single one installed ("npm ls nock" shows them)',
    );
  }
  return version;
}

/** Remembers how properties are defined; the function returned defines them so again. */
function keepProperties(owner: object, names: readonly string[]): () => void {
  const kept = names.map((name) => [name, Object.getOwnPropertyDescriptor(owner, name)] as const);
  return () => {
    for (const [name, descriptor] of kept) {
      if (descriptor !== undefined) Object.defineProperty(owner, name, descriptor);
    }
  };
}
