import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { startServers } from "mock-cloud-reco/server";
import { expect, it } from "vitest";
import { complaints, openPage } from "./browsing.ts";
import { describeInBrowser } from "./in-browser.ts";

describeInBrowser("in a browser, the page", (browser) => {
  it("adds a database, hides its secrets, changes it and deletes it", async () => {
    await using servers = await startServers();
    const page = await openPage(browser(), servers.urls.manager);
    await page.getByRole("button", { name: "Add database" }).click();
    await page.getByLabel("Name").fill("shop");
    await page.getByRole("dialog").getByRole("button", { name: "Add database" }).click();
    const card = page.getByRole("article", { name: "shop" });
    await card.waitFor();
    const { serverSecretKey = "" } = servers.findCloudDatabase("shop") ?? {};
    expect(serverSecretKey).not.toBe("");
    expect(await card.textContent()).not.toContain(serverSecretKey);
    await card.getByRole("button", { name: "Show Server secret key of shop" }).click();
    expect(await card.textContent()).toContain(serverSecretKey);

    await card.getByRole("button", { name: "Settings of shop" }).click();
    await page.getByRole("combobox", { name: "State" }).selectOption("Suspended");
    await page.getByRole("spinbutton", { name: "Target quota" }).fill("7");
    await page.getByRole("button", { name: "Save" }).click();
    await card.getByText("0 of 7 targets").waitFor();
    expect(servers.findCloudDatabase("shop")).toMatchObject({
      stateName: "PROJECT_SUSPENDED",
      targetQuota: 7,
    });

    await card.getByRole("button", { name: "Delete shop" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "No databases yet" }).waitFor();
    expect(complaints.get(page)).toEqual([]);
    await page.close();
  });

  it("offers code that runs as it is, and a test that is one", async () => {
    await using servers = await startServers();
    servers.addCloudDatabase({ databaseName: "shop" });
    const page = await openPage(browser(), servers.urls.manager);
    await page.getByRole("button", { name: "Connect" }).click();
    await page.getByRole("button", { name: "In a test" }).click();
    const typescript = await page.locator("dialog pre").textContent();
    const { code } = await transform(typescript ?? "", { loader: "ts", format: "cjs", target: "es2022" });
    const tests: (() => Promise<void>)[] = [];
    const modules: Record<string, object> = {
      "mock-cloud-reco": await import("mock-cloud-reco"),
      vitest: { expect, it: (_name: string, test: () => Promise<void>) => tests.push(test) },
    };
    new Function("require", "module", code)((name: string) => modules[name], {});
    expect(tests).toHaveLength(1);
    const before = expect.getState().assertionCalls;
    for (const test of tests) await test();
    expect(expect.getState().assertionCalls).toBeGreaterThan(before);

    await page.getByRole("button", { name: "curl" }).click();
    const commands = (await page.locator("dialog pre").textContent()) ?? "";
    const { stdout } = await promisify(execFile)("bash", ["-c", commands]);
    expect(stdout).toContain('"result_code":"Success"');
    await page.close();
  });
});
