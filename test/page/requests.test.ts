import { startServers } from "mock-cloud-reco/server";
import { expect, it } from "vitest";
import { complaints, openPage } from "./browsing.ts";
import { describeInBrowser } from "./in-browser.ts";

describeInBrowser("the list of requests", (browser) => {
  it("shows every request once and in order while a client works, and its end unless someone scrolls", async () => {
    await using servers = await startServers();
    const page = await openPage(browser(), servers.urls.manager, "requests");
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
    const page = await openPage(browser(), servers.urls.manager, "requests");
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
    const page = await openPage(browser(), servers.urls.manager, "requests");
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
    const page = await openPage(browser(), servers.urls.manager, "requests?search=wanted");
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
    const page = await openPage(browser(), servers.urls.manager, "requests");
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
    const page = await openPage(browser(), first.urls.manager, "requests");
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

  it("is read with keys: search, next, previous, close and help", async () => {
    await using servers = await startServers();
    for (const path of ["first", "second", "third"]) await fetch(`${servers.urls.target}/targets/${path}`);
    const page = await openPage(browser(), servers.urls.manager, "requests");
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
    const page = await openPage(browser(), servers.urls.manager, "requests");
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
    const page = await openPage(browser(), servers.urls.manager, "requests", {
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
