import { VuforiaClient } from "mock-cloud-reco/examples/client";
import { type IsolatedDatabase, type Servers, startServers } from "mock-cloud-reco/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ModelTargetClient } from "../../examples/model-targets/model-target-client.ts";
import { manage } from "../support/answers.ts";
import { makePng } from "../support/png.ts";
import { reached } from "../support/reached.ts";

const picture = makePng();
const model = { name: "engine", cadDataUrl: "https://example.com/engine.glb", views: [{ name: "front" }] };

describe("isolated databases of shared servers", () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers({ processingTimeSeconds: 0 });
  });
  afterAll(() => servers.stop());

  const clientOf = ({ database }: IsolatedDatabase) =>
    new VuforiaClient(database, servers.urls.target, servers.urls.query);
  const loginOf = ({ credential: { clientId, clientSecret } }: IsolatedDatabase) =>
    ModelTargetClient.login(clientId, clientSecret, servers.urls.modelTarget);
  const operations = (own: IsolatedDatabase) => own.requests.map(({ operation }) => operation);

  test("eight workers add the same name at once, and each sees only its own requests and targets", async () => {
    const work = async (worker: number) => {
      using own = servers.isolated();
      const client = clientOf(own);
      const id = await client.addTarget("poster", picture);
      expect(own.database.targets).toMatchObject([{ name: "poster", targetId: id }]);
      for (let count = 0; count < worker; count += 1) await client.summary();
      await expect(client.addTarget("poster", picture)).rejects.toThrow("403 TargetNameExist");
      const summaries = Array.from({ length: worker }, () => "databaseSummary");
      expect(operations(own)).toEqual(["addTarget", ...summaries, "addTarget"]);
      expect(own.requests.at(-1)).toMatchObject({ resultCode: "TargetNameExist" });
      expect(own.explain()).toContain(`${worker + 2} requests, 1 refused`);
    };
    await Promise.all(Array.from({ length: 8 }, (_, worker) => work(worker)));
  });

  test("requests without keys belong to the database whose credential's token they have", async () => {
    using first = servers.isolated();
    using second = servers.isolated();
    const [one, other] = [await loginOf(first), await loginOf(second)];
    const uuid = await one.create("engine", model);
    await one.status(uuid);
    await other.create("engine", model);
    await expect(other.status("0".repeat(32))).rejects.toThrow("404");
    expect(operations(first)).toEqual(["token", "createDataset", "datasetStatus"]);
    expect(operations(second)).toEqual(["token", "createDataset", "datasetStatus"]);
    expect(second.requests.at(-1)).toMatchObject({
      reason: expect.stringMatching(/: no dataset has the uuid /),
    });
  });

  test("a client that a credential's client creates belongs to the same database, and only that one sees it", async () => {
    const create = async (own: IsolatedDatabase) => {
      const { clientId, clientSecret } = own.credential;
      const basic = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
      const token = await json("/oauth2/token", `Basic ${basic}`, new URLSearchParams());
      const bearer = `Bearer ${token.access_token}`;
      const scopes = ["modeltargets.standardmodeltarget.all"];
      const created = await json("/oauth2/clientcredentials", bearer, JSON.stringify({ scopes }));
      const listed = await json("/oauth2/clientcredentials", bearer);
      return { clientId: created.client_id, clientSecret: created.client_secret, listed };
    };
    const json = async (path: string, authorization: string, body?: URLSearchParams | string) => {
      const headers = {
        authorization,
        ...(typeof body === "string" && { "content-type": "application/json" }),
      };
      const response = await fetch(servers.urls.modelTarget + path, {
        method: body === undefined ? "GET" : "POST",
        headers,
        ...(body !== undefined && { body }),
      });
      return JSON.parse(await response.text());
    };
    using first = servers.isolated();
    using second = servers.isolated();
    const { clientId, clientSecret, listed } = await create(first);
    await create(second);
    expect(listed).toMatchObject([{ clientId: first.credential.clientId }, { clientId }]);
    const created = await ModelTargetClient.login(clientId, clientSecret, servers.urls.modelTarget);
    await created.create("engine", model);
    expect(operations(first).slice(-2)).toEqual(["token", "createDataset"]);
    expect(operations(second)).not.toContain("createDataset");
  });

  test("a fault concerns only its own requests, with keys and with tokens", async () => {
    using first = servers.isolated();
    using second = servers.isolated();
    using fault = first.addFault({ response: { resultCode: "Fail", status: 503 } });
    await expect(clientOf(first).summary()).rejects.toThrow("503");
    await expect(loginOf(first)).rejects.toThrow("503");
    await clientOf(second).summary();
    await loginOf(second);
    expect(fault.timesApplied).toBe(2);
    expect(first.explain()).toMatch(
      /by the fault that was added at test\/servers\/isolated-databases\.test\.ts:\d+\n/,
    );
  });

  test("removing one deletes its database and its credentials, and leaves the others", async () => {
    const before = servers.credentials.length;
    using other = servers.isolated();
    const own = servers.isolated();
    const client = clientOf(own);
    own.remove();
    own.remove();
    await expect(client.summary()).rejects.toThrow("400 Fail");
    await expect(loginOf(own)).rejects.toThrow("401");
    await clientOf(other).summary();
    expect(servers.credentials).toHaveLength(before + 1);
  });

  test("removing one again spares what another worker has under its name", async () => {
    const own = servers.isolated({ databaseName: "shop" });
    own.addFault({ operation: "databaseSummary", response: { status: 503 } });
    own.remove();
    using next = servers.isolated({ databaseName: "shop" });
    await clientOf(next).summary();
    own.remove();
    await clientOf(next).summary();
    await loginOf(next);
    const deleted = servers.isolated({ databaseName: "other shop" });
    servers.deleteDatabase(deleted.database);
    using last = servers.isolated({ databaseName: "other shop" });
    deleted.remove();
    await clientOf(last).summary();
    await loginOf(last);
  });

  test("a worker in another process has the same through the target manager", async () => {
    const service = reached(servers.urls.target, servers.urls.query, servers.urls.manager);
    const added = (await manage(service, "POST", "/cloud_databases", {})).fields;
    const databaseName = String(added.database_name);
    const credential = {
      client_id: "worker",
      client_secret: "secret",
      scopes: ["modeltargets.standardmodeltarget.all"],
    };
    await manage(service, "POST", "/oauth2_client_credentials", {
      ...credential,
      database_name: databaseName,
    });
    await ModelTargetClient.login("worker", "secret", servers.urls.modelTarget);
    const database = servers.findCloudDatabase(databaseName);
    if (database === undefined) throw new Error("the database is missing");
    await new VuforiaClient(database, servers.urls.target).summary();
    const path = `/requests?database_name=${encodeURIComponent(databaseName)}`;
    expect((await manage(service, "GET", path)).fields).toMatchObject({
      requests: [{ operation: "token" }, { operation: "databaseSummary" }],
    });
  });
});

test("a view keeps its requests while others fill the journal", async () => {
  await using servers = await startServers({ journalCapacity: 5 });
  using own = servers.isolated();
  using other = servers.isolated();
  const client = ({ database }: IsolatedDatabase) => new VuforiaClient(database, servers.urls.target);
  await client(own).summary();
  for (let count = 0; count < 7; count += 1) await client(other).summary();
  expect(servers.requests).toHaveLength(5);
  expect(own.requests).toMatchObject([{ database: own.database.databaseName }]);
  expect(other.requests).toHaveLength(5);
  await servers.reset();
  expect(own.requests).toEqual([]);
});
