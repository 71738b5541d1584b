import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { copySamples, runNode } from "../package/run.ts";
import { namesOfClients } from "./clients-of-node.ts";
import { CLIENTS } from "./samples/every-client/clients.mjs";

const MODES = ["nock", "sockets", "mock.fetch", "servers"] as const;

type Received = Readonly<Record<string, { readonly error?: string; readonly status?: number }>>;

interface Results extends Readonly<Partial<Record<(typeof MODES)[number], Received>>> {
  readonly times: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

declare module "vitest" {
  interface TaskMeta {
    /** How a client was answered in each mode: how many requests as by servers, and which took longest. */
    client?: {
      readonly name: string;
      readonly mode: string;
      readonly same: string;
      readonly slowest: { readonly request: string; readonly milliseconds: number };
    }[];
  }
}

beforeAll(() => copySamples("every-client"));

describe("the same answers, intercepted by nock, at the sockets and from servers, for", () => {
  // Each waits for seconds, for bodies that are shorter than announced.
  it.concurrent.for(namesOfClients)("%s", async (name, { task }) => {
    const { code, printed } = await runNode("every-client", ["ask.mjs", name]);
    expect(code, printed).toBe(0);
    // After it, Node prints its warnings about what a client does.
    const results: Results = JSON.parse(/^\{"nock.*/m.exec(printed)?.[0] ?? "");
    const { servers = {}, nock, sockets, "mock.fetch": direct = {}, times } = results;
    task.meta.client = MODES.flatMap((mode) => {
      const received = Object.entries(results[mode] ?? {});
      if (received.length === 0) return [];
      const same = received.filter(([request, answer]) => isDeepStrictEqual(answer, servers[request])).length;
      const ended = Object.entries(times[mode] ?? {}).sort(([, a], [, b]) => b - a);
      const [request = "", milliseconds = Number.NaN] = ended[0] ?? [];
      return [{ name, mode, same: `${same}/${received.length}`, slowest: { request, milliseconds } }];
    });
    expect(Object.keys(servers).length).toBeGreaterThanOrEqual(35);
    for (const received of [nock, sockets, direct, servers])
      expect(Object.entries(received ?? {}).filter(([, { error }]) => error === "HANGS")).toEqual([]);
    expect(nock).toEqual(sockets);
    expect(sockets).toEqual(servers);
    expect(servers).toMatchObject(direct);
  });
});

it("counts at least 40 clients", () => {
  expect(Object.keys(CLIENTS).length).toBeGreaterThanOrEqual(40);
});
