import { inspect } from "node:util";
import fc from "fast-check";
import { type MockCloudDatabase, MockCloudReco } from "mock-cloud-reco";
import { expect, it } from "vitest";
import { nodeClient } from "../../support/clients.ts";
import { MockSession } from "../../support/mock-session.ts";

const keys = (database: MockCloudDatabase) => ({
  serverAccess: database.serverAccessKey,
  serverSecret: database.serverSecretKey,
  clientAccess: database.clientAccessKey,
  clientSecret: database.clientSecretKey,
});
const key = fc.constantFrom("serverAccess", "serverSecret", "clientAccess", "clientSecret");
const scheme = fc.constantFrom("VWS", "Bearer", "Basic", "AWS");

/** Everything that the mock can show about the requests so far. */
const shown = (mock: MockCloudReco): string =>
  [
    JSON.stringify(mock.requests),
    mock.explain(),
    inspect(mock.requests, { depth: 9, showHidden: true }),
    ...mock.requests.flatMap(({ request, response }) => [
      request.query,
      ...[request, response].flatMap((message) => [
        JSON.stringify([message?.headerLines, message?.headers]),
        message?.body.bytes?.toString() ?? "",
        inspect([message?.body.json, message?.body.fields], { depth: 9 }),
      ]),
    ]),
  ].join("\n");

it("no mix-up of keys puts a secret into the journal, its events or its printed form", async () => {
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
    { numRuns: 20 },
  );
});

it("nothing that the target manager accepts or refuses puts a secret into the journal", async () => {
  await using mock = new MockCloudReco();
  const secret = "5ecret-5ecret-5ecret";
  const send = (path: string, body: string) =>
    nodeClient({ method: "POST", url: mock.urls.manager + path, headers: {}, body: Buffer.from(body) });
  const taken = { server_secret_key: secret, client_secret_key: secret, client_secret: secret };
  const accepted = {
    "/cloud_databases": { server_secret_key: secret, client_secret_key: secret },
    "/vumark_databases": { server_secret_key: secret },
    "/oauth2_client_credentials": { client_id: "client", client_secret: secret, scopes: ["scope"] },
  };
  for (const [path, own] of Object.entries(accepted)) {
    for (const body of [
      own,
      own,
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
  expect(mock.requests).toHaveLength(42);
  expect(new Set(mock.requests.map(({ status }) => status))).toEqual(new Set([201, 204, 400, 409]));
  expect(shown(mock)).not.toContain(secret);
});

it("no password, client secret or token of OAuth 2.0 gets into the journal", async () => {
  const secrets = {
    client: "5ecret-of-the-client",
    password: "5ecret-of-the-user",
    created: "5ecret-of-another",
  };
  await using mock = new MockCloudReco({
    modelTargetClient: { id: "client", secret: secrets.client },
    modelTargetUser: { name: "user", password: secrets.password },
  });
  const send = (method: string, path: string, headers: Record<string, string>, body = "") =>
    nodeClient({ method, url: mock.urls.modelTarget + path, headers, body: Buffer.from(body) });
  const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
  const issued = await send("POST", "/oauth2/token", { Authorization: basic(`client:${secrets.client}`) });
  const token = String(JSON.parse(issued.body.toString()).access_token);
  for (const value of Object.values(secrets)) {
    for (const Authorization of [
      basic(`client:${value}`),
      basic(`${value}:client`),
      basic(value),
      `Basic ${value}`,
    ]) {
      await send("POST", "/oauth2/token", { Authorization });
      await send("POST", "/oauth2/token", { Authorization }, `scope=other&client_secret=${value}`);
    }
    await send("POST", "/oauth2/token", {}, `grant_type=password&username=user&password=${value}`);
    await send("POST", "/oauth2/token", {}, `grant_type=password&username=other&password=${value}`);
    await send("POST", "/oauth2/token", {}, `grant_type=password&username=${value}&password=user`);
    await send("POST", "/oauth2/token", {}, `username=${value}`.padEnd(300_000, "x"));
    await send("POST", "/oauth2/token", {}, `grant_type=${value}`);
    const rightClient = { Authorization: basic(`client:${secrets.client}`) };
    await send("POST", "/oauth2/token", rightClient, `scope=modeltargets.view+${value}`);
    const bearer = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    for (const body of [value, [value], { scopes: value }, { scope: value }, { grant_type: value }])
      await send("POST", "/oauth2/clientcredentials", bearer, JSON.stringify(body));
  }
  for (const bearer of [
    token,
    `${token}x`,
    token.replace(".", ""),
    token.replaceAll(".", ""),
    token.replace(/\w+$/, ""),
  ]) {
    for (const path of [
      "/oauth2/clientcredentials",
      "/modeltargets/datasets",
      "/oauth2/clientcredentials/x/scopes",
    ]) {
      for (const method of ["GET", "POST", "PUT"]) {
        await send(
          method,
          path,
          { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json" },
          "{",
        );
      }
    }
  }
  expect(mock.requests.length).toBeGreaterThan(70);
  const hidden = [...Object.values(secrets), token, ...token.split(".").slice(1)];
  for (const value of [
    ...hidden,
    ...Object.values(secrets).map((secret) => Buffer.from(secret).toString("base64")),
  ]) {
    expect(shown(mock)).not.toContain(value);
  }
});

it("shows parameters and fields named as what every object has", async () => {
  await using mock = new MockCloudReco();
  const names = ["constructor", "toString", "hasOwnProperty", "__proto__"];
  const query = names.map((name) => `${name}=a`).join("&");
  const json = `{${names.map((name) => `"${name}": "a"`).join(", ")}}`;
  for (const [contentType, body] of [
    ["application/x-www-form-urlencoded", query],
    ["application/json", json],
  ] as const) {
    const headers = { "Content-Type": contentType };
    await nodeClient({
      method: "POST",
      url: `${mock.urls.target}/oauth2/token?${query}`,
      headers,
      body: Buffer.from(body),
    });
  }
  expect(mock.requests.map(({ request }) => request.query)).toEqual([query, query]);
  expect(shown(mock)).toContain("hasOwnProperty=a");
});
