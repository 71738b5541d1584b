import http from "node:http";
import https from "node:https";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type nockType from "nock";
import { loadModule } from "../../core/general/load-module.ts";
import { codeOf, messageOf } from "../../core/general/text.ts";
import { isNodes, isPlainFunction } from "./original-clients.ts";

export type Nock = typeof nockType;

const SUPPORTED = /^14\.(0\.(1[7-9]|[2-9]\d|\d{3,})|[1-9]\d*\.\d+)$/;
const USE_SOCKETS = 'set the option intercept to "sockets", which does not use nock';
const ADVICE = `reinstall mock-cloud-reco, or ${USE_SOCKETS}`;

/** An active nock, with functions that restore its earlier state. */
export interface ActiveNock {
  readonly nock: Nock;
  /** Whether `replyDirectly` supports the internals of this version. */
  readonly hasKnownInternals: boolean;
  restore(): void;
  /** Restores the patched modules for the next Jest environment, after this nock's environment was torn down. */
  detach(): void;
}

/**
 * Loads and activates nock. Not imported, because loading nock patches `fetch` and `node:http`. ECMAScript modules see the patches
 * after `syncBuiltinESMExports()`.
 *
 * @throws Error with the fix if nock cannot be used in this process.
 */
export function activateNock(): ActiveNock {
  checkProcess();
  const version = checkNock(loadModule);
  const wasLoaded = loadModule.cache[installed(loadModule).file] !== undefined;
  const restoreHttp = keepProperties(http, ["ClientRequest", "get", "request"]);
  const restoreHttps = keepProperties(https, ["get", "request"]);
  const registerEarlier = keepRegistered();
  const nock = loadNock();
  const wasActive = wasLoaded && nock.isActive();
  if (!nock.isActive()) nock.activate();
  hideGlobals();
  const registerOwn = keepRegistered();
  const { fetch: nocks } = globalThis;
  /** Whether the user has wrapped `fetch` since: nock would remove that wrapper. */
  const isWrapped = (name: string) =>
    name === "fetch" && globalThis.fetch !== nocks && !isInterceptors(globalThis.fetch);
  return {
    nock,
    hasKnownInternals: version.startsWith("14.0."),
    restore: () => {
      if (wasActive || nock.activeMocks().length > 0) return;
      const keepGenuine = PATCHED.map(([owner, names]) =>
        keepProperties(owner, names, (of, name) => isGenuine(of, name) || isWrapped(name)),
      );
      const isPatched = PATCHED.some(([owner, names]) => names.some((name) => !isGenuine(owner, name)));
      // MSW must not take patches back twice.
      if (isPatched) registerOwn();
      if (nock.isActive()) nock.restore();
      for (const keep of keepGenuine) keep();
      registerEarlier();
    },
    detach: () => {
      restoreHttp();
      restoreHttps();
    },
  };
}

/** @throws Error if this environment lacks globals that nock needs, such as `Request` in Jest's jsdom. */
function loadNock(): Nock {
  try {
    const nock = loadModule("nock");
    // Vitest's vmThreads keeps a module that failed to load.
    if (typeof nock.isActive !== "function") throw new Error("an earlier attempt failed");
    return nock;
  } catch (cause) {
    const message = `nock cannot be loaded in this environment (${messageOf(cause)}); ${USE_SOCKETS}`;
    throw new Error(message, { cause });
  }
}

/** @throws Error if nock cannot work in this process. */
function checkProcess(): void {
  if (process.env.NOCK_OFF === "true") {
    throw new Error("NOCK_OFF=true disables nock, so no request would reach the mock; unset NOCK_OFF");
  }
  if ("clock" in process.nextTick) {
    throw new Error(
      "process.nextTick is faked, so every request would hang; " +
        'use jest.useFakeTimers({ doNotFake: ["nextTick"] }), or create the mock before faking timers',
    );
  }
}

/** Older versions of Node cannot load nock 15. */
const loadsNewer = Number.parseInt(process.versions.node, 10) >= 22;
let usual: "nock" | "sockets" | undefined;

/**
 * How requests reach mocks whose option `intercept` does not say it. Where the project has nock 15 or later, or this package was given
 * it, our nock 14 would be a second nock, whose patches that one does not know.
 * Decision 0003.
 */
export function usualInterception(): "nock" | "sockets" {
  usual ??= loadsNewer && [loadModule, projectsRequire()].some(findsNewer) ? "sockets" : "nock";
  return usual;
}

const projectsRequire = (): NodeJS.Require => createRequire(join(process.cwd(), "index.js"));

function findsNewer(load: NodeJS.Require): boolean {
  try {
    return installedVersion(load) === NEWER;
  } catch {
    return false;
  }
}

let newer: Nock | undefined;

/**
 * The requests that a user's mocks in nock 15 or later answer, as `GET https://host:443/path`. That nock works beneath our sockets, so
 * it is not asked about a request before we are. It is read only while `fetch` is patched as it does when it is loaded: loading it would
 * activate it.
 */
export function mocksOfNewerNock(): readonly string[] {
  if (usualInterception() !== "sockets" || !isOfNewer(globalThis.fetch)) return [];
  try {
    newer ??= loadModule(projectsRequire().resolve("nock")).default as Nock;
    return newer.isActive() ? newer.activeMocks() : [];
  } catch {
    return [];
  }
}

/** Whether a mock of nock, written as `GET https://host:443/path`, is for an origin. */
export function isFor(origin: string, mock: string): boolean {
  const url = mock.slice(mock.indexOf(" ") + 1);
  return url.startsWith(origin) && !/^\d/.test(url.slice(origin.length));
}

interface InstalledNock {
  readonly file: string;
  readonly version: string;
}

/** Finding a package takes longer than activating nock. */
const found = new WeakMap<NodeJS.Require, InstalledNock>();

/** @throws Error if nock is missing or of an unsupported version. */
function installed(load: NodeJS.Require): InstalledNock {
  const known = found.get(load);
  if (known !== undefined) return known;
  const version = installedVersion(load);
  if (typeof version !== "string" || !SUPPORTED.test(version))
    throw new Error(`unsupported nock version: expected 14.0.17 or a later 14.x; got ${version}; ${ADVICE}`);
  const nock = { version, file: load.resolve("nock") };
  found.set(load, nock);
  return nock;
}

const NEWER = "15 or later";

function installedVersion(load: NodeJS.Require): unknown {
  try {
    return load("nock/package.json").version;
  } catch (cause) {
    // nock 15 no longer exports its package.json.
    if (codeOf(cause) === "ERR_PACKAGE_PATH_NOT_EXPORTED") return NEWER;
    throw new Error(`nock is not installed; ${ADVICE}`, { cause });
  }
}

/**
 * Returns the version of nock that `load` would load.
 *
 * @throws Error if nock is missing or of an unsupported version, or if another copy of nock is already loaded.
 */
export function checkNock(load: NodeJS.Require): string {
  const { version, file } = installed(load);
  const own = dirname(file);
  const others = Object.keys(load.cache)
    .filter((file) => /[\\/]nock[^\\/]*[\\/]lib[\\/]intercept\.js$/.test(file))
    .map((file) => dirname(dirname(file)))
    .filter((folder) => folder !== own && String(load(`${folder}/package.json`).version).startsWith("14."));
  if (others.length > 0) {
    throw new Error(
      `two copies of nock are loaded, ${others[0]} and this package's ${own}, so requests would reach neither; ` +
        `install a single copy ("npm ls nock" lists them), or ${USE_SOCKETS}`,
    );
  }
  return version;
}

const PATCHED: readonly (readonly [owner: object, names: readonly string[]])[] = [
  [http, ["ClientRequest", "get", "request"]],
  [https, ["get", "request"]],
  [globalThis, ["fetch", "Headers", "Request", "Response"]],
];

/** nock lets these be enumerated, unlike Node: runners that look for leaks of globals would report them. */
function hideGlobals(): void {
  for (const name of ["Headers", "Request", "Response"]) {
    const { configurable } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
    if (configurable) Object.defineProperty(globalThis, name, { enumerable: false });
  }
}

/** Whether a property is Node's own again, after an earlier interceptor stopped: nock would restore that interceptor's. */
function isGenuine(owner: object, name: string): boolean {
  const value: unknown = Reflect.get(owner, name);
  return isPlainFunction(value) && (name !== "fetch" || isNodes(value));
}

const isInterceptors = (fetch: unknown): boolean =>
  !isPlainFunction(fetch) || Function.prototype.toString.call(fetch).includes("createRequestId");

/** Whether this is the `fetch` of nock 15 or MSW 3. */
const isOfNewer = (fetch: unknown): boolean =>
  typeof fetch === "function" && Function.prototype.toString.call(fetch).includes("requestContext");

/** Remembers property definitions, or certain ones. Returns a function that restores them. */
function keepProperties(
  owner: object,
  names: readonly string[],
  isKept: (owner: object, name: string) => boolean = () => true,
): () => void {
  const kept = names
    .filter((name) => isKept(owner, name))
    .map((name) => [name, Object.getOwnPropertyDescriptor(owner, name)] as const);
  return () => {
    for (const [name, descriptor] of kept) {
      if (descriptor !== undefined) Object.defineProperty(owner, name, descriptor);
    }
  };
}

const globals: Record<symbol, unknown> = globalThis as Record<symbol, unknown>;

/** nock and MSW register it under a symbol of `globalThis` while they patch. */
const isApplied = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "readyState" in value && value.readyState === "APPLIED";

/**
 * nock and MSW share registered interceptors. The first to stop unregisters them for both; the other then cannot undo its patches.
 *
 * @returns a function that registers active ones again.
 */
function keepRegistered(): () => void {
  const kept = Object.getOwnPropertySymbols(globalThis).map((symbol) => [symbol, globals[symbol]] as const);
  const applied = kept.filter(([, value]) => isApplied(value));
  return () => {
    for (const [symbol, value] of applied)
      if (!(symbol in globals) && isApplied(value)) globals[symbol] = value;
  };
}
