import { closeRealHosts } from "../mock/close-real-hosts.ts";

/** Hosts of the real service. From the import of this module on, nothing connects to them but through a started mock. */
export const closedHosts: readonly string[] = closeRealHosts();
