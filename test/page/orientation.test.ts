import { featureMatcher, MockCloudReco, perfectRater } from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { expect, it } from "vitest";
import { drawLeaves, photograph, pngOf } from "../support/photographs.ts";
import { drop, openPage } from "./browsing.ts";
import { describeInBrowser } from "./in-browser.ts";

describeInBrowser("pictures that viewers turn, in a browser", (browser) => {
  it("are shown upright, with outlines and features where they are seen", async () => {
    const picture = drawLeaves(4, 480, 360);
    const photo = await photograph(picture, { tilt: 20, scale: 0.6, cover: 0 }, 4, {
      width: 640,
      height: 480,
    });
    // To be turned a quarter to the right by viewers, as a phone writes what it takes upright.
    const turned = (pixels: Buffer) => sharp(pixels).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const query = await turned(await pngOf(photo));
    const corners = photo.corners.map(([x, y]) => [1 - y / photo.height, x / photo.width]);
    await using mock = new MockCloudReco({ queryMatcher: featureMatcher, targetRater: perfectRater });
    const keys = mock.addCloudDatabase({ databaseName: "shop" });
    await mock.addTarget(keys, {
      name: "leaves",
      image: await turned(await pngOf(picture)),
      processed: true,
    });
    expect(await new VuforiaClient(keys).find(query)).toHaveLength(1);
    await using served = await mock.page.serve();

    /** The target is turned too, so its top left corner is what was its bottom left one. */
    const expected = [3, 0, 1, 2].map((index) => corners[index] ?? []);
    const isRight = async (page: Page) => {
      const outline = page.getByRole("img", { name: /^Outline of leaves/ });
      const drawn = (await outline.locator("polygon").getAttribute("points")) ?? "";
      for (const [index, corner] of drawn.split(" ").entries()) {
        const [x = Number.NaN, y = Number.NaN] = corner.split(",").map(Number);
        const [cx = 0, cy = 0] = expected[index] ?? [];
        expect(Math.hypot(x - cx, y - cy)).toBeLessThan(0.02);
      }
      // As the browser draws it: upright.
      const image = page.locator(".outlined:has(polygon) > img");
      await image.scrollIntoViewIfNeeded();
      const shape = async () => {
        const box = await image.boundingBox();
        return (box?.width ?? 0) / (box?.height ?? 0);
      };
      await expect.poll(shape).toBeCloseTo(480 / 640, 1);
      await page.getByText("JPEG, 480 × 640").waitFor();
    };

    const page = await openPage(browser(), served.url.replace(/\/$/, ""), "try");
    await drop(page, [{ name: "photo.jpg", bytes: query }]);
    await isRight(page);
    await page.getByRole("button", { name: "Features", exact: true }).click();
    const dots = page
      .getByRole("img", { name: /^Outline of leaves; / })
      .locator("path")
      .first();
    const places = [...((await dots.getAttribute("d")) ?? "").matchAll(/M(\S+) (\S+)h0/g)];
    expect(places.length).toBeGreaterThan(300);
    await page.goto(`${served.url}#/requests`);
    await page.getByText("/v1/query").first().click();
    await isRight(page);
    await page.goto(`${served.url}#/targets`);
    const shape =
      "document.querySelector('.target img').naturalWidth / document.querySelector('.target img').naturalHeight";
    await page.getByRole("button", { name: "Target leaves" }).locator("img").waitFor();
    await expect.poll(() => page.evaluate(shape)).toBeCloseTo(360 / 480, 2);
    await page.close();
  });
});
