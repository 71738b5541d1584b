import { ManualClock } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { results } from "../protocol/query/send.ts";
import { drawLeaves, photograph, pngOf } from "../support/photographs.ts";
import { scene } from "../support/scenes.ts";
import { complaints, drop, openPage } from "./browsing.ts";
import { describeInBrowser } from "./in-browser.ts";
import { addTarget } from "./shop.ts";

describeInBrowser("in a browser, the page", (browser) => {
  it("shows how similar every target is to a picture, and where it differs", async () => {
    await using servers = await startServers();
    servers.addCloudDatabase({ databaseName: "shop" });
    const done = { processing_time_seconds: 0 };
    await addTarget(servers, "shop", "same", await scene(6), done);
    await addTarget(servers, "shop", "other", await scene(7), done);
    const page = await openPage(browser(), servers.urls.manager, "try");
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
    const page = await openPage(browser(), servers.urls.manager, "try");
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
      const page = await openPage(browser(), servers.urls.manager, "try");
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
    const page = await openPage(browser(), servers.urls.manager, "targets");
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
    const page = await openPage(browser(), servers.urls.manager, "try");
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
    const requests = await openPage(browser(), servers.urls.manager, "requests");
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
});
