import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import { startServers } from "mock-cloud-reco/server";
import { expect, it } from "vitest";
import { scene } from "../support/scenes.ts";
import { complaints, openPage } from "./browsing.ts";
import { describeInBrowser } from "./in-browser.ts";

describeInBrowser("the list of requests", (browser) => {
  it("shows both strings to sign of a wrong signature, with the difference marked", async () => {
    await using servers = await startServers();
    const database = servers.addCloudDatabase();
    const { serverAccessKey: accessKey, serverSecretKey: secretKey, clientSecretKey } = database;
    const date = rfc1123Date();
    const signed = { accessKey, secretKey, method: "GET", path: "/targets?page=2", date };
    await fetch(`${servers.urls.target}/targets?page=2`, {
      headers: { date, authorization: authorizationHeader(signed) },
    });
    const page = await openPage(browser(), servers.urls.manager, "requests");
    await page.getByRole("button", { name: /401.*AuthenticationFailure/s }).click();
    const row = page.getByRole("row", { name: /^Path/ });
    await row.waitFor();
    expect((await row.locator("mark").allTextContents()).at(-1)).toBe("?page=2");
    expect(await page.locator(".callout").textContent()).not.toContain("String to sign");
    expect(await page.locator(".differs").count()).toBe(1);
    expect(await page.locator(".why").textContent()).toMatch(/^Sign .*\); the signature does not match\.?$/);

    // A secret that explains nothing: only the expected string is known.
    const wrong = authorizationHeader({ ...signed, path: "/targets", secretKey: "another" });
    await fetch(`${servers.urls.target}/targets`, { headers: { date, authorization: wrong } });
    await page.locator("button.request").nth(1).click();
    await page.getByText("The client should have signed exactly this string:").waitFor();
    for (const shown of [page.locator(".callout p"), page.locator(".why").last()])
      expect(await shown.textContent()).toMatch(
        /^Check the secret key, .*, path\); .*; what is left is another key/,
      );

    // Another key of the database: the string is right.
    const other = authorizationHeader({ ...signed, path: "/targets", secretKey: clientSecretKey });
    await fetch(`${servers.urls.target}/targets`, { headers: { date, authorization: other } });
    await page.locator("button.request").nth(2).click();
    await page.getByText("The client signed the right string:").waitFor();
    expect(await page.locator(".callout p").textContent()).toMatch(
      /made with the database's client secret key/,
    );
    await page.getByText("signature.other-key").waitFor();
    await page.close();
  });

  it("copies curl commands that send the same request again, signed anew", async () => {
    await using servers = await startServers();
    const client = new VuforiaClient(servers.addCloudDatabase(), servers.urls.target, servers.urls.query);
    const picture = await scene(5);
    await client.addTarget("picture", picture);
    servers.finishProcessing();
    await client.find(picture);
    const page = await openPage(browser(), servers.urls.manager, "requests", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByRole("button", { name: /v1.query/ }).click();
    const parts = page.locator(".message").first();
    await parts.getByText(/\(PNG, \d+ bytes\)/).waitFor();
    await expect
      .poll(() => page.evaluate("document.querySelector('.sent-picture img')?.naturalWidth"))
      .toBe(320);
    await page.getByRole("button", { name: "Copy as curl" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const commands = await page.evaluate<string>("navigator.clipboard.readText()");
    const folder = await mkdtemp(join(tmpdir(), "curl-"));
    try {
      const { stdout } = await promisify(execFile)(
        "bash",
        ["-c", commands.replace("curl -i", "curl -s --compressed")],
        {
          cwd: folder,
        },
      );
      expect(JSON.parse(stdout)).toMatchObject({
        result_code: "Success",
        results: [{ target_id: expect.any(String) }],
      });
    } finally {
      await rm(folder, { recursive: true });
    }
    await page.close();
  });

  it("shows the reason of a refusal in the list, whole result codes, and labels that a person reads", async () => {
    await using servers = await startServers();
    servers.addCloudDatabase({ databaseName: "shop" });
    await fetch(`${servers.urls.target}/targets/${"a".repeat(32)}`, { headers: { date: rfc1123Date() } });
    const page = await openPage(browser(), servers.urls.manager, "requests", {
      viewport: { width: 1280, height: 800 },
    });
    const row = page.locator(".requests .request").last();
    await row.getByText(/^Send an Authorization header: the request has none/).waitFor();
    await row.click();
    await page.getByRole("heading", { name: "The Authorization header is missing" }).waitFor();
    expect(await page.getByText(/Refused by/).count()).toBe(0);
    const cut =
      "[...document.querySelectorAll('.request b')].filter((b) => b.scrollWidth > b.clientWidth).length";
    expect(await page.evaluate(cut)).toBe(0);
    await page.close();
  });

  it("shows what each query found, and tries its picture again", async () => {
    await using servers = await startServers();
    const shop = servers.addCloudDatabase({ databaseName: "shop" });
    const client = new VuforiaClient(shop, servers.urls.target, servers.urls.query);
    await servers.addTarget(shop, { name: "poster", image: await scene(6), processed: true });
    await client.find(await scene(6));
    await client.find(await scene(7));
    await servers.addTarget(shop, { name: "next poster", image: await scene(8), processed: false });
    await client.find(await scene(8));
    const page = await openPage(browser(), servers.urls.manager, "requests");
    const rows = page.locator("button.request");
    await expect.poll(() => rows.count()).toBe(3);
    expect(await rows.locator(".outcome b").allTextContents()).toEqual([
      "Found poster",
      "No match",
      "No match",
    ]);
    expect(await rows.locator("img").count()).toBe(1);

    // Words of the code are buttons.
    await rows.nth(2).click();
    await page.getByText(/^still processing, for \S+ s more$/).waitFor();
    await page.getByRole("button", { name: "Finish processing" }).click();
    await page.getByText("Finished all processing").waitFor();
    await page.getByRole("link", { name: "Try this picture" }).click();
    await page.getByRole("heading", { name: "A query finds 1 target" }).waitFor();
    await page.getByRole("button", { name: /^next poster.*found/ }).waitFor();
    expect(await page.getByText("In photographs").count()).toBe(0);
    expect(servers.requests.filter(({ operation }) => operation === "query")).toHaveLength(3);
    expect(complaints.get(page)).toEqual([]);
    await page.close();
  });
});
