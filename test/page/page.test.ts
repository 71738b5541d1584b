import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { ManualClock } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { results } from "../protocol/query/send.ts";
import { drawLeaves, photograph, pngOf } from "../support/photographs.ts";
import { scene } from "../support/scenes.ts";
import { complaints, drop, openPage } from "./browsing.ts";
import { findChromium, launchChromium } from "./chromium.ts";
import { addTarget } from "./shop.ts";

describe.skipIf(findChromium() === undefined)("in a browser, the page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  it("adds a database, hides its secrets, changes it and deletes it", async () => {
    await using servers = await startServers();
    const page = await openPage(browser, servers.urls.manager);
    await page.getByRole("button", { name: "Add database" }).click();
    await page.getByLabel("Name").fill("shop");
    await page.getByRole("dialog").getByRole("button", { name: "Add database" }).click();
    const card = page.getByRole("article", { name: "shop" });
    await card.waitFor();
    const { serverSecretKey = "" } = servers.findCloudDatabase("shop") ?? {};
    expect(serverSecretKey).not.toBe("");
    expect(await card.textContent()).not.toContain(serverSecretKey);
    await card.getByRole("button", { name: "Show Server secret key of shop" }).click();
    expect(await card.textContent()).toContain(serverSecretKey);

    await card.getByRole("button", { name: "Settings of shop" }).click();
    await page.getByRole("combobox", { name: "State" }).selectOption("Suspended");
    await page.getByRole("spinbutton", { name: "Target quota" }).fill("7");
    await page.getByRole("button", { name: "Save" }).click();
    await card.getByText("0 of 7 targets").waitFor();
    expect(servers.findCloudDatabase("shop")).toMatchObject({
      stateName: "PROJECT_SUSPENDED",
      targetQuota: 7,
    });

    await card.getByRole("button", { name: "Delete shop" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "No databases yet" }).waitFor();
    expect(complaints.get(page)).toEqual([]);
    await page.close();
  });

  it("adds dropped targets, edits one and deletes it", async () => {
    await using servers = await startServers();
    servers.addCloudDatabase({ databaseName: "shop" });
    const page = await openPage(browser, servers.urls.manager, "targets");
    await drop(page, [
      { name: "first.png", bytes: await scene(1) },
      { name: "second.png", bytes: await scene(2) },
      { name: "no-picture.png", bytes: Buffer.from("none") },
    ]);
    await page.getByText("Added 2 targets").waitFor();
    await page.getByText(/expected a PNG or JPEG/).waitFor();
    await page.getByRole("button", { name: "Target second" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("renamed");
    await page.getByRole("textbox", { name: "Metadata" }).fill("grün");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "renamed" }).waitFor();
    const [, target] = (await servers.findCloudDatabase("shop")?.targets) ?? [];
    expect(target).toMatchObject({
      name: "renamed",
      applicationMetadata: Buffer.from("grün").toString("base64"),
    });
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page
      .getByRole("dialog", { name: "Delete renamed?" })
      .getByRole("button", { name: "Delete" })
      .click();
    await page.getByText("1 target", { exact: true }).waitFor();
    await expect.poll(() => page.evaluate("document.querySelector('.target img')?.naturalWidth")).toBe(320);
    expect(complaints.get(page)?.filter((text) => !text.includes("400"))).toEqual([]);
    await page.close();
  });

  it("shows how similar every target is to a picture, and where it differs", async () => {
    await using servers = await startServers();
    servers.addCloudDatabase({ databaseName: "shop" });
    const done = { processing_time_seconds: 0 };
    await addTarget(servers, "shop", "same", await scene(6), done);
    await addTarget(servers, "shop", "other", await scene(7), done);
    const page = await openPage(browser, servers.urls.manager, "try");
    await drop(page, [{ name: "same.png", bytes: await scene(6) }]);
    await page.getByRole("heading", { name: "A query finds 1 target" }).waitFor();
    await page.getByText("Threshold 0.6").waitFor();
    await page.getByRole("img", { name: "Map of the differences; the score is 1.000" }).waitFor();
    await page.getByRole("button", { name: /^other.*0\./ }).click();
    await page.getByRole("img", { name: /score is 0\./ }).waitFor();
    expect(servers.requests).toHaveLength(2);
    expect(complaints.get(page)).toEqual([]);
    await page.close();
  });

  it("says nothing but why a query is refused whose picture cannot be read", async () => {
    await using servers = await startServers();
    const shop = servers.addCloudDatabase({ databaseName: "shop" });
    await servers.addTarget(shop, { name: "poster", image: await scene(6), processed: true });
    const page = await openPage(browser, servers.urls.manager, "try");
    const said = page.getByRole("region", { name: "Nearest first" });
    await drop(page, [{ name: "broken.png", bytes: Buffer.from("short") }]);
    await page.getByRole("heading", { name: "broken.png" }).waitFor();
    expect(await said.textContent()).toMatch(/^A query is refused[^\n]*PNG or JPEG[^\n]*$/);
    // Behind the end of the picture, which decodes all the same.
    const large = Buffer.concat([await scene(6), Buffer.alloc(5_000_000)]);
    await drop(page, [{ name: "large.png", bytes: large }]);
    await page.getByRole("heading", { name: "large.png" }).waitFor();
    expect(await said.textContent()).toMatch(
      /^A query is refused[^\n]*expected at most 2097152 in a query\.?$/,
    );
    expect(await page.getByText("accepted", { exact: true }).count()).toBe(0);
    servers.updateDatabase(shop, { stateName: "PROJECT_INACTIVE" });
    await drop(page, [{ name: "poster.png", bytes: await scene(6) }]);
    await page.getByRole("heading", { name: "poster.png" }).waitFor();
    expect(await said.textContent()).toMatch(/^A query is refusedThe database is inactive/);
    await page.close();
  });

  it("names the files that are no pictures, and adds the others", async () => {
    await using servers = await startServers();
    const shop = servers.addCloudDatabase({ databaseName: "shop" });
    const page = await openPage(browser, servers.urls.manager, "targets");
    await drop(page, [
      { name: "notes.txt", bytes: Buffer.from("x"), type: "text/plain" },
      { name: "broken.png", bytes: Buffer.from("x") },
      { name: "poster.png", bytes: await scene(6) },
    ]);
    await page.getByText("Not a picture: notes.txt. Choose PNG or JPEG files.").waitFor();
    await page.getByText(/^broken\.png: .*PNG or JPEG/).waitFor();
    await page.getByText("Added 1 target").waitFor();
    expect(shop.targets.map(({ name }) => name)).toEqual(["poster"]);
    await page.close();
  });

  it("says what the emulator's rater gives a picture, whatever its BRISQUE score is", async () => {
    // Without features, but no bad picture.
    const gradient = { data: Buffer.alloc(320 * 240), width: 320, height: 240 };
    for (let at = 0; at < gradient.data.length; at++) gradient.data[at] = (at % 320) / 2 + 40;
    const bytes = await pngOf(gradient);
    const never = "Queries never find a target with a rating of 0.";
    for (const [targetRater, rating] of [
      ["features", "Tracking rating 0 of 5"],
      ["perfect", "Tracking rating 5 of 5"],
      ["random", "rated when it is added"],
    ] as const) {
      await using servers = await startServers({ targetRater });
      servers.addCloudDatabase({ databaseName: "shop" });
      const page = await openPage(browser, servers.urls.manager, "try");
      await drop(page, [{ name: "gradient.png", bytes }]);
      const facts = page.getByRole("region", { name: "Your picture" });
      const asTarget = facts.locator("dl > div").filter({ hasText: "As a target" });
      await asTarget.getByLabel(rating).or(asTarget.getByText(rating)).waitFor();
      await facts.getByText(/\(0 is best, 100 is worst\)\. [A-Z]/).waitFor();
      expect(await facts.getByText(never).count()).toBe(targetRater === "features" ? 1 : 0);
      await page.close();
    }
  });

  it("takes what is dropped in the moment in which a view is shown for that view, and for no other", async () => {
    await using servers = await startServers();
    servers.addCloudDatabase({ databaseName: "shop" });
    await addTarget(servers, "shop", "same", await scene(6), { processing_time_seconds: 0 });
    const page = await openPage(browser, servers.urls.manager, "targets");
    await page.getByRole("button", { name: "Target same" }).waitFor();
    await drop(page, [{ name: "dropped.png", bytes: await scene(6) }], ".drop-zone");
    await page.getByRole("link", { name: "Try a picture" }).click();
    await page.getByRole("heading", { name: "dropped.png" }).waitFor();
    expect((await servers.findCloudDatabase("shop")?.targets)?.map(({ name }) => name)).toEqual(["same"]);
    expect(complaints.get(page)).toEqual([]);
    await page.close();
  });

  it("outlines a target on a photograph that shows it", async () => {
    await using servers = await startServers({ queryMatcher: "features" });
    const keys = servers.addCloudDatabase({ databaseName: "shop" });
    const done = { processing_time_seconds: 0 };
    const picture = drawLeaves(1, 480, 360);
    await addTarget(servers, "shop", "leaves", await pngOf(picture), done);
    await addTarget(servers, "shop", "other", await scene(7), done);
    const photo = await photograph(picture, { tilt: 20, scale: 0.7, cover: 0 }, 1);
    const page = await openPage(browser, servers.urls.manager, "try");
    await drop(page, [{ name: "photo.png", bytes: await pngOf(photo) }]);
    await page.getByRole("heading", { name: "A query finds 1 target" }).waitFor();
    await page.getByText(/^matched \d+ of \d+ features, tilt about/).waitFor();
    await page.getByText(/ 8 are needed/).waitFor();
    const isOutlined = async (shown: Page) => {
      const outline = shown.getByRole("img", { name: "Outline of leaves" });
      await outline.waitFor();
      const drawn = (await outline.locator("polygon").getAttribute("points")) ?? "";
      for (const [index, corner] of drawn.split(" ").entries()) {
        const [x = 0, y = 0] = corner.split(",").map(Number);
        const [cx = 0, cy = 0] = photo.corners[index] ?? [];
        expect(Math.hypot(x - cx / photo.width, y - cy / photo.height)).toBeLessThan(0.02);
      }
    };
    await isOutlined(page);
    await results({ urls: servers.urls, clock: new ManualClock(new Date()) }, keys, await pngOf(photo));
    const requests = await openPage(browser, servers.urls.manager, "requests");
    await requests.getByText("/v1/query").first().click();
    await isOutlined(requests);
    await requests.getByRole("button", { name: "Features", exact: true }).click();
    const marked = requests.getByRole("img", { name: /^Outline of leaves; [\d,]+ features$/ });
    await marked.waitFor();
    const dots = (await marked.locator("path").first().getAttribute("d")) ?? "";
    expect(dots.split("M").length).toBeGreaterThan(300);
    for (const [, x, y] of dots.matchAll(/M(\S+) (\S+)h0/g))
      expect(Number(x) > 0 && Number(x) < 1 && Number(y) > 0 && Number(y) < 1).toBe(true);
    await requests.getByRole("button", { name: "Features", exact: true }).click();
    await requests.getByRole("img", { name: /^Outline of leaves$/ }).waitFor();
    await requests.close();
    expect(complaints.get(page)).toEqual([]);
    await page.close();
  });

  it("says beside a target's rating how likely photographs of it are recognised, and what would help", async () => {
    await using servers = await startServers({ queryMatcher: "features" });
    const keys = servers.addCloudDatabase({ databaseName: "shop" });
    const flat = { data: new Uint8Array(480 * 360).fill(90), width: 480, height: 360 };
    const [rich, plain] = [drawLeaves(1, 480, 360), drawLeaves(2, 100, 80)];
    for (let y = 0; y < plain.height; y++)
      flat.data.set(plain.data.subarray(y * plain.width, (y + 1) * plain.width), y * flat.width);
    await servers.addTarget(keys, { name: "rich", image: await pngOf(rich), processed: true });
    await servers.addTarget(keys, { name: "plain", image: await pngOf(flat), processed: true });
    const page = await openPage(browser, servers.urls.manager, "targets");
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Target rich" }).click();
    await dialog.getByText(/^\d+ features, enough to be recognised/).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Target plain" }).click();
    await dialog.getByText(/^most of it is plain: \d+ features in [1-9] of 36 parts/).waitFor();
    await page.getByRole("button", { name: "Features", exact: true }).click();
    const dots = dialog.getByRole("img", { name: /^\d+ features$/ });
    const drawn = (await dots.locator("path").first().getAttribute("d")) ?? "";
    const places = [...drawn.matchAll(/M(\S+) (\S+)h0/g)];
    expect(places).not.toEqual([]);
    // Where the picture is not plain.
    for (const [, x, y] of places) expect([Number(x) < 0.25, Number(y) < 0.25]).toEqual([true, true]);
    expect(complaints.get(page)).toEqual([]);
    await page.close();
  });

  it("freezes and moves the clock, finishes processing, takes and restores snapshots, resets", async () => {
    await using servers = await startServers();
    servers.addCloudDatabase({ databaseName: "shop" });
    const page = await openPage(browser, servers.urls.manager, "controls");
    await page.getByRole("button", { name: "Freeze" }).click();
    await page.getByRole("button", { name: "Let it run" }).waitFor();
    await page.getByLabel("Set to (UTC)").fill("2030-01-02T03:04:05");
    await page.getByRole("button", { name: "Set", exact: true }).click();
    await page.getByText("2 Jan 2030, 03:04:05 UTC").waitFor();
    await page.getByRole("button", { name: "+1 day" }).click();
    await page.getByText("3 Jan 2030, 03:04:05 UTC").waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download snapshot" }).click(),
    ]);
    const file = await download.path();
    await page.getByRole("button", { name: "Reset everything" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Reset everything" }).click();
    await page.getByText("Everything is reset").waitFor();
    expect(servers.findCloudDatabase("shop")).toBeUndefined();
    await page.locator("input[type=file]").setInputFiles(file);
    await page.getByText("The snapshot is restored").waitFor();
    expect(servers.findCloudDatabase("shop")).toBeDefined();
    await page.close();
  });

  it("adds faults, counts how often they are applied, and removes them", async () => {
    await using servers = await startServers();
    servers.addCloudDatabase({ databaseName: "shop" });
    const { manager, target } = servers.urls;
    const page = await openPage(browser, manager, "controls");
    const dialog = page.getByRole("dialog");
    const add = () => dialog.getByRole("button", { name: "Add a fault" }).click();
    await page.getByText("No faults.").waitFor();
    await page.getByRole("button", { name: "Add a fault" }).click();
    await dialog.getByRole("combobox", { name: "Requests" }).selectOption("listTargets");
    await dialog.getByRole("combobox", { name: "Result code" }).selectOption("RequestQuotaReached");
    await dialog.getByLabel("How often").fill("2");
    await add();
    const faults = page.getByRole("list", { name: "Faults" }).getByRole("listitem");
    await faults.getByText("Used 0 of 2 times").waitFor();
    expect((await fetch(`${target}/targets`)).status).toBe(403);
    expect((await fetch(`${target}/summary`)).status).toBe(401);
    await faults.getByText("Used 1 of 2 times").waitFor();

    await page.getByRole("button", { name: "Add a fault" }).click();
    await dialog.getByRole("combobox", { name: "What happens" }).selectOption("Only delay the answer");
    await dialog.getByRole("combobox", { name: "Database" }).selectOption("shop");
    await dialog.getByLabel("Delay in seconds").fill("0.5");
    await dialog.getByLabel("Probability").fill("2");
    await add();
    await page.getByText(/probability is 2; expected/).waitFor();
    await dialog.getByLabel("Probability").fill("0.25");
    await add();
    await faults.getByText("Every request, of shop, 25 % of them").waitFor();
    await page.getByRole("button", { name: "Remove the fault: Delays by 0.5 s" }).click();
    await page.getByRole("button", { name: /^Remove the fault: Answers 403/ }).click();
    await page.getByText("No faults.").waitFor();
    expect(await (await fetch(`${manager}/faults`)).json()).toEqual([]);
    await page.close();
  });

  it("offers code that runs as it is, and a test that is one", async () => {
    await using servers = await startServers();
    servers.addCloudDatabase({ databaseName: "shop" });
    const page = await openPage(browser, servers.urls.manager);
    await page.getByRole("button", { name: "Connect" }).click();
    await page.getByRole("button", { name: "In a test" }).click();
    const typescript = await page.locator("dialog pre").textContent();
    const { code } = await transform(typescript ?? "", { loader: "ts", format: "cjs", target: "es2022" });
    const tests: (() => Promise<void>)[] = [];
    const modules: Record<string, object> = {
      "mock-cloud-reco": await import("mock-cloud-reco"),
      vitest: { expect, it: (_name: string, test: () => Promise<void>) => tests.push(test) },
    };
    new Function("require", "module", code)((name: string) => modules[name], {});
    expect(tests).toHaveLength(1);
    const before = expect.getState().assertionCalls;
    for (const test of tests) await test();
    expect(expect.getState().assertionCalls).toBeGreaterThan(before);

    await page.getByRole("button", { name: "curl" }).click();
    const commands = (await page.locator("dialog pre").textContent()) ?? "";
    const { stdout } = await promisify(execFile)("bash", ["-c", commands]);
    expect(stdout).toContain('"result_code":"Success"');
    await page.close();
  });

  it("shows hostile names as plain text", async () => {
    await using servers = await startServers();
    const hostile = '"><img src=x onerror="window.hit=1"><script>window.hit=1</script>';
    servers.addCloudDatabase({ databaseName: hostile });
    const name = '<img src=x onerror="window.hit=1">';
    await addTarget(servers, encodeURIComponent(hostile), name, await scene(3), {
      application_metadata: Buffer.from(hostile).toString("base64"),
    });
    await fetch(`${servers.urls.target}/%3Cimg%20src=x%20onerror=window.hit=1%3E`, {
      headers: { authorization: hostile },
    });
    const page = await openPage(browser, servers.urls.manager);
    await page.getByRole("article", { name: hostile }).waitFor();
    await page.goto(`${servers.urls.manager}/#/targets`);
    await page.getByRole("button", { name: `Target ${name}` }).click();
    expect(await page.getByRole("textbox", { name: "Metadata" }).inputValue()).toBe(hostile);
    await page.keyboard.press("Escape");
    await page.goto(`${servers.urls.manager}/#/requests`);
    await page.getByRole("button", { name: /GET.*onerror/ }).click();
    await page
      .getByText(/Nothing is served at GET/)
      .first()
      .waitFor();
    expect(await page.evaluate("window.hit")).toBeUndefined();
    expect(await page.locator("img[onerror]").count()).toBe(0);
    expect(complaints.get(page)).toEqual([]);
    await page.close();
  });

  it("shows 1,000 of 10,000 targets, and finds the others", async () => {
    await using servers = await startServers({ targetRater: "perfect" });
    servers.addCloudDatabase({ databaseName: "many", targetQuota: 20_000 });
    const picture = await readFile("examples/demo/images/raccoon.jpg");
    await addTarget(servers, "many", "target 0", picture);
    const snapshot = JSON.parse(await (await fetch(`${servers.urls.manager}/snapshot`)).text());
    const [{ targets }] = snapshot.databases;
    for (let number = 1; number < 10_000; number++)
      targets.push({
        ...targets[0],
        targetId: number.toString(16).padStart(32, "0"),
        name: `target ${number}`,
        uploadDate: targets[0].uploadDate + number,
      });
    await fetch(`${servers.urls.manager}/snapshot`, { method: "PUT", body: JSON.stringify(snapshot) });
    const page = await openPage(browser, servers.urls.manager, "targets");
    await page.getByText("1,000 of 10,000 targets").waitFor();
    expect(await page.locator(".gallery li").count()).toBe(1000);
    await page.getByLabel("Search name, id or metadata").fill("target 0");
    await page.getByRole("button", { name: /^Target target 0 / }).waitFor();
    await page.getByLabel("Search name, id or metadata").fill("target 777");
    await page.getByText("11 of 10,000 targets").waitFor();
    await page.close();
  });

  it("answers no page of another origin, even under a rebound host name", async () => {
    await using servers = await startServers();
    servers.addCloudDatabase();
    const { manager } = servers.urls;
    const page = await browser.newPage();
    await page.route("https://app.example/", (route) =>
      route.fulfill({ contentType: "text/html", body: "<p>" }),
    );
    await page.goto("https://app.example/");
    const outcomes = await page.evaluate<string[]>(`(async () => {
      const tried = (options) => fetch("${manager}/reset", options).then(({ type }) => type, () => "refused");
      return [await tried({ method: "POST" }), await tried({ method: "POST", mode: "no-cors" })];
    })()`);
    expect(outcomes).toEqual(["refused", expect.stringMatching(/^(refused|opaque)$/)]);
    expect(await (await fetch(`${manager}/cloud_databases`)).json()).toHaveLength(1);
    // An attacker's host name that resolves to this machine.
    const { port } = new URL(manager);
    const rebound = await launchChromium(["--host-resolver-rules=MAP rebound.example.com 127.0.0.1"]);
    try {
      const attacker = await rebound.newPage();
      const answer = await attacker.goto(`http://rebound.example.com:${port}/`);
      expect(answer?.status()).toBe(403);
    } finally {
      await rebound.close();
    }
    await page.close();
  });
});
