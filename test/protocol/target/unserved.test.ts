import { gunzipSync } from "node:zlib";
import { MockCloudReco } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { describeBackends } from "../../support/backends.ts";
import { clients, nodeClient } from "../../support/clients.ts";

const page = (shown: string): string =>
  `<!DOCTYPE html>
<html lang="en">
    <head>
        <title>Not Found</title>
    </head>
    <body>
        <h1>Not Found</h1>
        <p id="detail">For request '${shown}'</p>
    </body>
</html>
`;

describeBackends("requests that nothing serves", (backend) => {
  it.each([
    ["neutral", "x-proxy-upstream-service-time", undefined, false],
    ["neutral", "x-proxy-upstream-service-time", "br", false],
    ["neutral", "x-proxy-upstream-service-time", "gzip;q=0, *", false],
    ["neutral", "x-proxy-upstream-service-time", "br, gzip;q=0.1", true],
    ["neutral", "x-proxy-upstream-service-time", "*", true],
    ["vuforia", "x-envoy-upstream-service-time", undefined, true],
    ["vuforia", "x-envoy-upstream-service-time", "identity", true],
  ] as const)(
    "%s: answers an unserved method with the page (%s, Accept-Encoding %s)",
    async (profile, upstreamTime, accepted, isGzipped) => {
      await using service = await backend.open({ profile });
      const response = await nodeClient({
        method: "PUT",
        url: `${service.urls.target}/summary?x=1`,
        headers: accepted === undefined ? {} : { "Accept-Encoding": accepted },
      });
      expect(response.status).toBe(404);
      const shown = isGzipped ? gunzipSync(response.body) : response.body;
      expect(shown.toString()).toBe(page("PUT /summary"));
      expect(response.rawHeaders).toEqual([
        ["Content-Type", "text/html; charset=UTF-8"],
        ...(isGzipped ? [["Content-Encoding", "gzip"]] : []),
        [upstreamTime, "5"],
        ["Content-Length", String(response.body.length)],
      ]);
      expect((await service.latest()).reason).toBe(
        "/summary does not support the method PUT; expected GET (databaseSummary)",
      );
    },
  );

  it.each([
    ["/targets", true, true],
    ["/summary/x", true, true],
    ["/duplicates/x", true, true],
    ["/targets/x/instances", true, true],
    ["/imagetargets/databases/x/reports/recoCounts", true, false],
    ["/reports/x/2026-11.csv", true, false],
    ["/oauth2/token", true, false],
    ["/modeltargets/datasets", true, false],
  ])(
    "answers %s with the page or an empty body, depending on the profile",
    async (path, neutral, vuforia) => {
      for (const [profile, page] of [
        ["neutral", neutral],
        ["vuforia", vuforia],
      ] as const) {
        await using service = await backend.open({ profile });
        const response = await nodeClient({ method: "PATCH", url: service.urls.target + path, headers: {} });
        expect([response.status, response.headers["content-type"]]).toEqual([
          404,
          page ? "text/html; charset=UTF-8" : undefined,
        ]);
        if (!page) expect(response.rawHeaders).toEqual([["Content-Length", "0"]]);
      }
    },
  );

  it("escapes the path, percent-decoded once", async () => {
    await using service = await backend.open();
    const url = `${service.urls.target}/targets/%3Cb%3E&%22'%2541`;
    const response = await nodeClient({ method: "POST", url, headers: {} });
    expect(response.body.toString()).toBe(page("POST /targets/&lt;b&gt;&amp;&quot;&#x27;%41"));
  });

  it("answers 400 first when a header line is too long", async () => {
    await using service = await backend.open();
    const headers = { "X-Long": "x".repeat(9000) };
    for (const path of ["/targets/x", "/unserved"]) {
      const response = await nodeClient({ method: "POST", url: service.urls.target + path, headers });
      expect([response.status, response.headers.server]).toEqual([400, "nginx"]);
    }
  });
});

describe("unserved paths in process", () => {
  it.each(Object.entries(clients))(
    "give %s a connection error that names the path",
    async (_name, client) => {
      await using mock = new MockCloudReco();
      const request = client({ method: "GET", url: `${mock.urls.target}/targetsfoo`, headers: {} });
      const error: unknown = await request.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      expect(cause).toMatchObject({
        code: "ECONNREFUSED",
        message: expect.stringContaining("GET /targetsfoo"),
      });
      expect(mock.requests).toMatchObject([{ refusedBy: "route", path: "/targetsfoo", method: "GET" }]);
    },
  );

  it.each(["/targets/", "/Targets", "/targets/a/b", "/summary/", "/targets/x/instances/"])(
    "does not serve %s",
    async (path) => {
      await using mock = new MockCloudReco();
      await expect(nodeClient({ method: "GET", url: mock.urls.target + path, headers: {} })).rejects.toThrow(
        path,
      );
    },
  );
});
