// The entry "mock-cloud-reco/register": the one module of the package that acts when it is imported.
import { createRequire } from "node:module";
import { DEFAULT_URLS } from "../core/emulator/profiles.ts";
import { loadInDescendants } from "../intercept/descendants.ts";
import { isNative } from "../intercept/fetch/fetch-transport.ts";
import { closeHosts } from "../intercept/interception.ts";
import { warnOfNativeClients } from "../intercept/native-clients.ts";

/** Hosts of the real service. Once this module is imported, connections to them fail unless a started mock answers them. */
export const closedHosts: readonly string[] = [DEFAULT_URLS.target, DEFAULT_URLS.query].map(
  (url) => new URL(url).hostname,
);

const BLOCKS = 'was refused: "mock-cloud-reco/register" blocks the real service';

/** The path of the installed module, also where this code is part of a bundle; undefined in a checkout that is not built. */
function pathOfThis(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve("mock-cloud-reco/register");
  } catch {
    return undefined;
  }
}

// Bun and Deno have other options for their threads and processes.
const path = isNative ? undefined : pathOfThis();

closeHosts(
  closedHosts,
  path !== undefined && loadInDescendants(path)
    ? `${BLOCKS} in this thread too; a mock answers only in the thread that started it: start one here, or call startServers() and send requests to its URLs`
    : `${BLOCKS}; start a mock first with new MockCloudReco()`,
);
warnOfNativeClients(
  'does not send its requests through Node, so "mock-cloud-reco/register" cannot block them: call startServers() and send them to its URLs',
);
