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
} finally {
  await browser.close();
}
