import { beforeAll, describe, expect, it } from "vitest";
import { copySamples, runNode } from "../package/run.ts";
import { CLIENTS } from "./samples/every-client/clients.mjs";

const [major = 0] = process.versions.node.split(".").map(Number);
const NEEDS_22 = new Set(["got 15", "got 16", "undici 8 request"]);
const names = Object.keys(CLIENTS).filter((name) => major >= 22 || !NEEDS_22.has(name));

/** It keeps the `Request` that it sees first; that of nock throws once nock is restored. */
const KEEPS_CLASSES = "axios (fetch)";

type Received = Readonly<Record<string, { readonly error?: string; readonly status?: number }>>;

beforeAll(() => copySamples("every-client"));

describe("the same answers, intercepted by nock, at the sockets and from servers, for", () => {
  it.each(names)("%s", async (name) => {
    const runs = name === KEEPS_CLASSES ? [["nock"], ["sockets"], ["servers"]] : [[]];
    const results: Record<string, Received> = {};
    for (const modes of runs) {
      const { code, printed } = await runNode("every-client", ["ask.mjs", name, ...modes]);
      expect(code, printed).toBe(0);
      Object.assign(results, JSON.parse(printed.split("\n").at(-1) ?? ""));
    }
    const { servers, nock, sockets } = results;
    expect(Object.keys(servers ?? {}).length).toBeGreaterThanOrEqual(23);
    for (const received of [nock, sockets, servers])
      expect(Object.entries(received ?? {}).filter(([, { error }]) => error === "HANGS")).toEqual([]);
    expect(nock).toEqual(sockets);
    expect(sockets).toEqual(servers);
    if ("mock.fetch" in results) expect(results["mock.fetch"]).toEqual(servers);
  });
});

it("counts at least 40 clients", () => {
  expect(Object.keys(CLIENTS).length).toBeGreaterThanOrEqual(40);
});
