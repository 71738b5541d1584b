import { writeFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { copySamples, inConsumer, runNode } from "../package/run.ts";
import { authority, cert, key } from "../support/certificate.ts";
import { namesOfClients } from "./clients-of-node.ts";

const environment = { CERT: cert, KEY: key, NODE_EXTRA_CA_CERTS: inConsumer("kept-clients/authority.pem") };

beforeAll(async () => {
  await copySamples("every-client", "kept-clients");
  await writeFile(environment.NODE_EXTRA_CA_CERTS, authority);
});

describe.each([
  ["", []],
  [", with register first", ["--import", "mock-cloud-reco/register"]],
])("connections from before to a host that is blocked are not used%s:", (_, flags) => {
  it.concurrent.for(namesOfClients)("%s", async (name) => {
    const { code, printed } = await runNode("kept-clients", [...flags, "kept.mjs", name], environment);
    expect(code, printed).toBe(0);
    const results: Readonly<Record<string, { readonly told: string; readonly arrived: number }>> = JSON.parse(
      /^\{"default.*/m.exec(printed)?.[0] ?? "",
    );
    expect(Object.keys(results).length).toBeGreaterThanOrEqual(3);
    for (const [where, { told, arrived }] of Object.entries(results)) {
      expect(told, where).toContain(
        "no mock serves this host, and the option unhandledRequests blocks the request",
      );
      expect(arrived, where).toBe(0);
    }
  });
});
