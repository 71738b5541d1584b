import { type Clock, ManualClock, systemClock } from "mock-cloud-reco";
import { afterEach, describe, expect, test } from "vitest";
import { get, manage, sendSigned } from "../support/answers.ts";
import { times } from "../support/combinations.ts";
import { makePng } from "../support/png.ts";
import { reached } from "../support/reached.ts";
import {
  openApiServer,
  resolvedBy,
  startJoinedServers,
  startSeparateServers,
} from "../support/separate-servers.ts";
import { keys, listen, named, optionsWith } from "./three-servers.ts";

const ports = { manager: listen, target: listen, query: listen };

const closing: { close(graceSeconds?: number): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of closing.splice(0).reverse()) await server.close(0);
});

/** Starts two target API servers, the query server and the manager. */
async function opened(start: typeof startJoinedServers, clock: Clock = new ManualClock()) {
  const options = optionsWith({ clock, processingTimeSeconds: 0, responseDelaySeconds: 0 });
  const servers = await start({ listen: ports, options, resolveApiServer: resolvedBy(options) });
  closing.push(servers);
  const second = await openApiServer("target-api", servers.manager.url, listen, options);
  closing.push(second);
  const at = reached(servers.target.url, servers.query.url, servers.manager.url);
  return { at, both: [at, reached(second.url, "", servers.manager.url)] };
}

const ways = [
  { way: "that share their state in one process", start: startJoinedServers, rounds: 5 },
  { way: "that communicate over HTTP", start: startSeparateServers, rounds: times(50, 10) },
];

describe.each(ways)("servers $way", ({ start, rounds }) => {
  test("accept exactly as many requests as a limit allows, wherever they arrive", async () => {
    const limits = { request_rate_limits: { other: { max_requests: 15, window_seconds: 1 } } };
    const clock = new ManualClock();
    const { at, both } = await opened(start, clock);
    await manage(at, "POST", "/cloud_databases", { ...named, ...limits });
    for (let round = 0; round < rounds; round += 1) {
      clock.advance(3);
      const statuses = await Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          clock.advance(index % 2 === 0 ? 0.02 : -0.019);
          const answer = await sendSigned(both[index % 2] ?? at, keys, { method: "GET", path: "/summary" });
          return answer.status;
        }),
      );
      expect(statuses.sort()).toEqual([...Array(15).fill(200), ...Array(45).fill(429)]);
    }
  }, 120_000);

  test("record a request whose connection a fault resets in the manager's journal", async () => {
    const { at, both } = await opened(start);
    await manage(at, "POST", "/faults", { reset_connection: true, operation: "databaseSummary", times: 2 });
    for (const { urls } of both)
      await expect(fetch(`${urls.target}/summary`)).rejects.toThrow("fetch failed");
    const { requests } = (await manage(at, "GET", "/requests")).fields;
    expect(requests).toMatchObject([
      { path: "/faults" },
      { path: "/summary", status: null },
      { path: "/summary", status: null },
    ]);
  });

  test("accept a name from only one of many requests", async () => {
    const { at, both } = await opened(start);
    await manage(at, "POST", "/cloud_databases", named);
    const body = { name: "poster", width: 1, image: makePng().toString("base64") };
    const codes = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const sent = { method: "POST", path: "/targets", body } as const;
        return (await sendSigned(both[index % 2] ?? at, keys, sent)).fields.result_code;
      }),
    );
    expect(codes.filter((code) => code === "TargetCreated")).toHaveLength(1);
    expect(codes.filter((code) => code === "TargetNameExist")).toHaveLength(23);
  });
});

test.each(ways)(
  "servers $way list targets in the order in which their requests arrived, not in which they were stored",
  async ({ start }) => {
    const clock = new ManualClock();
    const { at, both } = await opened(start, clock);
    await manage(at, "POST", "/cloud_databases", named);
    const answers = [];
    for (let index = 0; index < 12; index += 1) {
      clock.advance(0.001);
      // Earlier images are larger, so they are stored later.
      const image = makePng({ width: index % 2 === 0 ? 600 : 10, height: 600 - 45 * index });
      const body = { name: `target ${index}`, width: 1, image: image.toString("base64") };
      answers.push(sendSigned(at, keys, { method: "POST", path: "/targets", body }));
      // When this has been answered, what was sent before has arrived.
      await manage(at, "GET", "/livez");
      await get(`${at.urls.target}/unserved`);
    }
    const ids = (await Promise.all(answers)).map(({ fields }) => fields.target_id);
    expect(new Set(ids).size).toBe(12);
    for (const server of both) {
      const { fields } = await sendSigned(server, keys, { method: "GET", path: "/targets" });
      expect(fields.results).toEqual(ids);
    }
  },
  60_000,
);

test.each(ways)(
  "servers $way list targets in the order of creation while the clock runs",
  async ({ start }) => {
    const { at, both } = await opened(start, systemClock);
    await manage(at, "POST", "/cloud_databases", named);
    const image = makePng().toString("base64");
    const ids = [];
    for (let index = 0; index < 40; index += 1) {
      const body = { name: `target ${index}`, width: 1, image };
      const sent = { method: "POST", path: "/targets", body } as const;
      ids.push((await sendSigned(both[index % 2] ?? at, keys, sent)).fields.target_id);
    }
    for (const server of both) {
      const { fields } = await sendSigned(server, keys, { method: "GET", path: "/targets" });
      expect(fields.results).toEqual(ids);
    }
  },
);
