import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { startServers } from "mock-cloud-reco/server";
import { beforeAll, expect, it } from "vitest";
import { describeInBrowser } from "./in-browser.ts";
import { fillShop } from "./shop.ts";

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

const VIEWS = [
  "overview",
  "targets",
  "requests",
  "try",
  "try with the camera",
  "models",
  "controls",
  "controls with a dialog",
];

/** Every rule, but selectors only of what breaks one: making them takes longer than the rules. */
const RUN_AXE = 'axe.run({ resultTypes: ["violations"] })';

/** The place in its list of the item that has the focus. */
const PLACE = "[...document.querySelectorAll('li')].indexOf(document.activeElement.closest('li'))";

describeInBrowser("the page", (browser) => {
  let axe: string;
  beforeAll(async () => {
    axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  });

  it.each([
    ["a light window", { colorScheme: "light", viewport: { width: 1280, height: 800 } }],
    ["a small dark window", { colorScheme: "dark", viewport: { width: 320, height: 640 } }],
    ["a large dark window", { colorScheme: "dark", viewport: { width: 3840, height: 2160 } }],
  ] as const)("has no axe violation and nothing wider than the window, in %s", async (_, setting) => {
    await using servers = await startServers();
    await fillShop(servers);
    // Every view then has the banner of a moved clock.
    await fetch(`${servers.urls.manager}/clock/advance`, { method: "POST", body: '{"seconds":3600}' });
    // The page's policy would refuse axe, which is a script.
    const page = await browser().newPage({ ...setting, bypassCSP: true });
    page.setDefaultTimeout(60_000);
    await page.addInitScript(axe);
    for (const view of VIEWS) {
      await page.goto(`${servers.urls.manager}/#/${view.split(" ")[0]}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      if (view.endsWith("dialog")) await page.getByRole("button", { name: "Add a fault" }).click();
      if (view === "requests") await page.getByRole("button", { name: /401/ }).last().click();
      if (view === "try") {
        await page.locator("input[type=file]").first().setInputFiles("examples/demo/images/raccoon.jpg");
        await page.getByRole("img", { name: /^Map of/ }).waitFor();
        await page.getByRole("button", { name: "Features", exact: true }).click();
        await page.getByRole("img", { name: /^[\d,]+ features$/ }).waitFor();
      }
      if (view === "try with the camera") {
        await page.getByRole("button", { name: "Use the camera" }).click();
        await page.getByRole("heading", { name: "A query finds nothing" }).waitFor();
      }
      const { violations } = await page.evaluate<{ violations: Finding[] }>(RUN_AXE);
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
      expect(found, view).toEqual([]);
      const isNarrow = await page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth");
      expect(isNarrow, view).toBe(true);
    }
    await page.close();
  });

  it("can be used with the keyboard alone", async () => {
    await using servers = await startServers();
    await fillShop(servers);
    const page = await browser().newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${servers.urls.manager}/#/targets`);
    const gallery = page.locator(".gallery li:first-child button");
    await gallery.waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
    await gallery.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.evaluate(PLACE)).toBe(6);
    await page.keyboard.press("End");
    await expect.poll(() => page.evaluate(PLACE)).toBe(20);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("BUTTON");

    // Tab leaves a list, so that what it opened is the next stop.
    await page.goto(`${servers.urls.manager}/#/requests`);
    await page.locator(".requests button").last().focus();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: /^Request \d+$/ }).waitFor();
    await page.keyboard.press("Tab");
    const inDetails = "document.activeElement.closest('.details') !== null";
    expect(await page.evaluate(inDetails)).toBe(true);
    await page
      .getByRole("region", { name: /^Request/ })
      .getByRole("button", { name: "Close" })
      .press("Enter");
    await page.locator(".details").waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent")).toContain("/summary");
    await page.close();
  });
});
