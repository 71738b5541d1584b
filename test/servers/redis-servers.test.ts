import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "iovalkey";
import { describe, expect, onTestFinished, test } from "vitest";
import { start } from "../cli/command.ts";
import { Listener } from "../page/events.ts";
import { manage, sendSigned } from "../support/answers.ts";
import { reached } from "../support/reached.ts";
import { whyNoRedis } from "../support/redis-server.ts";
import { add, address, body, keys, named, opened, started, startForAll } from "./with-redis.ts";

describe.skipIf(whyNoRedis !== undefined)("servers with their state in a real Redis", () => {
  startForAll();
  const databases = async (url: string): Promise<readonly { database_name: string }[]> =>
    JSON.parse(await (await fetch(`${url}/cloud_databases`)).text());

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

  test("with realism, each server delays only its own clients' changes, until processing is finished", async () => {
    const [first, second] = (await opened(address(), { REALISM: '{"visibilityLagSeconds":3600}' })).at;
    if (first === undefined || second === undefined) throw new Error("no servers");
    await manage(first, "POST", "/cloud_databases", named);
    const { target_id: id } = (await sendSigned(first, keys, add)).fields;
    const listed = async (at: typeof first) =>
      (await sendSigned(at, keys, { method: "GET", path: "/targets" })).fields.results;
    expect([await listed(first), await listed(second)]).toEqual([[], [id]]);
    await manage(second, "POST", "/finish_processing");
    expect(await listed(first)).toEqual([id]);
  });

  test("a page shows without being asked what other servers changed and answered", async () => {
    const state = address();
    const { at } = await opened(state);
    const [first] = at;
    if (first === undefined) throw new Error("no servers");
    const manager = await started("target-manager", state);
    await using listener = new Listener(`${manager}/page/events`);
    await listener.until(() => listener.states.length === 1);
    await manage(first, "POST", "/cloud_databases", named);
    await sendSigned(first, keys, { method: "GET", path: "/summary" });
    await manage(first, "PUT", "/clock", { now: "2030-01-01T00:00:00Z", frozen: true });
    await listener.until(
      () =>
        listener.states.at(-1)?.cloudDatabases.length === 1 &&
        listener.states.at(-1)?.clock.frozen === true &&
        listener.requests.some(({ operation }) => operation === "databaseSummary"),
    );
    expect(listener.states.at(-1)?.clock.now).toBe(Date.UTC(2030, 0, 1));
    expect(listener.states.at(-1)?.cloudDatabases).toMatchObject([{ databaseName: "shop" }]);
  });

  test("of 64 additions of one name at once over all servers, one gets 201", async () => {
    const { at } = await opened();
    const [first] = at;
    if (first === undefined) throw new Error("no servers");
    await manage(first, "POST", "/cloud_databases", named);
    const sent = Array.from({ length: 64 }, (_, index) => sendSigned(at[index % 2] ?? first, keys, add));
    const codes = (await Promise.all(sent)).map(({ status, fields }) => `${status} ${fields.result_code}`);
    expect(codes.filter((code) => code === "201 TargetCreated")).toHaveLength(1);
    expect(codes.filter((code) => code === "403 TargetNameExist")).toHaveLength(63);
  });

  test("all servers share faults, which are applied exactly as often as given", async () => {
    const [first, second] = (await opened()).at;
    if (first === undefined || second === undefined) throw new Error("no servers");
    await manage(first, "POST", "/cloud_databases", named);
    const fault = { operation: "databaseSummary", response: { status: 503 }, times: 3 };
    const { id } = (await manage(second, "POST", "/faults", fault)).fields;
    const summary = (_: unknown, index: number) =>
      sendSigned(index % 2 === 0 ? first : second, keys, { method: "GET", path: "/summary" });
    const statuses = (await Promise.all(Array.from({ length: 12 }, summary))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(3);
    expect((await manage(first, "GET", "/faults")).text).toBe("[]");
    expect((await manage(first, "DELETE", `/faults/${id}`)).status).toBe(404);
  });

  test("all servers share the clock and the journal", async () => {
    const [first, second] = (await opened()).at;
    if (first === undefined || second === undefined) throw new Error("no servers");
    const clock = JSON.stringify({ now: "2027-01-01T00:00:00.000Z", frozen: true });
    await fetch(`${first.urls.manager}/clock`, { method: "PUT", body: clock });
    const answer = await fetch(`${second.urls.target}/summary`);
    expect(answer.headers.get("date")).toBe("Fri, 01 Jan 2027 00:00:00 GMT");
    const requests = async (url: string) => {
      const page: { requests: { path: string }[] } = JSON.parse(
        await (await fetch(`${url}/requests`)).text(),
      );
      return page.requests.map(({ path }) => path).filter((path) => path === "/summary");
    };
    expect(await requests(second.urls.manager)).toEqual(["/summary"]);
    expect(await requests(first.urls.manager)).toEqual(["/summary"]);
    await fetch(`${first.urls.manager}/reset`, { method: "POST" });
    expect(await requests(second.urls.manager)).toEqual([]);
    const after = await fetch(`${second.urls.target}/summary`);
    expect(after.headers.get("date")).not.toMatch(/2027 00:00:00/);
  });

  test("what one manager shows of the journal, every other one shows at once", async () => {
    const [first, second] = (await opened()).at;
    if (first === undefined || second === undefined) throw new Error("no servers");
    const count = async (at: typeof first) => {
      const { requests } = (await manage(at, "GET", "/requests")).fields;
      return (requests as { readonly path: string }[]).filter(({ path }) => path === "/summary").length;
    };
    const counts: number[][] = [];
    for (let round = 1; round <= 5; round += 1) {
      await fetch(`${second.urls.target}/summary`);
      counts.push([await count(second), await count(first)]);
    }
    expect(counts).toEqual(counts.map((_, index) => [index + 1, index + 1]));
  });

  test("the journal has requests whose connection a fault resets", async () => {
    const [first, second] = (await opened()).at;
    if (first === undefined || second === undefined) throw new Error("no servers");
    await manage(first, "POST", "/faults", { reset_connection: true, operation: "databaseSummary" });
    await expect(fetch(`${second.urls.target}/summary`)).rejects.toThrow("fetch failed");
    await manage(second, "GET", "/requests");
    const { requests }: { requests: { path: string }[] } = JSON.parse(
      await (await fetch(`${first.urls.manager}/requests`)).text(),
    );
    // The list that the second one was asked for may be published already.
    expect(requests.filter(({ path }) => path !== "/requests")).toMatchObject([
      { path: "/faults" },
      { path: "/summary", status: null },
    ]);
  });

  test("what happened before the journal was cleared does not appear afterwards", async () => {
    const { at } = await opened();
    const [first, second] = at;
    if (first === undefined || second === undefined) throw new Error("no servers");
    const publish = () => Promise.all(at.map((each) => manage(each, "GET", "/requests")));
    for (const path of ["/reset", "/requests"]) {
      await fetch(`${first.urls.target}/before`);
      await fetch(`${second.urls.target}/before`);
      await manage(second, path === "/reset" ? "POST" : "DELETE", path);
      await publish();
      await fetch(`${first.urls.target}/after`);
      await publish();
      for (const each of at) {
        const { requests } = (await manage(each, "GET", "/requests")).fields;
        const paths = (requests as { readonly path: string }[]).map((request) => request.path);
        expect(paths.filter((known) => known === "/before" || known === "/after")).toEqual(["/after"]);
      }
    }
  });

  test("deleted targets and the requests for them take little memory of Redis", async () => {
    const [first, second] = (await opened()).at;
    if (first === undefined || second === undefined) throw new Error("no servers");
    await manage(first, "POST", "/cloud_databases", named);
    const client = new Redis(address().STATE_URL);
    onTestFinished(() => client.disconnect());
    const used = async () => Number(/used_memory:(\d+)/.exec(await client.info("memory"))?.[1]);
    const before = await used();
    const application_metadata = Buffer.alloc(1_000_000, 1).toString("base64");
    for (let count = 0; count < 4; count += 1) {
      const target = { ...body, name: `poster ${count}`, application_metadata };
      const added = await sendSigned(first, keys, { ...add, body: target });
      const path = `/targets/${added.fields.target_id}`;
      expect((await sendSigned(second, keys, { method: "DELETE", path })).status).toBe(200);
    }
    await expect.poll(async () => (await used()) - before, { timeout: 20_000 }).toBeLessThan(1_000_000);
  });

  test("all servers show the newest bodies, and of the others their size", async () => {
    const [first, second] = (await opened()).at;
    if (first === undefined || second === undefined) throw new Error("no servers");
    const sent = ["a", "b", "c", "d"].map((letter) => letter.repeat(200_000));
    for (const body of [...sent, "x".repeat(600_000)]) {
      await fetch(`${first.urls.target}/targets`, { method: "POST", body });
      // Publishes it by itself: the bodies of a batch are dropped together.
      await manage(first, "GET", "/requests");
    }
    const { requests } = (await manage(second, "GET", "/requests")).fields;
    const shown = (
      requests as { readonly path: string; readonly request: { readonly body: string | null } }[]
    )
      .filter(({ path }) => path === "/targets")
      .map(({ request }) => request.body);
    expect(shown).toHaveLength(5);
    expect([shown[0], shown[1], shown[4]]).toEqual([null, null, null]);
    expect([shown[2]?.slice(0, 3), shown[3]?.slice(0, 3)]).toEqual(["ccc", "ddd"]);
  });

  test("concurrent changes of the clock through all managers all count", async () => {
    const { at } = await opened();
    const [first] = at;
    if (first === undefined) throw new Error("no servers");
    const now = "2027-01-01T00:00:00.000Z";
    await manage(first, "PUT", "/clock", { now, frozen: true });
    const advance = (_: unknown, index: number) =>
      manage(at[index % 2] ?? first, "POST", "/clock/advance", { seconds: 1 });
    await Promise.all(Array.from({ length: 10 }, advance));
    for (const each of at)
      expect((await manage(each, "GET", "/clock")).fields).toMatchObject({ now: "2027-01-01T00:00:10.000Z" });
  });

  test("a manager keeps its own entries that followed after the journal was cleared", async () => {
    const [first, second] = (await opened()).at;
    if (first === undefined || second === undefined) throw new Error("no servers");
    await manage(first, "DELETE", "/requests");
    await manage(second, "GET", "/after");
    const { requests } = (await manage(second, "GET", "/requests")).fields;
    expect(requests).toMatchObject([{ path: "/after" }]);
  });

  test("serve keeps its state in Redis: the next one has the same database, beside other servers", async () => {
    const state = address();
    const environment = {
      MOCK_CLOUD_RECO_STATE_URL: state.STATE_URL,
      MOCK_CLOUD_RECO_STATE_PREFIX: state.STATE_PREFIX,
      MOCK_CLOUD_RECO_PROCESSING_TIME_SECONDS: "0",
    };
    const once = async (act: (service: ReturnType<typeof reached>) => Promise<void>) => {
      const serving = start(["serve", "--json"], environment);
      const { urls, database } = JSON.parse(await serving.printed());
      await act(reached(urls.target, urls.query, urls.manager));
      await serving.stop();
      return {
        serverAccessKey: String(database.server_access_key),
        serverSecretKey: String(database.server_secret_key),
      };
    };
    const own = await once(async () => {});
    const [beside] = (await opened(state)).at;
    if (beside === undefined) throw new Error("no servers");
    const added = await sendSigned(beside, own, add);
    const again = await once(async (service) => {
      const listed = await sendSigned(service, own, { method: "GET", path: "/targets" });
      expect(listed.fields).toMatchObject({ results: [added.fields.target_id] });
    });
    expect(again).toEqual(own);
    expect(await databases(beside.urls.manager)).toHaveLength(1);
  });

  test("of managers that start with the same seed file, one adds it, and none once there is state", async () => {
    const environment = address();
    const folder = await mkdtemp(join(tmpdir(), "seed-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, "seed.json");
    await writeFile(path, JSON.stringify({ cloud_databases: [{ database_name: "shop" }] }));
    const manager = () => start(["target-manager", "--port", "0", "--seed", path], environment);
    const both = [manager(), manager()];
    const third = manager();
    for (const each of [...both, third]) {
      const url = (await each.printed()).trim().split(" ")[1] ?? "";
      expect(await databases(url)).toMatchObject([{ database_name: "shop" }]);
    }
    for (const each of [...both, third]) expect(await each.stop()).toMatchObject({ code: 0 });
  });
});
