import { MockCloudReco } from "mock-cloud-reco";
import { expect, it } from "vitest";

/** What the journal says about a request that nothing serves. */
async function reasonFor(method: string, path: string): Promise<string | undefined> {
  await using mock = new MockCloudReco({ intercept: false });
  // The target API answers no path of which nothing is served.
  await mock.fetch(mock.urls.target + path, { method }).catch(() => {});
  return mock.requests[0]?.reason;
}

it.each([
  ["GET", "/target", "GET /targets (listTargets)"],
  ["POST", "/target", "POST /targets (addTarget)"],
  ["GET", "/targets/", "GET /targets (listTargets)"],
  ["GET", "//targets", "GET /targets (listTargets)"],
  ["GET", "/Targets", "GET /targets (listTargets)"],
  ["GET", "/v1/targets", "GET /targets (listTargets)"],
  ["GET", "/vws/targets/0123456789abcdef0123456789abcdef", "GET /targets/{id} (getTarget)"],
  ["GET", "/target/0123456789abcdef0123456789abcdef", "GET /targets/{id} (getTarget)"],
  ["PUT", "/taget/0123456789abcdef0123456789abcdef", "PUT /targets/{id} (updateTarget)"],
  ["PUT", "/0123456789abcdef0123456789abcdef", "PUT /targets/{id} (updateTarget)"],
  ["DELETE", "/targets/0123456789abcdef0123456789abcdef/", "DELETE /targets/{id} (deleteTarget)"],
  ["GET", "/duplicate/0123456789abcdef0123456789abcdef", "GET /duplicates/{id} (getDuplicates)"],
  ["GET", "/sumary", "GET /summary (databaseSummary)"],
  ["GET", "/summaries/0123456789abcdef0123456789abcdef", "GET /summary/{id} (targetSummary)"],
])("the nearest route of %s %s is %s", async (method, path, route) => {
  expect(await reasonFor(method, path)).toBe(
    `correct the path: nothing is served at ${method} ${path}; the nearest route is ${route}`,
  );
});

it("of a very long path, only the start is compared, which takes no time", async () => {
  expect(await reasonFor("GET", `/${"a/".repeat(300)}`)).toMatch(
    /; the nearest route is [A-Z]+ \/\S+ \(\w+\)$/,
  );
  // The journal shortens this one.
  const reason = await reasonFor("GET", `/${"a/".repeat(3000)}${"b".repeat(100_000)}`);
  expect(reason?.startsWith("correct the path: nothing is served at GET /a/a/")).toBe(true);
});
