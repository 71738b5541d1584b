import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { MockCloudReco } from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import { startServers } from "mock-cloud-reco/server";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { scene } from "../support/scenes.ts";
import { openPage } from "./browsing.ts";
import { describeInBrowser } from "./in-browser.ts";
import { requestReport } from "./shop.ts";

/** The longest names of targets. */
const WORD = "m".repeat(64);
const NAMES = [WORD, "a poster for the summer sale in the window beside the main door!"];
const SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
];

/** What reaches out of the view, card or dialog that it is in, and which of these scroll sideways. */
const tooWide = (page: Page) =>
  page.evaluate<string[]>(`{
    const boxes = "main, .card, .callout, .details, dialog[open]";
    const reachesOut = (element) =>
      element.getBoundingClientRect().right > element.parentElement.closest(boxes).getBoundingClientRect().right + 1;
    const shown = document.querySelectorAll(":is(main, dialog[open]) :not(dialog, .visually-hidden)");
    const scrolling = [...document.querySelectorAll(boxes)].filter((box) => box.scrollWidth > box.clientWidth);
    [...scrolling, ...[...shown].filter(reachesOut)].map(
      ({ tagName, className, textContent }) => \`\${tagName} \${className.baseVal ?? className} \${textContent.slice(0, 20)}\`,
    );
  }`);

describeInBrowser("in a browser, the longest names", (browser) => {
  it.each(SIZES)("fit into every view of the page, $width pixels wide", async (viewport) => {
    await using servers = await startServers({ queryMatcher: "features" });
    const shop = servers.addCloudDatabase({ databaseName: WORD, targetQuota: 50 });
    const vuMarks = `v${WORD.slice(1)}`;
    servers.addVuMarkDatabase({ databaseName: vuMarks });
    const picture = await scene(1);
    for (const [index, name] of [...NAMES, "short"].entries())
      await servers.addTarget(shop, { name, image: await scene(index + 1), processed: true });
    const post = (path: string, body: object) =>
      fetch(`${servers.urls.manager}${path}`, { method: "POST", body: JSON.stringify(body) });
    await post(`/vumark_databases/${vuMarks}/vumark_targets`, { name: WORD });
    await post("/faults", { operation: "getDuplicates", database_name: WORD, delay_seconds: 1 });
    await post("/model_target_datasets", {
      request_body: { name: WORD, models: [{ name: "drill" }] },
    });
    await post("/oauth2_client_credentials", {
      client_id: WORD,
      client_secret: WORD,
      scopes: ["modeltargets.all"],
    });
    await requestReport(servers, shop);
    const client = new VuforiaClient(shop, servers.urls.target, servers.urls.query);
    expect(await client.find(picture)).toHaveLength(1);
    await fetch(`${servers.urls.target}/${"path".repeat(50)}/${"p".repeat(500)}`);

    const page = await openPage(browser(), servers.urls.manager, "overview", { viewport });
    const isNarrow = async (view: string) => expect.soft(await tooWide(page), view).toEqual([]);
    const open = async (view: string) => {
      await page.goto(`${servers.urls.manager}/#/${view}`);
      await page.reload();
      await page.getByRole("heading", { level: 1 }).waitFor();
    };
    await page.getByRole("article", { name: WORD, exact: true }).waitFor();
    await isNarrow("overview");
    await page.getByRole("button", { name: "Connect" }).first().click();
    await isNarrow("snippets");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: `Delete ${WORD}` }).click();
    await isNarrow("deletion");

    await open("targets");
    await page.getByRole("button", { name: `Target ${WORD}` }).click();
    await isNarrow("target");

    await open("try");
    await page
      .locator("input[type=file]")
      .first()
      .setInputFiles({ name: `${WORD}.png`, mimeType: "image/png", buffer: picture });
    await page.getByRole("heading", { name: "A query finds 1 target" }).waitFor();
    await isNarrow("a picture");
    const heights =
      "[...document.querySelectorAll('.score .mono')].map((score) => score.getBoundingClientRect().height)";
    // One line each.
    expect(Math.max(...(await page.evaluate<number[]>(heights)))).toBeLessThan(25);

    await page.route("**/page/find?*", async (route) => {
      const url = route.request().url();
      await route.fulfill({ response: await route.fetch({ url, postData: picture }) });
    });
    await open("try");
    await page.getByRole("button", { name: "Use the camera" }).click();
    await page.getByRole("heading", { name: `A query finds ${WORD}` }).waitFor();
    await isNarrow("the camera");

    await open("requests");
    for (const path of ["/v1/query", /^\/pathpath/, "/targets"]) {
      await page.getByText(path).first().click();
      await page.getByRole("heading", { name: /^(GET|POST)/ }).waitFor();
      await isNarrow(`request ${path}`);
      await page.getByRole("button", { name: "Close", exact: true }).click();
    }

    await open("models");
    await page.getByRole("article", { name: WORD }).first().waitFor();
    await isNarrow("models");
    await open("controls");
    await page.getByText(/^getDuplicates, of m/).waitFor();
    await isNarrow("controls");
    await page.getByRole("button", { name: "Add a fault" }).click();
    await isNarrow("a fault");
    await page.close();
  });

  it.each(SIZES)("fit into a report, as its test's error does, $width pixels wide", async (viewport) => {
    await using mock = new MockCloudReco();
    const shop = mock.addCloudDatabase({ databaseName: WORD });
    for (const [index, name] of NAMES.entries())
      await mock.addTarget(shop, { name, image: await scene(index + 1), processed: true });
    await fetch(`https://vws.vuforia.com/targets/${"p".repeat(500)}`);
    const folder = await mkdtemp(join(tmpdir(), "report-"));
    const path = join(folder, "report.html");
    const error = `expected ${"a".repeat(300)} to be found, ${"in vain ".repeat(40)}`;
    await mock.page.writeReport(path, { test: { name: `finds ${WORD}`, error } });
    const page = await browser().newPage({ viewport });
    await page.goto(pathToFileURL(path).href);
    await page.getByText("The test failed").waitFor();
    expect(await tooWide(page)).toEqual([]);
    await page.close();
    await rm(folder, { recursive: true });
  });
});
