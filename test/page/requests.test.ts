import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import { startServers } from "mock-cloud-reco/server";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scene } from "../support/scenes.ts";
import { complaints, openPage } from "./browsing.ts";
import { findChromium, launchChromium } from "./chromium.ts";

describe.skipIf(findChromium() === undefined)("the list of requests", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  it("shows every request once and in order while a client works, and its end unless someone scrolls", async () => {
    await using servers = await startServers();
    const page = await openPage(browser, servers.urls.manager, "requests");
    for (let round = 0; round < 50; round++)
      await Promise.all(
        Array.from({ length: 20 }, (_, place) =>
          fetch(`${servers.urls.target}/targets/${round * 20 + place}`).then((response) => response.text()),
        ),
      );
    await page.getByText("1,000 requests", { exact: true }).waitFor();
    const rows = page.locator(".requests li");
    await expect.poll(() => rows.count()).toBe(1000);
    const paths = await rows.locator(".path").allTextContents();
    expect(paths).toEqual(servers.requests.map(({ path }) => path));
    // The browser skips what is not in view.
    const drawing = "getComputedStyle(document.querySelector('.requests li')).contentVisibility";
    expect(await page.evaluate(drawing)).toBe("auto");
    const left = () =>
      page.evaluate<number>(
        "(({ scrollHeight, clientHeight, scrollTop }) => scrollHeight - clientHeight - scrollTop)(document.querySelector('.requests'))",
      );
    await expect.poll(left).toBeLessThan(2);
    await page.evaluate("document.querySelector('.requests').scrollTo(0, 0)");
    await fetch(`${servers.urls.target}/last`);
    await page.getByText("/last", { exact: true }).waitFor({ state: "attached" });
    expect(await left()).toBeGreaterThan(1000);
    expect(complaints.get(page)).toEqual([]);
    await page.close();
  });

  it("also shows what is new when reading takes longer than it takes until the next change", async () => {
    await using servers = await startServers();
    const page = await openPage(browser, servers.urls.manager, "requests");
    await page.route("**/page/requests*", async (route) => {
      const response = await route.fetch();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await route.fulfill({ response });
    });
    let isShown = false;
    const shown = page
      .getByText("/busy", { exact: true })
      .first()
      .waitFor({ timeout: 15_000 })
      .finally(() => {
        isShown = true;
      });
    shown.catch(() => {});
    while (!isShown) {
      await fetch(`${servers.urls.target}/busy`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await shown;
    await page.close();
  });

  it("stays as it is while it is paused, and says how much is new", async () => {
    await using servers = await startServers();
    await fetch(`${servers.urls.target}/first`);
    const page = await openPage(browser, servers.urls.manager, "requests");
    await page.getByText("/first", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    for (const path of ["/second", "/third"]) await fetch(servers.urls.target + path);
    await page.getByText("2 new requests while paused").waitFor();
    expect(await page.getByText("/second", { exact: true }).count()).toBe(0);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("/third", { exact: true }).waitFor();
    await page.close();
  });

  it("counts what is new while it is paused as the filter does", async () => {
    await using servers = await startServers();
    await fetch(`${servers.urls.target}/wanted/first`);
    const page = await openPage(browser, servers.urls.manager, "requests?search=wanted");
    await page.getByText("/wanted/first", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    for (const path of ["/other", "/wanted/second"]) await fetch(servers.urls.target + path);
    await page.getByText("1 new request while paused").waitFor();
    await page.close();
  });

  it("filters by the operations of the manager that it shows", async () => {
    await using servers = await startServers();
    await fetch(`${servers.urls.manager}/cloud_databases`);
    await fetch(`${servers.urls.manager}/vumark_databases`);
    const page = await openPage(browser, servers.urls.manager, "requests");
    await page.getByText("/vumark_databases", { exact: true }).waitFor();
    await page.getByRole("combobox", { name: "Operation" }).selectOption("manager.listCloudDatabases");
    await page.getByText("/vumark_databases", { exact: true }).waitFor({ state: "detached" });
    await page.getByText("/cloud_databases", { exact: true }).waitFor();
    await page.close();
  });

  it("reconnects to a restarted manager, and shows its state", async () => {
    const first = await startServers();
    const port = Number(new URL(first.urls.manager).port);
    await fetch(`${first.urls.target}/first`);
    const page = await openPage(browser, first.urls.manager, "requests");
    await page.getByText("/first", { exact: true }).waitFor();
    await first.stop();
    await page.getByText("Reconnecting").waitFor();
    await using second = await startServers({ ports: { manager: port } });
    await fetch(`${second.urls.target}/second`);
    await page.getByText("/second", { exact: true }).waitFor();
    await page.getByText("Live").waitFor();
    expect(await page.getByText("/first", { exact: true }).count()).toBe(0);
    await page.close();
  });

  it("shows both strings to sign of a wrong signature, with the difference marked", async () => {
    await using servers = await startServers();
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = servers.addCloudDatabase();
    const date = rfc1123Date();
    const signed = { accessKey, secretKey, method: "GET", path: "/targets?page=2", date };
    await fetch(`${servers.urls.target}/targets?page=2`, {
      headers: { date, authorization: authorizationHeader(signed) },
    });
    const page = await openPage(browser, servers.urls.manager, "requests");
    await page.getByRole("button", { name: /401.*AuthenticationFailure/s }).click();
    const row = page.getByRole("row", { name: /^Path/ });
    await row.waitFor();
    expect((await row.locator("mark").allTextContents()).at(-1)).toBe("?page=2");
    expect(await page.locator(".callout").textContent()).not.toContain("String to sign");
    expect(await page.locator(".differs").count()).toBe(1);
    expect(await page.locator(".why").textContent()).toMatch(/^The signature does not match: .*\)\.$/);

    // A secret that explains nothing: only the expected string is known.
    const wrong = authorizationHeader({ ...signed, path: "/targets", secretKey: "another" });
    await fetch(`${servers.urls.target}/targets`, { headers: { date, authorization: wrong } });
    await page.locator("button.request").nth(1).click();
    await page.getByText("The client should have signed exactly this string:").waitFor();
    for (const shown of [page.locator(".callout p"), page.locator(".why").last()])
      expect(await shown.textContent()).toMatch(/^The signature does not match, .*, path\)$/);
    await page.close();
  });

  it("copies curl commands that send the same request again, signed anew", async () => {
    await using servers = await startServers();
    const client = new VuforiaClient(servers.addCloudDatabase(), servers.urls.target, servers.urls.query);
    const picture = await scene(5);
    await client.addTarget("picture", picture);
    servers.finishProcessing();
    await client.find(picture);
    const page = await openPage(browser, servers.urls.manager, "requests", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByRole("button", { name: /v1.query/ }).click();
    const parts = page.locator(".message").first();
    await parts.getByText(/\(PNG, \d+ bytes\)/).waitFor();
    await expect
      .poll(() => page.evaluate("document.querySelector('.sent-picture img')?.naturalWidth"))
      .toBe(320);
    await page.getByRole("button", { name: "Copy as curl" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const commands = await page.evaluate<string>("navigator.clipboard.readText()");
    const folder = await mkdtemp(join(tmpdir(), "curl-"));
    try {
      const { stdout } = await promisify(execFile)(
        "bash",
        ["-c", commands.replace("curl -i", "curl -s --compressed")],
        {
          cwd: folder,
        },
      );
      expect(JSON.parse(stdout)).toMatchObject({
        result_code: "Success",
        results: [{ target_id: expect.any(String) }],
      });
    } finally {
      await rm(folder, { recursive: true });
    }
    await page.close();
  });

  it("shows the reason of a refusal in the list, whole result codes, and labels that a person reads", async () => {
    await using servers = await startServers();
    servers.addCloudDatabase({ databaseName: "shop" });
    await fetch(`${servers.urls.target}/targets/${"a".repeat(32)}`, { headers: { date: rfc1123Date() } });
    const page = await openPage(browser, servers.urls.manager, "requests", {
      viewport: { width: 1280, height: 800 },
    });
    const row = page.locator(".requests .request").last();
    await row.getByText(/^The request has no Authorization header/).waitFor();
    await row.click();
    await page.getByRole("heading", { name: "The Authorization header is missing" }).waitFor();
    expect(await page.getByText(/Refused by/).count()).toBe(0);
    const cut =
      "[...document.querySelectorAll('.request b')].filter((b) => b.scrollWidth > b.clientWidth).length";
    expect(await page.evaluate(cut)).toBe(0);
    await page.close();
  });

  it("shows what each query found, and tries its picture again", async () => {
    await using servers = await startServers();
    const shop = servers.addCloudDatabase({ databaseName: "shop" });
    const client = new VuforiaClient(shop, servers.urls.target, servers.urls.query);
    await servers.addTarget(shop, { name: "poster", image: await scene(6), processed: true });
    await client.find(await scene(6));
    await client.find(await scene(7));
    await servers.addTarget(shop, { name: "next poster", image: await scene(8), processed: false });
    await client.find(await scene(8));
    const page = await openPage(browser, servers.urls.manager, "requests");
    const rows = page.locator("button.request");
    await expect.poll(() => rows.count()).toBe(3);
    expect(await rows.locator(".outcome b").allTextContents()).toEqual([
      "Found poster",
      "No match",
      "No match",
    ]);
    expect(await rows.locator("img").count()).toBe(1);

    // Words of the code are buttons.
    await rows.nth(2).click();
    await page.getByText(/^still processing, for \S+ s more$/).waitFor();
    await page.getByRole("button", { name: "Finish processing" }).click();
    await page.getByText("Finished all processing").waitFor();
    await page.getByRole("link", { name: "Try this picture" }).click();
    await page.getByRole("heading", { name: "A query finds 1 target" }).waitFor();
    await page.getByRole("button", { name: /^next poster.*found/ }).waitFor();
    expect(await page.getByText("In photographs").count()).toBe(0);
    expect(servers.requests.filter(({ operation }) => operation === "query")).toHaveLength(3);
    expect(complaints.get(page)).toEqual([]);
    await page.close();
  });

  it("is read with keys: search, next, previous, close and help", async () => {
    await using servers = await startServers();
    for (const path of ["first", "second", "third"]) await fetch(`${servers.urls.target}/targets/${path}`);
    const page = await openPage(browser, servers.urls.manager, "requests");
    const rows = page.locator("button.request");
    await expect.poll(() => rows.count()).toBe(3);
    const details = page.getByRole("region", { name: /^Request \d/ });
    const heading = details.getByRole("heading", { level: 2 });
    await page.keyboard.press("k");
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await heading.getByText("/targets/second").waitFor();
    await page.keyboard.press("k");
    await heading.getByText("/targets/first").waitFor();
    await page.keyboard.press("j");
    await heading.getByText("/targets/second").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await details.waitFor();
    await page.keyboard.press("Escape");
    await details.waitFor({ state: "detached" });
    await page.keyboard.press("/");
    await page.keyboard.type("j/third?");
    await page.keyboard.press("Home");
    await page.keyboard.press("Delete");
    await page.keyboard.press("End");
    await page.keyboard.press("Backspace");
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.locator(".path").textContent()).toBe("/targets/third");
    expect(complaints.get(page)).toEqual([]);
    await page.close();
  });

  it("hides the page's own requests until they are asked for", async () => {
    await using servers = await startServers();
    const page = await openPage(browser, servers.urls.manager, "requests");
    await page.getByRole("link", { name: "Controls" }).click();
    await page.getByRole("button", { name: "Finish all processing" }).click();
    await page.getByText("Finished all processing").waitFor();
    await fetch(`${servers.urls.manager}/cloud_databases`);
    await page.getByRole("link", { name: /^Requests/ }).click();
    await page.getByText("1 request", { exact: true }).waitFor();
    await page.getByText("/cloud_databases").waitFor();
    expect(await page.getByText("/finish_processing").count()).toBe(0);
    await page.getByRole("checkbox", { name: "Also the page's own" }).check();
    await page.getByText("/finish_processing").waitFor();
    await page.close();
  });

  it("has rows with result and time, and folded filters, on a narrow screen", async () => {
    await using servers = await startServers();
    await fetch(`${servers.urls.target}/summary`);
    const page = await openPage(browser, servers.urls.manager, "requests", {
      viewport: { width: 390, height: 844 },
    });
    const row = page.locator(".requests .request").last();
    await row.getByText("AuthenticationFailure").waitFor();
    expect(await row.locator("time").isVisible()).toBe(true);
    const [code, time] = await Promise.all([
      row.locator(".code").boundingBox(),
      row.locator("time").boundingBox(),
    ]);
    expect(time?.y).toBeGreaterThan(code?.y ?? 0);
    const filter = page.getByRole("combobox", { name: "API" });
    expect(await filter.isVisible()).toBe(false);
    await page.getByRole("button", { name: "Filters" }).click();
    await filter.selectOption("Query");
    await page.getByText("No request matches the filter").waitFor();
    await page.close();
  });
});
