import { DEFAULT_URLS } from "../core/profiles.ts";
import { closeHosts } from "../transports/interception.ts";

/** Lets nothing connect to the real service's hosts from now on but through a started mock; returns those hosts. */
export function closeRealHosts(): readonly string[] {
  const hosts = [DEFAULT_URLS.target, DEFAULT_URLS.query].map((url) => new URL(url).hostname);
  closeHosts(
    hosts,
    'was refused: "mock-cloud-reco/register" lets nothing reach the real service; start a mock first, with new MockCloudReco()',
  );
  return hosts;
}
