import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { MockCloudReco } from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { scene } from "../support/scenes.ts";
import { describeInBrowser } from "./in-browser.ts";

const SECRETS = { serverSecretKey: "s3cr3t-of-server", clientSecretKey: "s3cr3t-of-client" };

async function usedMock(): Promise<MockCloudReco> {
  const mock = new MockCloudReco();
  const database = mock.addCloudDatabase({ databaseName: "</script><b>shop", ...SECRETS });
  const client = new VuforiaClient(database);
  const picture = await scene(1);
  await mock.addTarget(database, {
    name: "</script><img src=x onerror=hit()>",
    image: picture,
    processed: true,
  });
  await client.find(picture);
  await fetch("https://vws.vuforia.com/targets");
  return mock;
}

describe("a report in a file", () => {
  it("contains its data safely escaped, without secrets", async () => {
    await using mock = await usedMock();
    const folder = await mkdtemp(join(tmpdir(), "report-"));
    try {
      const path = join(folder, "report.html");
      await mock.page.writeReport(path);
      const html = await readFile(path, "utf8");
      const [, data = ""] = /<script type="application\/json" id="report">(.*)<\/script>/.exec(html) ?? [];
      const { createdAt: _, ...written } = JSON.parse(data);
      expect(JSON.parse(JSON.stringify(mock.page.report()))).toMatchObject(written);
      expect(html.match(/<\/script>/g)).toHaveLength(2);
      expect(html).not.toContain("s3cr3t");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("the page of a mock", () => {
  it("is served until it is closed or the mock stops", async () => {
    const mock = await usedMock();
    const page = await mock.page.serve();
    const targets = await fetch(new URL("/page/targets?database=none", page.url));
    expect(await targets.json()).toMatchObject({ database: "</script><b>shop", all: 1 });
    await page.stop();
    await expect(fetch(page.url)).rejects.toThrow("fetch failed");
    const again = await mock.page.serve();
    mock.stop();
    await expect.poll(() => fetch(again.url).catch(() => "gone")).toBe("gone");
  });

  it("is closed when the mock is disposed of, even if it was only starting", async () => {
    const mock = await usedMock();
    const open = await mock.page.serve();
    let hasStarted = false;
    const starting = mock.page.serve().finally(() => {
      hasStarted = true;
    });
    await mock[Symbol.asyncDispose]();
    // Its end was waited for: it cannot be closed before it has started.
    expect(hasStarted).toBe(true);
    await expect(fetch(open.url)).rejects.toThrow("fetch failed");
    await expect(fetch((await starting).url)).rejects.toThrow("fetch failed");
  });

  it("records no requests of others, such as a browser that looks for an icon", async () => {
    await using mock = await usedMock();
    const before = mock.requests.length;
    await using page = await mock.page.serve();
    expect((await fetch(new URL("/favicon.ico", page.url))).status).toBe(404);
    const socket = connect(Number(new URL(page.url).port), "127.0.0.1", () =>
      socket.write("stray bytes\r\n\r\n"),
    );
    await new Promise((resolve) => socket.resume().once("close", resolve));
    expect(mock.requests).toHaveLength(before);
  });

  it("ends a pause when the mock stops", async () => {
    const printed = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
    onTestFinished(() => printed.mockRestore());
    const mock = await usedMock();
    const early = mock.page.pause();
    mock.stop();
    await early;
    const late = mock.page.pause();
    await expect.poll(() => printed.mock.calls.length).toBe(2);
    mock.stop();
    await late;
  });

  it("pauses a test until someone continues it", async () => {
    await using mock = await usedMock();
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    let isOver = false;
    const paused = mock.page.pause().then(() => {
      isOver = true;
    });
    await expect.poll(() => write.mock.calls.length).toBeGreaterThan(0);
    const [[said] = []] = write.mock.calls;
    write.mockRestore();
    const [url = ""] = /http:\S+/.exec(String(said)) ?? [];
    expect(said).toContain("set MOCK_CLOUD_RECO_PAUSE=1");
    expect(isOver).toBe(false);
    await fetch(new URL("/page/continue", url), { method: "POST" });
    await paused;
    expect(isOver).toBe(true);
  });
});

describeInBrowser("in a browser", (browser) => {
  it("a report shows requests and targets from a file, and sends no requests", async () => {
    await using mock = await usedMock();
    const folder = await mkdtemp(join(tmpdir(), "report-"));
    try {
      const path = join(folder, "report.html");
      await mock.page.writeReport(path);
      const page = await browser().newPage();
      const asked: string[] = [];
      const complaints: string[] = [];
      page.on("request", (request) => asked.push(request.url().slice(0, 5)));
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      await page.goto(pathToFileURL(path).href);
      await page.getByRole("link", { name: "2 requests, 1 refused" }).click();
      await page.getByRole("button", { name: /v1.query/ }).click();
      await page.getByRole("img").or(page.locator(".sent-picture img")).first().waitFor();
      await page.getByRole("link", { name: "Targets", exact: true }).click();
      await page.getByRole("button", { name: /^Target/ }).click();
      expect(await page.getByRole("button", { name: "Delete" }).count()).toBe(0);
      await expect
        .poll(() => page.evaluate("document.querySelector('dialog .picture img')?.naturalWidth"))
        .toBe(320);
      expect(asked.filter((url) => url !== "file:" && url !== "data:")).toEqual([]);
      expect(complaints).toEqual([]);
      await page.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("a report shows the whole name of a database, beside its number of targets", async () => {
    await using mock = new MockCloudReco();
    const databaseName = `shop-${"of-many-pictures-".repeat(8)}`;
    await mock.addTarget(mock.addCloudDatabase({ databaseName }), { name: "poster", image: await scene(1) });
    const folder = await mkdtemp(join(tmpdir(), "report-"));
    try {
      const path = join(folder, "report.html");
      await mock.page.writeReport(path);
      const page = await browser().newPage({ viewport: { width: 800, height: 700 } });
      await page.goto(pathToFileURL(path).href);
      const name = await page.getByText(databaseName).first().boundingBox();
      const number = await page.getByRole("link", { name: "1 target" }).boundingBox();
      const [left = 0, right = 0] = [number?.x, (name?.x ?? 0) + (name?.width ?? 0)];
      const isBelow = (number?.y ?? 0) >= (name?.y ?? 0) + (name?.height ?? 0);
      expect(isBelow || left >= right).toBe(true);
      await page.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("the page of a paused mock has a Continue button", async () => {
    await using mock = await usedMock();
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const paused = mock.page.pause();
    await expect.poll(() => write.mock.calls.length).toBeGreaterThan(0);
    const [[said] = []] = write.mock.calls;
    write.mockRestore();
    const page = await browser().newPage();
    await page.goto(/http:\S+/.exec(String(said))?.[0] ?? "");
    await page.getByRole("button", { name: "Continue" }).click();
    await paused;
    await page.close();
  });
});
