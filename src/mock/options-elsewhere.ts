import { InvalidOptionError } from "../schema/kernel/problems.ts";

/** Options of other functions, which are easily passed to the wrong one. */
const OPTIONS_OF = {
  "test fixtures, such as withMockCloudReco of mock-cloud-reco/node-test": [
    "database",
    "failOnRefusedRequests",
    "except",
  ],
  "startServers of mock-cloud-reco/server": [
    "host",
    "ports",
    "seedFile",
    "logLevel",
    "tls",
    "corsOrigin",
    "managerCorsOrigin",
    "allowedHosts",
    "ui",
  ],
} as const;

/** @throws InvalidOptionError naming the first option that is another function's, and that function. */
export function refuseOptionsOfOthers(options: unknown, own: readonly string[] = []): void {
  const given = typeof options === "object" && options !== null ? options : {};
  for (const [place, names] of Object.entries(OPTIONS_OF)) {
    const found = names.find((name) => Reflect.get(given, name) !== undefined && !own.includes(name));
    if (found === undefined) continue;
    const expected = `nothing here, because it is an option of ${place}`;
    throw new InvalidOptionError(`options.${found}`, "a value", expected);
  }
}

/** Options of `startServers` that no mock has. */
export const SERVERS_ONLY = OPTIONS_OF["startServers of mock-cloud-reco/server"];
