import { once } from "node:events";
import { request } from "node:http";
import { MockCloudReco } from "mock-cloud-reco";
import { type Servers, startServers } from "mock-cloud-reco/server";
import { expect, test } from "vitest";
import type { PageState } from "../../src/page/model.ts";
import { scene } from "../support/scenes.ts";
import { Listener } from "./events.ts";
import { addTarget } from "./shop.ts";

const open = ({ urls }: Servers, lastId?: string) => new Listener(`${urls.manager}/page/events`, lastId);

/** Everything but the time, which is that of sending. */
const shown = ({ clock: { frozen }, ...state }: PageState) => ({ ...state, frozen });

/** What a listener shows when it shows this state. */
async function untilShown(listener: Listener, expected: (state: PageState) => boolean) {
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
  const fault = servers.addFault({ api: "query", answer: { status: 503, body: "long".repeat(99) } });
  servers.addFault({ api: "target", delaySeconds: 1 });
  for (const page of pages) await untilShown(page, ({ faults }) => faults.length === 2);

  fault.remove();
  servers.deleteDatabase(gone);
  servers.updateDatabase(shop, { targetQuota: 7 });
  servers.addCloudDatabase({ databaseName: "last" });
  servers.clock.set(servers.clock.now(), true);
  const isLast = ({ cloudDatabases, clock }: PageState) =>
    clock.frozen && cloudDatabases.at(-1)?.databaseName === "last";
  await using late = open(servers);
  const whole = await untilShown(late, isLast);
  for (const page of pages) expect(await untilShown(page, isLast)).toEqual(whole);
  expect(whole.cloudDatabases.map(({ databaseName }) => databaseName)).toEqual(["shop", "last"]);
  expect(whole.faults).toMatchObject([{ delaySeconds: 1 }]);
  // Each change only, after the whole state once.
  for (const { events } of pages) expect(events.filter(({ event }) => event === "state")).toHaveLength(1);
  for (const page of pages) await page[Symbol.asyncDispose]();
});

test("a change is as long as what changed, whatever else there is", async () => {
  await using servers = await startServers();
  for (let index = 0; index < 300; index += 1) servers.addCloudDatabase({ databaseName: `shop ${index}` });
  await using page = open(servers);
  await page.until(() => page.states.length === 1);
  await manage(servers, "PUT", "/cloud_databases/shop%20150", { target_quota: 7 });
  await page.until(() => page.states.length === 2);
  const { data } = page.events.find(({ event }) => event === "changes") ?? { data: "" };
  expect(JSON.parse(data)).toMatchObject({
    cloudDatabases: { removed: [], changed: [{ databaseName: "shop 150", targetQuota: 7 }] },
  });
  expect(Object.keys(JSON.parse(data))).toEqual(["cloudDatabases"]);
  expect(data.length).toBeLessThan(1000);
  expect(page.states.at(-1)?.cloudDatabases[150]?.targetQuota).toBe(7);
});

test("a page that falls far behind receives the whole state again, and every request once", async () => {
  await using servers = await startServers();
  const { manager } = servers.urls;
  const targets = Array.from({ length: 1000 }, (_, index) => ({ name: `template ${index}` }));
  servers.addVuMarkDatabase({ databaseName: "marks", targets });
  const asked = request(`${manager}/page/events`);
  asked.end();
  const [slow] = await once(asked, "response");
  slow.pause();
  await using fast = open(servers);
  await fast.until(() => fast.states.length === 1);
  // Each change is that of a database with 1000 templates, more than 100 kB.
  for (let index = 0; index < 60; index += 1) {
    await manage(servers, "POST", "/vumark_databases/marks/vumark_targets", { name: `late ${index}` });
    await fetch(`${manager}/livez`);
    await untilShown(fast, ({ vuMarkDatabases: [first] }) => first?.targets.length === 1001 + index);
  }
  const received = new Listener(slow);
  await untilShown(received, ({ vuMarkDatabases: [first] }) => first?.targets.length === 1060);
  await received.until(() => received.requests.length >= 60);
  const states = (listener: Listener) => listener.events.filter(({ event }) => event === "state");
  expect(states(fast)).toHaveLength(1);
  expect(states(received).length).toBeGreaterThan(1);
  expect(received.states.length).toBeLessThan(fast.states.length);
  expect(received.requests.map(({ number }) => number)).toEqual(fast.requests.map(({ number }) => number));
  slow.destroy();
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
  const names = ({ cloudDatabases }: PageState) =>
    cloudDatabases.map(({ databaseName }) => databaseName).join();
  const counts = ({ cloudDatabases }: PageState) => cloudDatabases.at(-1)?.counts;

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

test("a page that reconnects, even after its server started again, receives the whole state first", async () => {
  const first = await startServers();
  first.addCloudDatabase({ databaseName: "a" });
  const page = open(first);
  await fetch(`${first.urls.manager}/livez`);
  await page.until(() => page.requests.length === 1);
  await page[Symbol.asyncDispose]();
  first.addCloudDatabase({ databaseName: "b" });
  {
    await using again = open(first, page.lastId);
    const { cloudDatabases } = await untilShown(again, () => true);
    expect(cloudDatabases).toHaveLength(2);
    expect(again.requests).toEqual([]);
  }
  await first.stop();

  await using second = await startServers();
  second.addCloudDatabase({ databaseName: "c" });
  await using again = open(second, page.lastId);
  const { cloudDatabases } = await untilShown(again, () => true);
  expect(cloudDatabases.map(({ databaseName }) => databaseName)).toEqual(["c"]);
  expect(again.events[0]?.event).toBe("clear");
});

test("two pages of a mock follow it over a stop and a start", async () => {
  await using mock = new MockCloudReco({ intercept: false });
  await using first = await mock.servePage();
  await using second = await mock.servePage();
  await using a = new Listener(`${first.url}page/events`);
  await using b = new Listener(`${second.url}page/events`);
  mock.addCloudDatabase({ databaseName: "shop" });
  for (const page of [a, b]) await untilShown(page, ({ cloudDatabases: [shop] }) => shop !== undefined);
  mock.stop();
  await Promise.all([first, second].map((page) => page.stop()));
  mock.start();
  mock.addCloudDatabase({ databaseName: "other" });
  await using third = await mock.servePage();
  await using c = new Listener(`${third.url}page/events`);
  expect((await untilShown(c, () => true)).cloudDatabases).toMatchObject([
    { databaseName: "shop" },
    { databaseName: "other" },
  ]);
});
