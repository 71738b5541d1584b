import { setTimeout } from "node:timers/promises";
import { startServers } from "mock-cloud-reco/server";
import { expect, test } from "vitest";

const MOST = 1000;

test("a server that answers as many requests as it can asks further clients to come again", async () => {
  await using servers = await startServers();
  servers.addFault({ operation: "databaseSummary", delaySeconds: 3600 });
  const asked: Promise<Response>[] = [];
  const ask = () => {
    const request = fetch(`${servers.urls.target}/summary`);
    request.catch(() => {});
    asked.push(request);
    return request;
  };
  for (let count = 0; count < MOST; count += 1) ask();
  // One that comes before the thousandth is delayed, too.
  let refused: Response | undefined;
  while (refused === undefined) refused = await Promise.race([ask(), setTimeout(250, undefined)]);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(servers.requests.find(({ refusedBy }) => refusedBy === "overload")).toMatchObject({
    api: "target",
    status: 503,
    reason: expect.stringContaining("1,000 requests"),
  });
  await servers.stop();
  const outcomes = await Promise.allSettled(asked);
  // Besides those that it held, any that had not arrived yet.
  expect(outcomes.filter(({ status }) => status === "rejected").length).toBeGreaterThanOrEqual(MOST);
  const answered = outcomes.flatMap((outcome) =>
    outcome.status === "fulfilled" ? [outcome.value.status] : [],
  );
  expect(new Set(answered)).toEqual(new Set([503]));
}, 60_000);
