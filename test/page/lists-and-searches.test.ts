import { samplePicture } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scene } from "../support/scenes.ts";
import { readPage } from "./events.ts";
import type { PageDatabases, PageRequests, PageTargets } from "./page-data.ts";
import { addTarget } from "./shop.ts";

let servers: Awaited<ReturnType<typeof startServers>>;
const read = <T>(path: string) => readPage<T>(`${servers.urls.manager}/page/${path}`);

beforeAll(async () => {
  servers = await startServers();
  for (const databaseName of ["shop", "museum"]) servers.addCloudDatabase({ databaseName });
  const picture = await samplePicture(1);
  const base64 = (content: string | Uint8Array) => Buffer.from(content).toString("base64");
  const poster = { processing_time_seconds: 0, application_metadata: base64("Price: 3 Euro") };
  await addTarget(servers, "shop", "poster", picture, poster);
  const flat = { processing_time_seconds: 0, application_metadata: base64(Uint8Array.of(0xff, 0xfe)) };
  await addTarget(servers, "shop", "album", await samplePicture(2), flat);
  await addTarget(servers, "shop", "cover", await scene(3), { processing_time_seconds: 3600 });
  const fault = servers.addFault({ operation: "query", response: { status: 503, body: "closed" } });
  await fetch(`${servers.urls.query}/v1/query`, { method: "POST" });
  fault.remove();
  await fetch(`${servers.urls.target}/summary`);
  await fetch(`${servers.urls.target}/targets/none`);
  await fetch(`${servers.urls.manager}/cloud_databases`);
});
afterAll(() => servers.stop());

describe("a page's list of targets", () => {
  it.each([
    ["oldest", ["poster", "album", "cover"]],
    ["newest", ["cover", "album", "poster"]],
    ["unknown", ["cover", "album", "poster"]],
    ["name", ["album", "cover", "poster"]],
  ])("is sorted: %s", async (sort, names) => {
    const { targets, total } = await read<PageTargets>(`targets?database=shop&sort=${sort}`);
    expect([targets.map(({ name }) => name), total]).toEqual([names, 3]);
  });

  it("is sorted by rating, in both directions, and by status", async () => {
    const names = async (sort: string) =>
      (await read<PageTargets>(`targets?database=shop&sort=${sort}`)).targets.map(({ name }) => name);
    // What is processing has no rating yet.
    expect((await names("rating")).at(-1)).toBe("cover");
    expect((await names("worst"))[0]).toBe("cover");
    expect((await names("status"))[0]).toBe("cover");
  });

  it.each([
    ["POST", ["poster"]],
    ["price: 3", ["poster"]],
    ["%20album%20", ["album"]],
    ["nothing%20like%20it", []],
  ])("has what a search finds in names and metadata: %s", async (search, names) => {
    const { targets, total, all } = await read<PageTargets>(`targets?database=shop&search=${search}`);
    expect([targets.map(({ name }) => name), total, all]).toEqual([names, names.length, 3]);
  });

  it("has the target that a search finds by its id", async () => {
    const { targets } = await read<PageTargets>("targets?database=shop&sort=oldest");
    const id = targets[1]?.targetId ?? "";
    const found = await read<PageTargets>(`targets?database=shop&search=${id.slice(3, 20)}`);
    expect(found.targets.map(({ name }) => name)).toEqual(["album"]);
  });

  it("is that of the newest database, or of the one used last, when no database is named", async () => {
    expect((await read<PageTargets>("targets")).databases).toEqual(["shop", "museum"]);
    expect((await read<PageTargets>("targets?database=unknown")).database).toBe("museum");
  });
});

describe("a page's list of requests", () => {
  const paths = async (parameters: string) =>
    (await read<PageRequests>(`requests?${parameters}`)).requests.map(({ path }) => path).sort();

  it.each([
    ["api=query", ["/v1/query"]],
    ["operation=getTarget", ["/targets/none"]],
    // A fault is no refusal.
    ["refused=1", ["/summary", "/targets/none"]],
    ["search=503", ["/v1/query"]],
    ["search=get%20/summary", ["/summary"]],
    ["search=AUTHENTICATIONfailure&operation=databaseSummary", ["/summary"]],
    ["search=no%20such%20thing", []],
    ["api=query&refused=1&search=summary", []],
  ])("is filtered: %s", async (parameters, expected) => {
    expect(await paths(parameters)).toEqual(expected);
  });
});

it("a page's list of databases has those whose name a search finds", async () => {
  const { databases, total } = await read<PageDatabases>("databases?search=SEUM");
  expect([databases.map(({ databaseName }) => databaseName), total]).toEqual([["museum"], 1]);
  expect((await read<PageDatabases>("databases?search=none")).databases).toEqual([]);
});

it("a page of a service without databases shows empty lists", async () => {
  await using empty = await startServers();
  const at = `${empty.urls.manager}/page`;
  expect(await readPage(`${at}/targets`)).toMatchObject({
    database: null,
    databases: [],
    targets: [],
    all: 0,
  });
  expect(await readPage(`${at}/names`)).toEqual({ database: null, databases: [] });
  expect(await readPage(`${at}/databases`)).toEqual({ databases: [], total: 0 });
  expect(await readPage(`${at}/models`)).toMatchObject({ datasets: [], reports: [], vuMarkDatabases: [] });
  expect(await readPage(`${at}/faults`)).toMatchObject({ faults: [], databases: [] });
  expect(await readPage(`${at}/requests?operation=query`)).toMatchObject({ requests: [], total: 0 });
});
