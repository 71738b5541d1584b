import { dirname } from "node:path";

const USABLE = /^14\.(0\.(1[7-9]|[2-9]\d|\d{3,})|[1-9]\d*\.\d+)$/;
const ADVICE = "npm install --save-dev nock@14";

/** @throws Error if nock would not work in this process as it is now. */
export function checkProcess(): void {
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
