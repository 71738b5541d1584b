import { startServers } from "mock-cloud-reco/server";
import { expect, test } from "vitest";

const MOST = 1000;

test("a server that answers as many requests as it can asks further clients to come again", async () => {
  await using servers = await startServers();
  servers.addFault({ operation: "databaseSummary", delaySeconds: 3600 });
  const ask = () => fetch(`${servers.urls.target}/summary`);
  const waiting = Array.from({ length: MOST }, ask);
  const outcomes = Promise.allSettled(waiting);
  // Each further one is delayed as well until all of them have arrived.
  let refused: Response | undefined;
  while (refused === undefined)
    refused = await Promise.race([ask(), new Promise<undefined>((end) => setTimeout(end, 250))]);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  const overload = servers.requests.filter(({ refusedBy }) => refusedBy === "overload");
  expect(overload[0]).toMatchObject({
    api: "target",
    status: 503,
    reason: expect.stringContaining("1,000 requests"),
  });
  await servers.stop();
  expect((await outcomes).map(({ status }) => status)).toEqual(waiting.map(() => "rejected"));
}, 60_000);
