import { MockCloudReco } from "mock-cloud-reco";
import { type Servers, startServers } from "mock-cloud-reco/server";
import { expect, test } from "vitest";
import { scene } from "../support/scenes.ts";
import { Listener, readPage, type SeenState } from "./events.ts";
import type { PageDatabases, PageRequests, PageTargets } from "./page-data.ts";
import { addTarget } from "./shop.ts";

const open = ({ urls }: Servers) => new Listener(`${urls.manager}/page/events`);

/** Everything but the time, which is that of reading. */
const shown = ({ clock: { frozen }, ...state }: SeenState) => ({ ...state, frozen });

/** What a listener shows when it shows this state. */
async function untilShown(listener: Listener, expected: (state: SeenState) => boolean) {
  const latest = () => listener.states.at(-1);
  await listener.until(() => {
    const state = latest();
    return state !== undefined && expected(state);
  });
  const state = latest();
  if (state === undefined) throw new Error("no state");
  return shown(state);
}

const manage = (servers: Servers, method: string, path: string, body?: object) =>
  fetch(servers.urls.manager + path, { method, ...(body && { body: JSON.stringify(body) }) });

test("all pages see the same changes, and one that is opened late the same state", async () => {
  await using servers = await startServers();
  const pages = Array.from({ length: 12 }, () => open(servers));
  for (const page of pages) await page.until(() => page.states.length > 0);

  const gone = servers.addCloudDatabase({ databaseName: "gone" });
  servers.addVuMarkDatabase({ databaseName: "marks" });
  const shop = servers.addCloudDatabase({ databaseName: "shop" });
  await addTarget(servers, "shop", "poster", await scene(1), { processing_time_seconds: 60 });
  const fault = servers.addFault({ api: "query", response: { status: 503, body: "long".repeat(99) } });
  servers.addFault({ api: "target", delaySeconds: 1 });
  for (const page of pages) await untilShown(page, ({ faults }) => faults.length === 2);

  fault.remove();
  servers.deleteDatabase(gone);
  servers.updateDatabase(shop, { targetQuota: 7 });
  servers.addCloudDatabase({ databaseName: "last" });
  servers.clock.set(servers.clock.now(), true);
  const isLast = ({ cloudDatabases, clock }: SeenState) =>
    clock.frozen && cloudDatabases.at(-1)?.databaseName === "last";
  await using late = open(servers);
  const whole = await untilShown(late, isLast);
  for (const page of pages) expect(await untilShown(page, isLast)).toEqual(whole);
  expect(whole.cloudDatabases.map(({ databaseName }) => databaseName)).toEqual(["shop", "last"]);
  expect(whole.faults).toMatchObject([{ delaySeconds: 1 }]);
  for (const page of pages) await page[Symbol.asyncDispose]();
});

test("the stream only says that something changed, four times a second at most, whatever clients send", async () => {
  await using servers = await startServers();
  await using page = open(servers);
  await page.until(() => page.states.length === 1);
  for (let round = 0; round < 20; round += 1)
    await Promise.all(Array.from({ length: 20 }, () => fetch(`${servers.urls.target}/summary`)));
  await page.until(() => page.requests.filter(({ api }) => api === "target").length === 400);
  expect(new Set(page.events)).toEqual(new Set(["changed"]));
  const numbers = page.requests.map(({ number }) => number);
  expect(new Set(numbers).size).toBe(400);
  // The first one answers the connection, and says nothing of a change.
  const pauses = page.times.slice(2).map((time, index) => time - (page.times[index + 1] ?? 0));
  expect(pauses.length).toBeLessThan(((page.times.at(-1) ?? 0) - (page.times[0] ?? 0)) / 200 + 2);
});

test("a read has a tag, and is answered with 304 until what it shows changes, whatever happens elsewhere", async () => {
  await using servers = await startServers();
  const { manager, target } = servers.urls;
  servers.addCloudDatabase({ databaseName: "other" });
  const shop = servers.addCloudDatabase({ databaseName: "shop" });
  await addTarget(servers, "shop", "poster", await scene(1));
  const paths = ["targets?database=shop", "databases", "models", "faults", "names?database=shop", "requests"];
  const read = (path: string, tag = "") =>
    fetch(`${manager}/page/${path}`, { headers: tag === "" ? {} : { "If-None-Match": tag } });
  const tags = new Map<string, string>();
  for (const path of paths) {
    const first = await read(path);
    expect(first.status, path).toBe(200);
    const tag = first.headers.get("etag") ?? "";
    tags.set(path, tag);
    const again = await read(path, tag);
    expect([again.status, await again.text()], path).toEqual([304, ""]);
  }
  const statusOf = async (path: string) => (await read(path, tags.get(path))).status;
  // What others send concerns the list of requests only.
  await fetch(`${target}/summary`);
  for (const path of paths) expect(await statusOf(path), path).toBe(path === "requests" ? 200 : 304);
  servers.addFault({ delaySeconds: 0 + 1 });
  expect([await statusOf("faults"), await statusOf("databases")]).toEqual([200, 304]);
  await addTarget(servers, "other", "poster", await scene(2));
  expect([await statusOf("targets?database=shop"), await statusOf("databases")]).toEqual([304, 200]);
  servers.updateDatabase(shop, { targetQuota: 7 });
  expect(await statusOf("targets?database=shop")).toBe(200);
});

test("targets that are sorted by status are read again when one has been processed", async () => {
  await using servers = await startServers();
  servers.addCloudDatabase({ databaseName: "shop" });
  const advance = () => manage(servers, "POST", "/clock/advance", { seconds: 60 });
  await addTarget(servers, "shop", "old", await scene(1), { processing_time_seconds: 60 });
  await advance();
  await addTarget(servers, "shop", "new", await scene(2), { processing_time_seconds: 60 });
  const read = async (tag = "") => {
    const response = await fetch(`${servers.urls.manager}/page/targets?database=shop&sort=status`, {
      headers: tag === "" ? {} : { "If-None-Match": tag },
    });
    expect(response.status).toBe(200);
    const { targets }: PageTargets = JSON.parse(await response.text());
    return { tag: response.headers.get("etag") ?? "", names: targets.map(({ name }) => name) };
  };
  const { tag, names } = await read();
  expect(names).toEqual(["new", "old"]);
  await advance();
  expect((await read(tag)).names).toEqual(["old", "new"]);
});

test("a list has at most 1,000 rows, and a search finds the others", async () => {
  await using servers = await startServers({ targetRater: "perfect", journalCapacity: 3000 });
  const { manager, target } = servers.urls;
  servers.addCloudDatabase({ databaseName: "many", targetQuota: 20_000 });
  await addTarget(servers, "many", "target 0", await scene(1));
  const snapshot = JSON.parse(await (await fetch(`${manager}/snapshot`)).text());
  const [{ targets }] = snapshot.databases;
  for (let number = 1; number <= 1000; number += 1)
    targets.push({
      ...targets[0],
      targetId: number.toString(16).padStart(32, "0"),
      name: `target ${number}`,
      uploadDate: targets[0].uploadDate + number,
    });
  await fetch(`${manager}/snapshot`, { method: "PUT", body: JSON.stringify(snapshot) });
  const read = <T>(path: string) => readPage<T>(`${manager}/page/${path}`);
  const listed = await read<PageTargets>("targets?database=many");
  expect([listed.targets.length, listed.total, listed.all]).toEqual([1000, 1001, 1001]);
  expect(listed.targets.some(({ name }) => name === "target 0")).toBe(false);
  const found = await read<PageTargets>("targets?database=many&search=target%200");
  expect(found.targets.map(({ name }) => name)).toEqual(["target 0"]);
  const byName = await read<PageTargets>("targets?database=many&sort=name");
  expect(byName.targets.slice(0, 3).map(({ name }) => name)).toEqual(["target 0", "target 1", "target 10"]);

  for (let index = 0; index < 1000; index += 1) servers.addCloudDatabase({ databaseName: `shop ${index}` });
  const databases = await read<PageDatabases>("databases");
  expect([databases.databases.length, databases.total]).toEqual([1000, 1001]);
  expect(databases.databases.at(-1)?.databaseName).toBe("shop 999");
  expect(await read<PageDatabases>("databases?search=MANY")).toMatchObject({
    databases: [{ databaseName: "many" }],
    total: 1,
  });

  for (let index = 0; index <= 1000; index += 1) await fetch(`${target}/first/${index}`);
  const requests = await read<PageRequests>("requests");
  expect(requests.requests).toHaveLength(1000);
  expect(requests.requests.at(-1)?.path).toBe("/first/1000");
  const searched = await read<PageRequests>("requests?search=first/0&api=target");
  expect(searched).toMatchObject({ requests: [{ path: "/first/0" }], total: 1 });
});

test("a page follows restores, resets and a clock that is set back", async () => {
  await using servers = await startServers();
  const { manager } = servers.urls;
  servers.addCloudDatabase({ databaseName: "a" });
  servers.addCloudDatabase({ databaseName: "b" });
  await addTarget(servers, "b", "poster", await scene(1), { processing_time_seconds: 60 });
  const snapshot = await (await fetch(`${manager}/snapshot`)).text();
  await using page = open(servers);
  await page.until(() => page.states.length === 1);
  const names = ({ cloudDatabases }: SeenState) =>
    cloudDatabases.map(({ databaseName }) => databaseName).join();
  const counts = ({ cloudDatabases }: SeenState) => cloudDatabases.at(-1)?.counts;

  await manage(servers, "POST", "/clock/advance", { seconds: 60 });
  await untilShown(page, (state) => counts(state)?.active === 1);
  await manage(servers, "DELETE", "/clock");
  await untilShown(page, (state) => counts(state)?.processing === 1);

  await manage(servers, "POST", "/reset");
  await untilShown(page, (state) => names(state) === "");
  servers.addCloudDatabase({ databaseName: "b" });
  await untilShown(page, (state) => names(state) === "b");
  await fetch(`${manager}/snapshot`, { method: "PUT", body: snapshot });
  const after = await untilShown(page, (state) => names(state) === "a,b" && counts(state)?.processing === 1);
  await using late = open(servers);
  expect(await untilShown(late, (state) => names(state) === "a,b")).toEqual(after);
});

test("two pages of a mock follow it over a stop and a start", async () => {
  await using mock = new MockCloudReco({ intercept: false });
  await using first = await mock.page.serve();
  await using second = await mock.page.serve();
  await using a = new Listener(`${first.url}page/events`);
  await using b = new Listener(`${second.url}page/events`);
  mock.addCloudDatabase({ databaseName: "shop" });
  for (const page of [a, b]) await untilShown(page, ({ cloudDatabases: [shop] }) => shop !== undefined);
  mock.stop();
  await Promise.all([first, second].map((page) => page.stop()));
  mock.start();
  mock.addCloudDatabase({ databaseName: "other" });
  await using third = await mock.page.serve();
  await using c = new Listener(`${third.url}page/events`);
  expect((await untilShown(c, () => true)).cloudDatabases).toMatchObject([
    { databaseName: "shop" },
    { databaseName: "other" },
  ]);
});
