import { writeFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { copySamples, inConsumer, runNode } from "../package/run.ts";
import { authority, cert, key } from "../support/certificate.ts";

const [major = 0] = process.versions.node.split(".").map(Number);

interface Received {
  /** The version of HTTP by which the client reaches a server that supports two. */
  readonly version: string;
  readonly statuses: readonly unknown[];
}

/** Clients that do not offer HTTP/2 on every version of Node: Node 24 shares its own undici's connections with undici 8. */
const versionOf = (name: string) => {
  if (name === "fetch" && major < 26) return "1.1";
  return major === 24 && /^undici 8 (request|fetch)$/.test(name) ? expect.any(String) : "2.0";
};

beforeAll(async () => {
  await copySamples("http2");
  await writeFile(inConsumer("http2/authority.pem"), authority);
});

describe("clients that offer HTTP/2, and fall back to HTTP/1.1, are answered", () => {
  it.concurrent.for([
    ["directly", "before", "nock", major >= 22 ? 8 : 5],
    ["directly", "after", "sockets", major >= 22 ? 8 : 5],
    ["proxied", "before", "sockets", major >= 22 ? 4 : 1],
    ["proxied", "after", "nock", major >= 22 ? 4 : 1],
  ] as const)("%s, by a mock from %s their connections: %s", async ([how, order, intercept, clients]) => {
    const environment = { CERT: cert, KEY: key, NODE_EXTRA_CA_CERTS: inConsumer("http2/authority.pem") };
    const { code, printed } = await runNode("http2", ["http2.mjs", how, order, intercept], environment);
    expect(code, printed).toBe(0);
    const { results, tunnels }: { results: Readonly<Record<string, Received>>; tunnels: readonly string[] } =
      JSON.parse(printed.split("\n").at(-1) ?? "");
    expect(Object.keys(results)).toHaveLength(clients);
    for (const [name, received] of Object.entries(results))
      expect(received, name).toEqual({ version: versionOf(name), statuses: [401, 200, 401, 200] });
    // Each client has one to the server of both versions, and none to the mocks.
    expect(tunnels).toEqual(
      Array(how === "proxied" ? clients : 0).fill(expect.stringMatching(/^localhost:/)),
    );
  });
});
