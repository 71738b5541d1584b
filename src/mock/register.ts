// The entry "mock-cloud-reco/register": the one module of the package that acts when it is imported.
import { DEFAULT_URLS } from "../emulator/profiles.ts";
import { closeHosts } from "../intercept/interception.ts";

/** Hosts of the real service. Once this module is imported, connections to them fail unless a started mock answers them. */
export const closedHosts: readonly string[] = [DEFAULT_URLS.target, DEFAULT_URLS.query].map(
  (url) => new URL(url).hostname,
);

closeHosts(
  closedHosts,
  'was refused: "mock-cloud-reco/register" blocks the real service; start a mock first with new MockCloudReco()',
);
