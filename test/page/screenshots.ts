import { mkdir } from "node:fs/promises";
import { parseArgs } from "node:util";
import { startServers } from "mock-cloud-reco/server";
import sharp from "sharp";
import { FAKE_CAMERA, launchChromium } from "./chromium.ts";
import { fillShop } from "./shop.ts";

/**
 * Takes screenshots of every view, for review: `npx tsx test/page/screenshots.ts [folder] [view…]`. With `--guide`, it also
 * writes those of the guide, small.
 */
const { values, positionals } = parseArgs({
  options: { guide: { type: "boolean" } },
  allowPositionals: true,
});
const [folder = "screenshots", ...wanted] = positionals;
const GUIDE = ["overview", "details", "try"];
const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } };
const VIEWS = [
  "overview",
  "targets",
  "requests",
  "details",
  "query",
  "target",
  "snippets",
  "settings",
  "try",
  "camera",
  "models",
  "controls",
  "fault",
  "clock",
];

await using servers = await startServers();
await fillShop(servers);
await mkdir(folder, { recursive: true });
const browser = await launchChromium(FAKE_CAMERA);
try {
  for (const [size, viewport] of Object.entries(SIZES))
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await browser.newPage({
        viewport,
        colorScheme,
        deviceScaleFactor: size === "narrow" ? 2 : 1,
      });
      page.on("console", (message) => console.log(size, message.text()));
      page.on("pageerror", (error) => console.log(size, error.message));
      for (const view of VIEWS.filter((name) => wanted.length === 0 || wanted.includes(name))) {
        const shown =
          {
            details: "requests",
            query: "requests",
            target: "targets",
            snippets: "overview",
            settings: "overview",
            camera: "try",
            fault: "controls",
            clock: "controls",
          }[view] ?? view;
        await page.goto(`${servers.urls.manager}/#/${shown}`);
        await page.reload();
        await page.getByRole("heading", { level: 1 }).waitFor();
        if (view === "details")
          await page
            .getByRole("button", { name: /^401\s*GET/ })
            .last()
            .click();
        if (view === "query")
          await page
            .getByRole("button", { name: /v1.query/ })
            .first()
            .click();
        if (view === "try") {
          await page.locator("input[type=file]").first().setInputFiles("examples/demo/images/raccoon.jpg");
          await page.getByRole("img", { name: /^Map of/ }).waitFor();
        }
        if (view === "camera") {
          await page.getByRole("button", { name: "Use the camera" }).click();
          await page.getByRole("heading", { name: "A query finds nothing" }).waitFor();
        }
        if (view === "target") await page.getByRole("button", { name: "Target raccoon" }).click();
        if (view === "snippets") await page.getByRole("button", { name: "Connect" }).first().click();
        if (view === "settings")
          await page
            .getByRole("button", { name: /^Settings/ })
            .first()
            .click();
        if (view === "fault") await page.getByRole("button", { name: "Add a fault" }).click();
        if (view === "clock") await page.getByRole("button", { name: "+1 h" }).click();
        await page.waitForTimeout(500);
        const picture = await page.screenshot({ path: `${folder}/${view}-${size}-${colorScheme}.png` });
        if (values.guide === true && GUIDE.includes(view) && size === "wide" && colorScheme === "light")
          await sharp(picture)
            // Small, because they are in the package.
            .resize(600)
            .webp({ quality: 35, effort: 6, preset: "text" })
            .toFile(`examples/page/${view}.webp`);
      }
      await fetch(`${servers.urls.manager}/clock`, { method: "DELETE" });
      await page.close();
    }
  if (values.guide === true) await drawFailingTest();
} finally {
  await browser.close();
}

/** The README's picture: a failing test as a terminal shows it, and the same request on the page. */
async function drawFailingTest(): Promise<void> {
  const shown = await browser.newPage({ viewport: { width: 1500, height: 748 }, deviceScaleFactor: 2 });
  await shown.goto(`${servers.urls.manager}/#/requests`);
  await shown
    .getByRole("button", { name: /^401\s*GET/ })
    .last()
    .click();
  const request = shown.getByRole("region", { name: /^Request \d/ });
  await request.getByRole("row", { name: /^Path/ }).waitFor();
  const details = (await request.screenshot()).toString("base64");
  const reason = await request.locator(".callout p").textContent();
  const address = servers.urls.manager.replace(/^http:\/\//, "");
  // Another one, because the page's policy allows no other content.
  const page = await browser.newPage({ viewport: { width: 1100, height: 300 }, deviceScaleFactor: 2 });
  await page.setContent(`<style>
    body { display: flex; gap: 24px; margin: 0; padding: 24px; background: #eef0f4; font: 15px/1.5 sans-serif; align-items: start; }
    pre { flex: 1; margin: 0; padding: 20px; border-radius: 12px; background: #16181d; color: #e6e8ee; white-space: pre-wrap; }
    b { color: #ff8b84; } i { color: #8ad69f; font-style: normal; }
    figure { margin: 0; border-radius: 12px; overflow: hidden; background: white; box-shadow: 0 1px 4px #0003; }
    figcaption { padding: 8px 16px; color: #555; background: #f6f7f9; } img { display: block; width: 540px; }
  </style>
  <pre>$ npx vitest run

<b>FAIL</b>  the shop lists its pictures
<b>AssertionError: expected 401 to be 200</b>

The mock refused 1 request:
#1 GET /targets → 401 AuthenticationFailure
   signatureMatches: <i></i></pre>
  <figure><figcaption></figcaption><img src="data:image/png;base64,${details}"></figure>`);
  await page.locator("i").evaluate((element, text) => {
    element.textContent = text;
  }, reason);
  await page.locator("figcaption").evaluate((element, text) => {
    element.textContent = text;
  }, address);
  const picture = await page.screenshot({ path: `${folder}/failing.png`, fullPage: true });
  await sharp(picture)
    .resize(900)
    .webp({ quality: 10, effort: 6, preset: "text" })
    .toFile("examples/page/failing.webp");
  await Promise.all([shown.close(), page.close()]);
}
