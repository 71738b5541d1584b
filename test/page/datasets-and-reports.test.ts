import { readFile } from "node:fs/promises";
import { unzipSync } from "fflate";
import { startServers } from "mock-cloud-reco/server";
import { describe, expect, it } from "vitest";
import { scene } from "../support/scenes.ts";
import { complaints, openPage } from "./browsing.ts";
import { Listener } from "./events.ts";
import { describeInBrowser } from "./in-browser.ts";
import { addTarget, requestReport } from "./shop.ts";

const TEMPLATE = { name: "label", target_id: "a".repeat(32), processing_time_seconds: 3600 };
const DATASET = { request_body: { name: "drill", models: [] }, processing_time_seconds: 3600 };
const FAILED = { ...DATASET, request_body: { name: "vase" }, generation_failure_message: "no faces" };

/** Servers with a report, a VuMark target and datasets, which all are processing. */
async function startWithEverything() {
  const servers = await startServers({ processingTimeSeconds: 3600 });
  const { manager } = servers.urls;
  const post = async (path: string, body: object) => {
    const response = await fetch(manager + path, { method: "POST", body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
  };
  const shop = servers.addCloudDatabase({ databaseName: "shop" });
  servers.addVuMarkDatabase({ databaseName: "labels" });
  await addTarget(servers, "shop", "poster", await scene(1), { target_id: "1".repeat(32) });
  await post(`/cloud_databases/shop/targets/${"1".repeat(32)}/recognition_counts`, {
    current_month_recos: 12,
  });
  await requestReport(servers, shop);
  await post("/vumark_databases/labels/vumark_targets", TEMPLATE);
  await post("/model_target_datasets", DATASET);
  await post("/model_target_datasets", FAILED);
  return { servers, manager, shop };
}

describe("what other APIs produce, for the page", () => {
  it("is there once it is processed", async () => {
    const { servers, manager, shop } = await startWithEverything();
    await using _ = servers;
    const listed = await fetch(`${manager}/model_target_datasets`);
    const datasets: readonly { readonly uuid: string }[] = JSON.parse(await listed.text());
    const [drill = "", vase = ""] = datasets.map(({ uuid }) => `/page/datasets/${uuid}`);
    const instance = `/page/instances/${TEMPLATE.target_id}?database=labels&id=bottle`;
    const get = (path: string) => fetch(manager + path);
    for (const path of [drill, vase, instance]) expect((await get(path)).status, path).toBe(404);
    await fetch(`${manager}/finish_processing`, { method: "POST" });

    const zip = new Uint8Array(await (await get(drill)).arrayBuffer());
    expect(Object.keys(unzipSync(zip))).toEqual(["MTDataset.dat", "MTDataset.xml"]);
    expect((await get(vase)).status).toBe(404);
    const drawn = await get(instance);
    expect(drawn.headers.get("content-type")).toBe("image/svg+xml");
    expect(drawn.headers.get("content-security-policy")).toContain("sandbox");
    expect(await drawn.text()).toContain("<title>bottle</title>");
    const none = [instance.replace("labels", "shop"), instance.replace("bottle", ""), "/page/datasets/none"];
    for (const path of none) expect((await get(path)).status, path).toBe(404);

    await using page = new Listener(`${manager}/page/events`);
    await page.until(() => page.states.length > 0);
    // Named by the hour in which it was requested, which may be over.
    const [requested] = page.states.at(-1)?.reports ?? [];
    expect(requested?.file).toMatch(/^\d{4}-\d\d-\d\d-\d\d$/);
    const report = `/page/reports/${requested?.file}`;
    const query = `?database=${shop.databaseId}`;
    const row = { targetId: "1".repeat(32), name: "poster", count: 12 };
    expect(await (await get(report + query)).json()).toEqual([row]);
    const csv = await get(`${report}.csv${query}`);
    expect(csv.headers.get("content-disposition")).toContain(`${requested?.file}.csv`);
    expect(await csv.text()).toBe(`target_id,reco_count\r\n${row.targetId},12\r\n`);
    expect((await get(report)).status).toBe(404);
  });

  it("can be one target, whose processing is finished alone", async () => {
    const { servers, manager } = await startWithEverything();
    await using _ = servers;
    await addTarget(servers, "shop", "other", await scene(2));
    const finish = (id: string) =>
      fetch(`${manager}/page/finish/${id}?database=shop`, { method: "POST" }).then(({ status }) => status);
    expect(await finish("1".repeat(32))).toBe(200);
    expect(await finish("2".repeat(32))).toBe(404);
    const targets = (await servers.findCloudDatabase("shop")?.targets) ?? [];
    expect(targets.map(({ name, status }) => `${name}: ${status}`)).toEqual([
      "poster: success",
      "other: processing",
    ]);
  });
});

describeInBrowser("in a browser, the page", (browser) => {
  it("shows datasets, reports and VuMarks from processing to download", async () => {
    const { servers, manager } = await startWithEverything();
    await using _ = servers;
    const page = await openPage(browser(), manager, "models");
    const drill = page.getByRole("article", { name: "drill" });
    await drill.getByText(/min .* left/).waitFor();
    expect(await drill.getByRole("link", { name: "Download" }).count()).toBe(0);
    await page.getByText(/^Processing, .* left$/).waitFor();
    await fetch(`${manager}/finish_processing`, { method: "POST" });

    const [zip] = await Promise.all([
      page.waitForEvent("download"),
      drill.getByRole("link", { name: "Download" }).click(),
    ]);
    expect((await readFile(await zip.path())).subarray(0, 2).toString()).toBe("PK");
    const vase = page.getByRole("article", { name: "vase" });
    await vase.getByText("no faces").waitFor();
    expect(await vase.getByRole("list", { name: "Timeline" }).textContent()).toMatch(/^Created.*Failed/);
    expect(await vase.getByRole("link").count()).toBe(0);

    const report = page.getByRole("article", { name: /^Report .* of shop$/ });
    await report.getByRole("link", { name: "Download CSV" }).waitFor();
    await report.getByRole("button", { name: "Show rows" }).click();
    await page.getByRole("row", { name: `poster ${"1".repeat(32)} 12` }).waitFor();
    await page.getByRole("button", { name: "Close" }).click();

    await page.getByLabel("Instance id").fill("bottle 7");
    await page.getByRole("img", { name: "Instance for bottle 7" }).waitFor();
    await expect.poll(() => page.evaluate("document.querySelector('.instance')?.naturalWidth")).toBe(512);
    expect(complaints.get(page)).toEqual([]);
    await page.close();
  });

  it("finishes the processing of one target", async () => {
    const { servers, manager } = await startWithEverything();
    await using _ = servers;
    const page = await openPage(browser(), manager, "targets");
    await page.getByRole("button", { name: "Target poster" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/min .* left/).waitFor();
    await dialog.getByRole("button", { name: "Finish its processing" }).click();
    await dialog.getByText("Success").waitFor();
    expect(await dialog.getByRole("button", { name: "Finish its processing" }).count()).toBe(0);
    await page.close();
  });

  it("returns the focus to where a dialog was opened, however it is closed", async () => {
    await using servers = await startServers();
    servers.addCloudDatabase({ databaseName: "shop" });
    const page = await openPage(browser(), servers.urls.manager);
    const opener = page.getByRole("button", { name: "Settings of shop" });
    const close = [
      () => page.getByRole("button", { name: "Cancel" }).press("Enter"),
      () => page.getByRole("button", { name: "Save" }).press("Enter"),
      () => page.keyboard.press("Escape"),
    ];
    for (const way of close) {
      await opener.press("Enter");
      await way();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Settings of shop");
    }
    await page.close();
  });
});
