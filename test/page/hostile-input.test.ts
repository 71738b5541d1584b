import { startServers } from "mock-cloud-reco/server";
import { expect, it } from "vitest";
import { scene } from "../support/scenes.ts";
import { complaints, openPage } from "./browsing.ts";
import { launchChromium } from "./chromium.ts";
import { describeInBrowser } from "./in-browser.ts";
import { addTarget } from "./shop.ts";

describeInBrowser("in a browser, the page", (browser) => {
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
    const page = await openPage(browser(), servers.urls.manager);
    await page.getByRole("article", { name: hostile }).waitFor();
    await page.goto(`${servers.urls.manager}/#/targets`);
    await page.getByRole("button", { name: `Target ${name}` }).click();
    expect(await page.getByRole("textbox", { name: "Metadata" }).inputValue()).toBe(hostile);
    await page.keyboard.press("Escape");
    await page.goto(`${servers.urls.manager}/#/requests`);
    await page.getByRole("button", { name: /GET.*onerror/ }).click();
    await page
      .getByText(/nothing is served at GET/)
      .first()
      .waitFor();
    expect(await page.evaluate("window.hit")).toBeUndefined();
    expect(await page.locator("img[onerror]").count()).toBe(0);
    expect(complaints.get(page)).toEqual([]);
    await page.close();
  });

  it("answers no page of another origin, even under a rebound host name", async () => {
    await using servers = await startServers();
    servers.addCloudDatabase();
    const { manager } = servers.urls;
    const page = await browser().newPage();
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
