import { readFile } from "node:fs/promises";
import { startServers } from "mock-cloud-reco/server";
import { expect, it } from "vitest";
import { drawLeaves, pngOf } from "../support/photographs.ts";
import { scene } from "../support/scenes.ts";
import { complaints, drop, openPage } from "./browsing.ts";
import { describeInBrowser } from "./in-browser.ts";
import { addTarget } from "./shop.ts";

describeInBrowser("in a browser, the page", (browser) => {
  it("adds dropped targets, edits one and deletes it", async () => {
    await using servers = await startServers();
    servers.addCloudDatabase({ databaseName: "shop" });
    const page = await openPage(browser(), servers.urls.manager, "targets");
    await drop(page, [
      { name: "first.png", bytes: await scene(1) },
      { name: "second.png", bytes: await scene(2) },
      { name: "no-picture.png", bytes: Buffer.from("none") },
    ]);
    await page.getByText("Added 2 targets").waitFor();
    await page.getByText(/base64 of a PNG or JPEG|bytes of a PNG or JPEG/).waitFor();
    await page.getByRole("button", { name: "Target second" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("renamed");
    await page.getByRole("textbox", { name: "Metadata" }).fill("grün");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "renamed" }).waitFor();
    const [, target] = (await servers.findCloudDatabase("shop")?.targets) ?? [];
    expect(target).toMatchObject({
      name: "renamed",
      applicationMetadata: Buffer.from("grün").toString("base64"),
    });
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page
      .getByRole("dialog", { name: "Delete renamed?" })
      .getByRole("button", { name: "Delete" })
      .click();
    await page.getByText("1 target", { exact: true }).waitFor();
    await expect.poll(() => page.evaluate("document.querySelector('.target img')?.naturalWidth")).toBe(320);
    expect(complaints.get(page)?.filter((text) => !text.includes("400"))).toEqual([]);
    await page.close();
  });

  it("names the files that are no pictures, and adds the others", async () => {
    await using servers = await startServers();
    const shop = servers.addCloudDatabase({ databaseName: "shop" });
    const page = await openPage(browser(), servers.urls.manager, "targets");
    await drop(page, [
      { name: "notes.txt", bytes: Buffer.from("x"), type: "text/plain" },
      { name: "broken.png", bytes: Buffer.from("x") },
      { name: "poster.png", bytes: await scene(6) },
    ]);
    await page.getByText("Not a picture: notes.txt. Choose PNG or JPEG files.").waitFor();
    await page.getByText(/^broken\.png: .*PNG or JPEG/).waitFor();
    await page.getByText("Added 1 target").waitFor();
    expect(shop.targets.map(({ name }) => name)).toEqual(["poster"]);
    await page.close();
  });

  it("says beside a target's rating how likely photographs of it are recognised, and what would help", async () => {
    await using servers = await startServers({ queryMatcher: "features" });
    const keys = servers.addCloudDatabase({ databaseName: "shop" });
    const flat = { data: new Uint8Array(480 * 360).fill(90), width: 480, height: 360 };
    const [rich, plain] = [drawLeaves(1, 480, 360), drawLeaves(2, 100, 80)];
    for (let y = 0; y < plain.height; y++)
      flat.data.set(plain.data.subarray(y * plain.width, (y + 1) * plain.width), y * flat.width);
    await servers.addTarget(keys, { name: "rich", image: await pngOf(rich), processed: true });
    await servers.addTarget(keys, { name: "plain", image: await pngOf(flat), processed: true });
    const page = await openPage(browser(), servers.urls.manager, "targets");
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Target rich" }).click();
    await dialog.getByText(/^\d+ features, enough to be recognised/).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Target plain" }).click();
    await dialog.getByText(/^most of it is plain: \d+ features in [1-9] of 36 parts/).waitFor();
    await page.getByRole("button", { name: "Features", exact: true }).click();
    const dots = dialog.getByRole("img", { name: /^[\d,]+ features$/ });
    const drawn = (await dots.locator("path").first().getAttribute("d")) ?? "";
    const places = [...drawn.matchAll(/M(\S+) (\S+)h0/g)];
    expect(places).not.toEqual([]);
    // Where the picture is not plain.
    for (const [, x, y] of places) expect([Number(x) < 0.25, Number(y) < 0.25]).toEqual([true, true]);
    expect(complaints.get(page)).toEqual([]);
    await page.close();
  });

  it("shows 1,000 of 10,000 targets, and finds the others", async () => {
    await using servers = await startServers({ targetRater: "perfect" });
    servers.addCloudDatabase({ databaseName: "many", targetQuota: 20_000 });
    const picture = await readFile("examples/demo/images/raccoon.jpg");
    await addTarget(servers, "many", "target 0", picture);
    const snapshot = JSON.parse(await (await fetch(`${servers.urls.manager}/snapshot`)).text());
    const [{ targets }] = snapshot.databases;
    for (let number = 1; number < 10_000; number++)
      targets.push({
        ...targets[0],
        targetId: number.toString(16).padStart(32, "0"),
        name: `target ${number}`,
        uploadDate: targets[0].uploadDate + number,
      });
    await fetch(`${servers.urls.manager}/snapshot`, { method: "PUT", body: JSON.stringify(snapshot) });
    const page = await openPage(browser(), servers.urls.manager, "targets");
    await page.getByText("1,000 of 10,000 targets").waitFor();
    expect(await page.locator(".gallery li").count()).toBe(1000);
    await page.getByLabel("Search name, id or metadata").fill("target 0");
    await page.getByRole("button", { name: /^Target target 0 / }).waitFor();
    await page.getByLabel("Search name, id or metadata").fill("target 777");
    await page.getByText("11 of 10,000 targets").waitFor();
    await page.close();
  });
});
