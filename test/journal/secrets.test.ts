import fc from "fast-check";
import { type MockCloudDatabase, MockCloudReco } from "mock-cloud-reco";
import { expect, it } from "vitest";
import { nodeClient } from "../support/clients.ts";
import { MockSession } from "../support/mock-session.ts";

const keys = (database: MockCloudDatabase) => ({
  serverAccess: database.serverAccessKey,
  serverSecret: database.serverSecretKey,
  clientAccess: database.clientAccessKey,
  clientSecret: database.clientSecretKey,
});
const key = fc.constantFrom("serverAccess", "serverSecret", "clientAccess", "clientSecret");
const scheme = fc.constantFrom("VWS", "Bearer", "Basic", "AWS");

/** Everything that could ever be shown of the requests so far. */
const shown = (mock: MockCloudReco): string => JSON.stringify(mock.requests) + mock.explain();

it("no mix-up of keys brings a secret into the journal, its events or its printed form", async () => {
  await fc.assert(
    fc.asyncProperty(key, key, scheme, fc.boolean(), async (access, secret, scheme, isQuery) => {
      await using mock = new MockCloudReco();
      const database = mock.addCloudDatabase();
      const events: unknown[] = [];
      for (const event of ["request", "response", "rejected"] as const)
        mock.on(event, (it) => events.push(it));
      const session = new MockSession(mock, database);
      const all = keys(database);
      const mixed = { accessKey: all[access], secretKey: all[secret] };
      const request = isQuery
        ? session.signedQuery(undefined, mixed)
        : session.signedTarget({ method: "GET", path: "/targets", ...mixed });
      const signed = request.headers.Authorization ?? "";
      for (const Authorization of [
        signed.replace("VWS", scheme),
        `${scheme} ${all[access]}:${all[secret]}`,
        `${scheme} ${Buffer.from(`${all[access]}:${all[secret]}`).toString("base64")}`,
        `${all[access]}:${all[secret]}`,
        all[secret],
      ]) {
        await nodeClient({ ...request, headers: { ...request.headers, Authorization } });
      }
      expect(mock.requests).toHaveLength(5);
      const text = shown(mock) + JSON.stringify(events);
      for (const value of [all.serverSecret, all.clientSecret]) expect(text).not.toContain(value);
    }),
    { numRuns: 60 },
  );
});

it("nothing that the target manager takes or refuses brings a secret into the journal", async () => {
  await using mock = new MockCloudReco();
  const secret = "5ecret-5ecret-5ecret";
  const send = (path: string, body: string) =>
    nodeClient({ method: "POST", url: mock.urls.manager + path, headers: {}, body: Buffer.from(body) });
  const taken = { server_secret_key: secret, client_secret_key: secret, client_secret: secret };
  for (const path of ["/cloud_databases", "/vumark_databases", "/oauth2_client_credentials"]) {
    for (const body of [
      taken,
      { ...taken, client_id: "client", scopes: ["scope"] },
      { ...taken, database_name: [secret], client_id: 1, scopes: 1 },
      { server_secret_key: [secret], client_secret: { secret }, client_secret_key: [[secret]] },
      [secret],
    ]) {
      await send(path, JSON.stringify(body));
      await send(path, `${JSON.stringify(body)},`);
    }
  }
  expect(mock.requests).toHaveLength(30);
  expect(new Set(mock.requests.map(({ status }) => status))).toEqual(new Set([201, 204, 400, 409]));
  expect(shown(mock)).not.toContain(secret);
});
