import { beforeAll, describe, expect, it } from "vitest";
import { copySamples, runNode } from "../package/run.ts";
import { CLIENTS } from "./samples/every-client/clients.mjs";

const [major = 0] = process.versions.node.split(".").map(Number);
const NEEDS_22 = new Set(["got 15", "got 16", "undici 8 request"]);
const names = Object.keys(CLIENTS).filter((name) => major >= 22 || !NEEDS_22.has(name));

type Received = Readonly<Record<string, { readonly error?: string; readonly status?: number }>>;

beforeAll(() => copySamples("every-client"));

describe("the same answers, intercepted by nock, at the sockets and from servers, for", () => {
  // Each waits for seconds, for bodies that are shorter than announced.
  it.concurrent.each(names)("%s", async (name) => {
    const { code, printed } = await runNode("every-client", ["ask.mjs", name]);
    expect(code, printed).toBe(0);
    // After it, Node prints its warnings about what a client does.
    const results: Record<string, Received> = JSON.parse(/^\{"nock.*/m.exec(printed)?.[0] ?? "");
    const { servers, nock, sockets } = results;
    expect(Object.keys(servers ?? {}).length).toBeGreaterThanOrEqual(35);
    for (const received of [nock, sockets, servers])
      expect(Object.entries(received ?? {}).filter(([, { error }]) => error === "HANGS")).toEqual([]);
    expect(nock).toEqual(sockets);
    expect(sockets).toEqual(servers);
    if ("mock.fetch" in results) expect(servers).toMatchObject(results["mock.fetch"] ?? {});
  });
});

it("counts at least 40 clients", () => {
  expect(Object.keys(CLIENTS).length).toBeGreaterThanOrEqual(40);
});
