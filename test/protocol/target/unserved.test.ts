import { MockCloudReco } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { describeBackends } from "../../support/backends.ts";
import { clients, nodeClient } from "../../support/clients.ts";

describeBackends("requests that nothing serves", (backend) => {
  it("are explained in the journal", async () => {
    await using service = await backend.open();
    await nodeClient({ method: "PUT", url: `${service.urls.target}/summary?x=1`, headers: {} });
    expect((await service.latest()).reason).toBe(
      "use GET (databaseSummary): /summary does not support the method PUT",
    );
  });

  it("answers 400 first when a header line is too long", async () => {
    await using service = await backend.open();
    const headers = { "X-Long": "x".repeat(9000) };
    for (const path of ["/targets/x", "/unserved"]) {
      const response = await nodeClient({ method: "POST", url: service.urls.target + path, headers });
      expect([response.status, response.headers.server]).toEqual([400, "envoy"]);
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
