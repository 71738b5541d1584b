import { Redis } from "iovalkey";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createRandom } from "../../src/core/random.ts";
import { resolveOptions } from "../../src/mock/options.ts";
import { type ServiceServer, startServiceServer } from "../../src/servers/service.ts";
import { InvalidSettingsError, readSettings } from "../../src/servers/settings.ts";
import { type SharedManager, startSharedManager } from "../../src/servers/shared-manager.ts";
import { type RunningRedis, startRedis, whyNoRedis } from "../store/redis-server.ts";
import { manage, sendSigned } from "../support/answers.ts";
import { makePng } from "../support/png.ts";
import { reached } from "../support/reached.ts";

const listen = { host: "127.0.0.1", port: 0 };
const keys = { serverAccessKey: "access", serverSecretKey: "secret" };
const named = { database_name: "shop", server_access_key: "access", server_secret_key: "secret" };
const body = { name: "poster", width: 1, image: makePng().toString("base64") };
const add = { method: "POST", path: "/targets", body } as const;
const options = (targetUrl: string) => resolveOptions({ targetUrl, processingTimeSeconds: 0 });

test("another kind of URL is refused, without showing its password", () => {
  const state = { STATE_URL: "http://user:hidden@state:6379", STATE_PREFIX: "a b" };
  expect(() => readSettings("query", state)).toThrow(InvalidSettingsError);
  expect(() => readSettings("query", state)).toThrow(
    /^STATE_URL: expected a redis:\/\/ or rediss:\/\/ URL, such as redis:\/\/state:6379; got a value that is not shown\nSTATE_PREFIX: expected letters, digits, dots, hyphens and underscores; got "a b"\n/,
  );
});

describe.skipIf(whyNoRedis !== undefined)("servers with their state in a real Redis", () => {
  let redis: RunningRedis;
  const open: { close(graceSeconds?: number): Promise<void> }[] = [];
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close(0);
  });
  afterAll(() => redis?.close());

  const address = (url = redis.url) => ({
    stateUrl: new URL(url),
    statePrefix: createRandom().hex(8),
  });
  const opened = async (state = address()) => {
    const managers: SharedManager[] = [];
    const apis: ServiceServer[] = [];
    for (let count = 0; count < 2; count += 1) {
      managers.push(await startSharedManager({ listen, options: options("http://unused") }, state));
      apis.push(await startServiceServer("targetApi", { listen, state, options }));
    }
    const query = await startServiceServer("query", { listen, state, options });
    open.push(...managers, ...apis, query);
    return {
      apis,
      at: managers.map((manager, index) => reached(apis[index]?.url ?? "", query.url, manager.url)),
    };
  };

  test("a change through one server is visible on every other one", async () => {
    const [first, second] = (await opened()).at;
    if (first === undefined || second === undefined) throw new Error("no servers");
    expect((await manage(first, "POST", "/cloud_databases", named)).status).toBe(201);
    expect((await manage(second, "POST", "/cloud_databases", named)).status).toBe(409);
    const added = await sendSigned(second, keys, add);
    expect(added.fields).toMatchObject({ result_code: "TargetCreated" });
    expect((await sendSigned(first, keys, add)).fields).toMatchObject({ result_code: "TargetNameExist" });
    const listed = await sendSigned(first, keys, { method: "GET", path: "/targets" });
    expect(listed.fields).toMatchObject({ results: [added.fields.target_id] });
    const shown = await (await fetch(`${second.urls.manager}/cloud_databases`)).text();
    expect(JSON.parse(shown)).toMatchObject([{ targets: [{ name: "poster", image_base64: body.image }] }]);
  });

  test("all servers share faults, which are applied exactly as often as given", async () => {
    const [first, second] = (await opened()).at;
    if (first === undefined || second === undefined) throw new Error("no servers");
    await manage(first, "POST", "/cloud_databases", named);
    const fault = { operation: "databaseSummary", answer: { status: 503 }, times: 3 };
    const { id } = (await manage(second, "POST", "/faults", fault)).fields;
    const summary = (_: unknown, index: number) =>
      sendSigned(index % 2 === 0 ? first : second, keys, { method: "GET", path: "/summary" });
    const statuses = (await Promise.all(Array.from({ length: 12 }, summary))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(3);
    expect((await manage(first, "GET", "/faults")).json).toMatchObject([{ id, times_applied: 3 }]);
    expect((await manage(first, "DELETE", `/faults/${id}`)).status).toBe(204);
    expect((await manage(second, "GET", "/faults")).text).toBe("[]");
  });

  test("all servers share the clock and the journal", async () => {
    const { at, apis } = await opened();
    const [first, second] = at;
    if (first === undefined || second === undefined) throw new Error("no servers");
    const clock = JSON.stringify({ now: "2027-01-01T00:00:00.000Z", frozen: true });
    await fetch(`${first.urls.manager}/clock`, { method: "PUT", body: clock });
    const answer = await fetch(`${second.urls.target}/summary`);
    expect(answer.headers.get("date")).toBe("Fri, 01 Jan 2027 00:00:00 GMT");
    await Promise.all(apis.map((api) => api.flushJournal()));
    const requests = async (url: string) => {
      const page: { requests: { path: string }[] } = JSON.parse(
        await (await fetch(`${url}/requests`)).text(),
      );
      return page.requests.map(({ path }) => path).filter((path) => path === "/summary");
    };
    expect(await requests(first.urls.manager)).toEqual(["/summary"]);
    expect(await requests(second.urls.manager)).toEqual(["/summary"]);
    await fetch(`${first.urls.manager}/reset`, { method: "POST" });
    expect(await requests(second.urls.manager)).toEqual([]);
    const after = await fetch(`${second.urls.target}/summary`);
    expect(after.headers.get("date")).not.toMatch(/2027 00:00:00/);
  });

  test("while Redis is unavailable, requests get 502 with a line of text, and the state is there when it is back", async () => {
    const [first] = (await opened()).at;
    if (first === undefined) throw new Error("no servers");
    await manage(first, "POST", "/cloud_databases", named);
    const added = await sendSigned(first, keys, add);
    await redis.kill();
    const away = await sendSigned(first, keys, { method: "GET", path: "/targets" });
    expect(away.status).toBe(502);
    expect(away.text).toMatch(/^the state at redis:\/\/127\.0\.0\.1:\d+ cannot be used: .+$/);
    await redis.restart();
    await expect
      .poll(async () => (await sendSigned(first, keys, { method: "GET", path: "/targets" })).fields, {
        timeout: 10_000,
      })
      .toMatchObject({ results: [added.fields.target_id] });
  });

  test("a wrong password stops the start, naming the setting and not the password", async () => {
    const client = new Redis(redis.url);
    await client.call("ACL", "SETUSER", "someone", "on", ">right", "~*", "+@all");
    const { port } = new URL(redis.url);
    const wrong = address(`redis://someone:hidden@127.0.0.1:${port}`);
    const starting = startServiceServer("query", { listen, state: wrong, options });
    await expect(starting).rejects.toThrow(
      `STATE_URL: redis://127.0.0.1:${port} rejects the user or the password`,
    );
    client.disconnect();
  });

  test("when Redis is full, changes get 502 that says so, and work again later", async () => {
    const [first] = (await opened()).at;
    if (first === undefined) throw new Error("no servers");
    await manage(first, "POST", "/cloud_databases", named);
    const client = new Redis(redis.url);
    try {
      await client.config("SET", "maxmemory", "1");
      const refused = await sendSigned(first, keys, add);
      expect([refused.status, refused.text]).toEqual([
        502,
        expect.stringMatching(/^the state at .* cannot be used: OOM command not allowed/),
      ]);
    } finally {
      await client.config("SET", "maxmemory", "0");
      client.disconnect();
    }
    expect((await sendSigned(first, keys, add)).status).toBe(201);
  });
});
