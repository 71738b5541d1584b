import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { expect, it } from "vitest";
import { scene } from "../support/scenes.ts";
import { openPage } from "./browsing.ts";
import { describeInBrowser } from "./in-browser.ts";
import { addTarget } from "./shop.ts";

describeInBrowser("in a browser, the page", (browser) => {
  it("freezes and moves the clock, finishes processing, takes and restores snapshots, resets", async () => {
    await using servers = await startServers();
    servers.addCloudDatabase({ databaseName: "shop" });
    const page = await openPage(browser(), servers.urls.manager, "controls");
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
    const page = await openPage(browser(), manager, "controls");
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
});

describeInBrowser("in a browser, the page's controls", (browser) => {
  it("adds faults for clients, and for the target manager when chosen, but never for the page", async () => {
    await using servers = await startServers();
    const { manager, target } = servers.urls;
    const page = await openPage(browser(), manager, "controls");
    const dialog = page.getByRole("dialog");
    const statusOf = async (url: string) => (await fetch(url)).status;
    const add = async (requests: string) => {
      await page.getByRole("button", { name: "Add a fault" }).click();
      await dialog.getByRole("combobox", { name: "Requests" }).selectOption(requests);
      await dialog.getByRole("combobox", { name: "What happens" }).selectOption("Answer with a status");
      await dialog.getByRole("button", { name: "Add a fault" }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await add("Every request of clients");
    expect(await statusOf(`${target}/targets`)).toBe(503);
    expect(await statusOf(`${manager}/cloud_databases`)).toBe(200);
    await add("Every request to the target manager, but the page's");
    await page.getByText("Every request to the target manager").waitFor();
    expect(await statusOf(`${manager}/cloud_databases`)).toBe(503);
    await page.getByRole("button", { name: "Freeze" }).click();
    await page.getByText(/^The clock is frozen/).waitFor();
    await page.getByRole("link", { name: "Overview", exact: true }).click();
    await page.getByRole("button", { name: "Add database" }).click();
    await dialog.getByRole("button", { name: "Add database" }).click();
    await page.getByRole("article", { name: "database-1" }).waitFor();
    await page.close();
  });

  it("says how far the clock is from real time, what that does, and leads back", async () => {
    await using servers = await startServers();
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = servers.addCloudDatabase();
    const statusNow = async () => {
      const date = rfc1123Date();
      const authorization = authorizationHeader({
        accessKey,
        secretKey,
        method: "GET",
        path: "/targets",
        date,
      });
      const response = await fetch(`${servers.urls.target}/targets`, { headers: { date, authorization } });
      return response.status;
    };
    const page = await openPage(browser(), servers.urls.manager, "controls");
    const banner = page.getByRole("region", { name: "Moved clock" });
    expect(await banner.count()).toBe(0);
    await page.getByRole("button", { name: "+1 h" }).click();
    await banner.getByText("The clock is 1 h ahead of real time.").waitFor();
    await banner.getByText(/refused with RequestTimeTooSkewed: by the target API from 5 minutes/).waitFor();
    expect(await statusNow()).toBe(403);
    // On every view.
    await page.getByRole("link", { name: "Targets", exact: true }).click();
    await banner.getByRole("button", { name: "Return to real time" }).click();
    await banner.waitFor({ state: "detached" });
    expect(await statusNow()).toBe(200);
    await page.close();
  });

  it("names databases without a name, and opens the targets of the one added or used last", async () => {
    await using servers = await startServers();
    const page = await openPage(browser(), servers.urls.manager);
    const chosen = page.getByRole("combobox", { name: "Database" });
    const targets = page.getByRole("link", { name: "Targets", exact: true });
    for (const name of ["database-1", "database-2"]) {
      await page.getByRole("button", { name: "Add database" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Add database" }).click();
      await page.getByRole("article", { name }).waitFor();
      await targets.first().click();
      expect(await chosen.inputValue()).toBe(name);
      await page.getByRole("link", { name: "Overview", exact: true }).click();
    }
    // Its targets are left before they are read.
    await page.route("**/page/targets*", () => {});
    await page.getByRole("article", { name: "database-1" }).getByRole("link", { name: "Targets" }).click();
    await page.getByText("Loading…").waitFor();
    await page.getByRole("link", { name: "Overview", exact: true }).click();
    await page.getByRole("article", { name: "database-1" }).waitFor();
    await page.unroute("**/page/targets*");
    await targets.first().click();
    expect(await chosen.inputValue()).toBe("database-1");
    await page.close();
  });

  it("opens the targets of the database that a client used last", async () => {
    await using servers = await startServers();
    const first = servers.addCloudDatabase({ databaseName: "first" });
    servers.addCloudDatabase({ databaseName: "second" });
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = first;
    const date = rfc1123Date();
    const authorization = authorizationHeader({
      accessKey,
      secretKey,
      method: "GET",
      path: "/targets",
      date,
    });
    await fetch(`${servers.urls.target}/targets`, { headers: { date, authorization } });
    const page = await openPage(browser(), servers.urls.manager, "targets");
    await expect.poll(() => page.getByRole("combobox", { name: "Database" }).inputValue()).toBe("first");
    await page.close();
  });

  it("changes a target with one button, and shows its notice in no other dialog", async () => {
    await using servers = await startServers();
    servers.addCloudDatabase({ databaseName: "shop" });
    await addTarget(servers, "shop", "poster", await scene(1));
    const page = await openPage(browser(), servers.urls.manager, "targets");
    await page.getByRole("button", { name: "Target poster" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill("sign");
    await dialog.getByRole("spinbutton", { name: "This month" }).fill("7");
    await dialog.getByRole("button", { name: /^(Save|Set)/ }).click();
    await dialog.getByText("Saved sign").waitFor();
    const [target] = (await servers.findCloudDatabase("shop")?.targets) ?? [];
    expect(target).toMatchObject({ name: "sign", currentMonthRecos: 7 });
    await dialog.getByRole("button", { name: "Delete" }).click();
    const next = page.getByRole("dialog", { name: "Delete sign?" });
    await next.waitFor();
    expect(await next.getByText("Saved sign").count()).toBe(0);
    expect(await page.getByText("Saved sign").count()).toBe(1);
    await page.close();
  });

  it("keeps a target open that a search no longer finds", async () => {
    await using servers = await startServers();
    servers.addCloudDatabase({ databaseName: "shop" });
    await addTarget(servers, "shop", "poster", await scene(1));
    const page = await openPage(browser(), servers.urls.manager, "targets");
    await page.getByLabel("Search name, id or metadata").fill("poster");
    await page.getByRole("button", { name: "Target poster" }).click();
    const dialog = page.getByRole("dialog", { name: "sign" });
    await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("sign");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByText("No target matches the search").waitFor({ state: "attached" });
    await dialog.getByText("Saved sign").waitFor();
    await page.close();
  });

  it("leaves no hole between its cards", async () => {
    await using servers = await startServers();
    const page = await openPage(browser(), servers.urls.manager, "controls", {
      viewport: { width: 1280, height: 900 },
    });
    const gaps = await page.evaluate<number[]>(`{
      const boxes = [...document.querySelectorAll(".packed > *")].map((card) => card.getBoundingClientRect());
      boxes
        .map((box) => {
          const above = boxes.filter(({ left, bottom }) => left === box.left && bottom <= box.top);
          return above.length === 0 ? 0 : box.top - Math.max(...above.map(({ bottom }) => bottom));
        })
    }`);
    expect(gaps).toHaveLength(5);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(16);
    await page.close();
  });
});
