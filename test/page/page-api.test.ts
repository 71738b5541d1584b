import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { MockCloudReco } from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import { startServers } from "mock-cloud-reco/server";
import sharp from "sharp";
import { describe, expect, it, vi } from "vitest";
import { scene } from "../support/scenes.ts";
import { Listener, readPage } from "./events.ts";
import type {
  PageComparison,
  PageRequestDetails,
  PageRequests,
  PageState,
  PageTargets,
  PageTrial,
} from "./page-data.ts";
import { addTarget } from "./shop.ts";

const HTML = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
const summary = (url: string) => fetch(`${url}/summary`);

describe("the page", () => {
  it("is served to browsers at the manager's root, and nothing else is changed there", async () => {
    await using servers = await startServers();
    const { manager } = servers.urls;
    const page = await fetch(manager, HTML);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await page.text()).toMatch(/^<!doctype html>/);
    expect((await fetch(manager)).status).toBe(404);
    expect((await fetch(manager, { ...HTML, method: "POST" })).status).toBe(404);
    const head = await fetch(manager, { ...HTML, method: "HEAD" });
    expect(head.headers.get("content-length")).toBe(page.headers.get("content-length"));
    const databases = await fetch(`${manager}/cloud_databases`, HTML);
    expect(databases.headers.get("content-type")).toBe("application/json");
  });

  it("allows only its own script and style, and no frame around it", async () => {
    await using servers = await startServers();
    const page = await fetch(servers.urls.manager, HTML);
    const policy = page.headers.get("content-security-policy") ?? "";
    const html = await page.text();
    const hashOf = (element: string) => {
      const [, content = ""] = new RegExp(`<${element}>([^]*)</${element}>`).exec(html) ?? [];
      return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
    };
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src ${hashOf("script")};`);
    expect(policy).toContain(`style-src ${hashOf("style")};`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe-inline");
    expect(page.headers.get("permissions-policy")).toMatch(/^camera=\(self\), microphone=\(\)/);
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
  });

  it("can be turned off, with its routes", async () => {
    await using servers = await startServers({ ui: false });
    expect((await fetch(servers.urls.manager, HTML)).status).toBe(404);
    expect((await fetch(`${servers.urls.manager}/page/events`)).status).toBe(404);
  });
});

describe("the events", () => {
  it("tell a page that reconnects to read again, also of another manager", async () => {
    const first = await startServers();
    await summary(first.urls.target);
    for (let round = 0; round < 2; round += 1) {
      await using listener = new Listener(`${first.urls.manager}/page/events`);
      await listener.until(() => listener.requests.length === 1);
    }
    await first.stop();
    await using second = await startServers();
    await using listener = new Listener(`${second.urls.manager}/page/events`);
    await listener.until(() => listener.states.length === 1);
    expect(listener.requests).toEqual([]);
  });

  it("tell that the journal was cleared", async () => {
    await using servers = await startServers();
    const { manager, target } = servers.urls;
    await summary(target);
    await using listener = new Listener(`${manager}/page/events`);
    await listener.until(() => listener.requests.length === 1);
    await fetch(`${manager}/requests`, { method: "DELETE" });
    await fetch(`${target}/duplicates/a`);
    await listener.until(() => listener.requests.some(({ path }) => path === "/duplicates/a"));
    expect(listener.requests.some(({ path }) => path === "/summary")).toBe(false);
  });

  it("report changes that no request made, and statuses that the clock changes", async () => {
    await using servers = await startServers();
    await using listener = new Listener(`${servers.urls.manager}/page/events`);
    await listener.until(() => listener.states.length === 1);
    servers.addCloudDatabase({ databaseName: "shop" });
    await listener.until(() => listener.states.length === 2);
    expect(listener.states.at(-1)?.cloudDatabases).toMatchObject([{ databaseName: "shop" }]);
    const picture = await readFile("examples/demo/images/raccoon.jpg");
    await addTarget(servers, "shop", "raccoon", picture, { processing_time_seconds: 60 });
    const counts = () => listener.states.at(-1)?.cloudDatabases[0]?.counts;
    await listener.until(() => counts()?.processing === 1);
    await fetch(`${servers.urls.manager}/clock/advance`, { method: "POST", body: '{"seconds":60}' });
    await listener.until(() => counts()?.active === 1);
    expect(counts()).toEqual({ active: 1, inactive: 0, failed: 0, processing: 0 });
  });

  it("end with the server", async () => {
    const servers = await startServers();
    const { body } = await fetch(`${servers.urls.manager}/page/events`);
    const reader = body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toMatch(/^retry: /);
    await servers.stop();
    // Not cut off, as what has not ended after some seconds is: that cannot be read to its end.
    for (;;) if ((await reader?.read())?.done !== false) break;
  });
});

describe("the counts of requests", () => {
  it("are of those of clients that are kept, whatever the page itself sends", async () => {
    await using servers = await startServers({ journalCapacity: 100 });
    const { manager, target } = servers.urls;
    const counts = async () => (await readPage<PageState>(`${manager}/page/state`)).requests;
    for (let count = 0; count < 100; count += 1) await fetch(`${manager}/livez`);
    expect(await counts()).toMatchObject({ clients: 100, refused: 0, dropped: 0 });
    for (let count = 0; count < 7; count += 1) await summary(target);
    expect(await counts()).toMatchObject({ clients: 100, refused: 7, dropped: 7 });
    const own = { headers: { "x-sent-by-page": "1" } };
    for (let count = 0; count < 3; count += 1) await fetch(`${manager}/faults`, own);
    expect(await counts()).toMatchObject({ clients: 97, refused: 7, dropped: 10 });
    expect(await readPage<PageRequests>(`${manager}/page/requests`)).toMatchObject({ total: 97 });
    expect(await readPage<PageRequests>(`${manager}/page/requests?own=1`)).toMatchObject({ total: 100 });
    const refused = await readPage<PageRequests>(`${manager}/page/requests?refused=1`);
    expect(refused.requests.map(({ path }) => path)).toEqual(Array(7).fill("/summary"));
    await fetch(`${manager}/requests`, { method: "DELETE" });
    await summary(target);
    expect(await counts()).toMatchObject({ refused: 1, dropped: 0 });
  });
});

describe("the page's routes", () => {
  it("returns targets without their pictures, and pictures as thumbnails or originals", async () => {
    await using servers = await startServers();
    const { manager } = servers.urls;
    servers.addCloudDatabase({ databaseName: "a shop" });
    const picture = await scene(1, 800, 600);
    await addTarget(servers, "a shop", "poster", picture, { processing_time_seconds: 0 });
    const given = await fetch(`${manager}/page/targets?database=a+shop`);
    const { targets }: PageTargets = JSON.parse(await given.text());
    const sha256 = createHash("sha256").update(picture).digest("hex");
    expect(targets).toMatchObject([{ name: "poster", image: sha256, outcome: "success" }]);

    const thumbnail = await fetch(`${manager}/page/thumbnails/${sha256}`);
    expect(thumbnail.headers.get("content-type")).toBe("image/webp");
    expect(thumbnail.headers.get("content-security-policy")).toContain("sandbox");
    const { width, height } = await sharp(Buffer.from(await thumbnail.arrayBuffer())).metadata();
    expect([width, height]).toEqual([360, 270]);

    const original = await fetch(`${manager}/page/images/${sha256}`);
    expect(original.headers.get("content-type")).toBe("image/png");
    expect(Buffer.from(await original.arrayBuffer()).equals(picture)).toBe(true);
    for (const path of ["thumbnails/0", "images/0", "requests/0", "requests/%ff", "nothing", "images/a/b"])
      expect((await fetch(`${manager}/page/${path}`)).status, path).toBe(404);
  });

  it("returns a whole request, without being journalled itself", async () => {
    await using servers = await startServers();
    const { manager, target } = servers.urls;
    await using listener = new Listener(`${manager}/page/events`);
    await summary(target);
    await listener.until(() => listener.requests.length === 1);
    const id = listener.requests[0]?.number;
    const details: PageRequestDetails = JSON.parse(
      await (await fetch(`${manager}/page/requests/${id}`)).text(),
    );
    expect(details.request).toMatchObject({
      number: 1,
      path: "/summary",
      status: 401,
      request: { query: "" },
    });
    expect(details.request.response?.json).toMatchObject({ result_code: "AuthenticationFailure" });
    expect(servers.requests).toHaveLength(1);
  });

  it("returns the pictures in a request, facts about them, and its body", async () => {
    await using servers = await startServers();
    const { manager, target, query } = servers.urls;
    const picture = await scene(4);
    await new VuforiaClient(servers.addCloudDatabase(), target, query).find(picture);
    await using listener = new Listener(`${manager}/page/events`);
    await listener.until(() => listener.requests.length === 1);
    const id = listener.requests[0]?.number;
    const details: PageRequestDetails = JSON.parse(
      await (await fetch(`${manager}/page/requests/${id}`)).text(),
    );
    const sha256 = createHash("sha256").update(picture).digest("hex");
    expect(details.images).toEqual({
      [sha256]: { format: "PNG", width: 320, height: 240, size: picture.length },
    });
    const image = await fetch(`${manager}/page/images/${sha256}`);
    expect(Buffer.from(await image.arrayBuffer()).equals(picture)).toBe(true);
    const body = Buffer.from(await (await fetch(`${manager}/page/bodies/${id}`)).arrayBuffer());
    expect(body.includes(picture)).toBe(true);
    expect(body.length).toBe(details.request.request.size);
  });

  it("scores a picture against every target, also below the threshold", async () => {
    await using servers = await startServers();
    const { manager } = servers.urls;
    servers.addCloudDatabase({ databaseName: "shop" });
    const done = { processing_time_seconds: 0 };
    const [first, second] = [await scene(1), await scene(2)];
    await addTarget(servers, "shop", "first", first, done);
    await addTarget(servers, "shop", "second", second, { ...done, active_flag: false });
    const tried = async (body: Buffer): Promise<PageTrial> =>
      JSON.parse(await (await fetch(`${manager}/page/try?database=shop`, { method: "POST", body })).text());

    const trial = await tried(first);
    expect(trial.comparison).toEqual({ by: "structuralSimilarity", threshold: 0.6 });
    expect(trial.image).toMatchObject({ format: "PNG", width: 320, problem: null, outcome: "success" });
    expect(trial.image.brisque).toBeGreaterThan(0);
    expect(trial.targets).toMatchObject([
      { name: "first", score: 1, matched: true, passedOver: null },
      {
        name: "second",
        matched: false,
        passedOver: { code: "target.inactive", why: "inactive: its active_flag is false" },
      },
    ]);
    const [, { score, image } = { score: null, image: "" }] = trial.targets;
    expect(score).toBeLessThan(0.6);

    const compared = await fetch(`${manager}/page/compare/${image}`, { method: "POST", body: first });
    const map: PageComparison = JSON.parse(await compared.text());
    expect(map.windows).toHaveLength(map.columns ** 2);
    // The score is the mean over all windows, including edges.
    expect(map.score).toBeCloseTo(score ?? 0, 6);

    expect(await tried(Buffer.from("no picture"))).toMatchObject({
      image: { format: null, problem: expect.stringContaining("PNG or JPEG"), brisque: null },
      targets: [],
    });
    const journal = servers.requests;
    expect(journal.filter(({ path }) => path.startsWith("/page"))).toEqual([]);
  });

  it("rates a tried picture as adding it does, and calls no rater that may answer otherwise then", async () => {
    const picture = await scene(1);
    const ratingOf = async (url: string) => {
      const tried = await fetch(new URL("/page/try?database=shop", url), { method: "POST", body: picture });
      const { image }: PageTrial = JSON.parse(await tried.text());
      expect(image).toMatchObject({ outcome: "success", brisque: expect.any(Number) });
      return image.rating;
    };
    const added = { name: "picture", image: picture, processed: true };
    const ratings: number[] = [];
    for (const targetRater of ["brisque", "features", "perfect"] as const) {
      await using servers = await startServers({ targetRater });
      const shop = servers.addCloudDatabase({ databaseName: "shop" });
      const rating = await ratingOf(servers.urls.manager);
      expect([targetRater, (await servers.addTarget(shop, added)).trackingRating]).toEqual([
        targetRater,
        rating,
      ]);
      ratings.push(rating ?? Number.NaN);
    }
    // So that each of them can be told from another one.
    expect(new Set(ratings).size).toBeGreaterThan(1);

    const draw = async (isTried: boolean) => {
      await using servers = await startServers({ targetRater: "random", seed: 1 });
      const shop = servers.addCloudDatabase({ databaseName: "shop" });
      if (isTried) expect(await ratingOf(servers.urls.manager)).toBeNull();
      return (await servers.addTarget(shop, added)).trackingRating;
    };
    expect(await draw(true)).toBe(await draw(false));

    const targetRater = vi.fn(() => 3);
    await using mock = new MockCloudReco({ targetRater });
    mock.addCloudDatabase({ databaseName: "shop" });
    await using page = await mock.page.serve();
    expect(await ratingOf(page.url)).toBeNull();
    expect(targetRater).not.toHaveBeenCalled();
  });
});
