import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { startServers } from "mock-cloud-reco/server";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Served, start } from "../cli/command.ts";
import { codeBlocks } from "../support/code-blocks.ts";
import { drawLeaves, type Photograph, photograph, pngOf } from "../support/photographs.ts";
import { scene } from "../support/scenes.ts";
import { complaints, openPage } from "./browsing.ts";
import { FAKE_CAMERA, findChromium, launchChromium } from "./chromium.ts";

const FRAMES_PER_PICTURE = 20;

/** A video of one picture after the other, as Chromium's fake camera plays it, again and again. */
async function writeVideo(path: string, pictures: readonly Photograph[]): Promise<void> {
  const [{ width, height } = { width: 0, height: 0 }] = pictures;
  const file = await open(path, "w");
  await file.write(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420jpeg\n`);
  for (const { data } of pictures) {
    for (let frame = 0; frame < FRAMES_PER_PICTURE; frame++) {
      await file.write("FRAME\n");
      await file.write(data);
      // Neither red nor blue.
      await file.write(Buffer.alloc((width * height) / 2, 128));
    }
  }
  await file.close();
}

/** Counts what the page does with cameras, in `window.cameras`, and in `window.unseen` those that were open while the page did not show what they see. */
const watchCameras = (page: Page) =>
  page.addInitScript(`
    window.cameras = [];
    window.unseen = new Set();
    window.isOpen = (camera) => camera.getTracks().some(({ readyState }) => readyState === "live");
    const given = [];
    const devices = navigator.mediaDevices;
    const open = devices?.getUserMedia.bind(devices);
    if (devices) devices.getUserMedia = (...wanted) => {
      const camera = open(...wanted);
      window.cameras.push(camera);
      camera.then((each) => given.push(each));
      return camera;
    };
    new MutationObserver(() => {
      if (document.querySelector("video") !== null) return;
      for (const each of given.filter(isOpen)) window.unseen.add(each);
    }).observe(document, { childList: true, subtree: true });
  `);
const asked = (page: Page) => page.evaluate<number>("window.cameras.length");
const areClosed = (page: Page) =>
  page.evaluate<boolean>("Promise.all(window.cameras).then((all) => !all.some(isOpen))");

describe.skipIf(findChromium() === undefined)("the camera, in a browser", () => {
  const picture = drawLeaves(1, 480, 360);
  const size = { width: 640, height: 480 };
  let photos: Photograph[];
  let folder: string;
  let browser: Browser;

  beforeAll(async () => {
    photos = await Promise.all(
      [1, 2].map((seed) => photograph(picture, { tilt: 20, scale: 0.6, cover: 0 }, seed, size)),
    );
    folder = await mkdtemp(join(tmpdir(), "camera-"));
    await writeVideo(join(folder, "camera.y4m"), photos);
    browser = await launchChromium([
      ...FAKE_CAMERA,
      `--use-file-for-fake-video-capture=${join(folder, "camera.y4m")}`,
      "--host-resolver-rules=MAP phone.test 127.0.0.1",
    ]);
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true });
  });

  /** Servers that recognise photographs, with the picture of which the camera sees photographs. */
  async function openServers(more: Parameters<typeof startServers>[0] = {}) {
    const servers = await startServers({ queryMatcher: "features", ...more });
    const shop = servers.addCloudDatabase({ databaseName: "shop" });
    await servers.addTarget(shop, { name: "leaves", image: await pngOf(picture), processed: true });
    await servers.addTarget(shop, { name: "other", image: await scene(7), processed: true });
    return servers;
  }

  /** Whether the outline on the page is that of the picture in a photograph. */
  async function isOutlined(page: Page, { corners, width, height }: Photograph): Promise<boolean> {
    const polygon = page.getByRole("img", { name: "Outline of leaves" }).locator("polygon");
    const drawn = (await polygon.getAttribute("points", { timeout: 5000 }).catch(() => null)) ?? "";
    return drawn.split(" ").every((corner, index) => {
      const [x = Number.NaN, y = Number.NaN] = corner.split(",").map(Number);
      const [cx = 0, cy = 0] = corners[index] ?? [];
      return Math.hypot(x - cx / width, y - cy / height) < 0.02;
    });
  }

  it("is asked for only when it is used, and its frames are tried one at a time, with the outline moving", async () => {
    await using servers = await openServers();
    const page = await openPage(browser, servers.urls.manager);
    await watchCameras(page);
    let [inFlight, most, tried] = [0, 0, 0];
    await page.route("**/page/find?*", async (route) => {
      inFlight += 1;
      tried += 1;
      most = Math.max(most, inFlight);
      await route.continue();
      await (await route.request().response())?.finished();
      inFlight -= 1;
    });
    await page.goto(`${servers.urls.manager}/#/try`);
    await page.reload();
    const before = servers.requests.length;
    await page.getByRole("heading", { name: "Drop or paste a picture" }).waitFor();
    expect(await asked(page)).toBe(0);

    await page.getByRole("button", { name: "Use the camera" }).click();
    await page.getByRole("heading", { name: "A query finds leaves" }).waitFor();
    await page.getByText(/^matched \d+ of \d+ features, tilt about/).waitFor();
    for (const photo of [...photos, ...photos]) await expect.poll(() => isOutlined(page, photo)).toBe(true);
    expect([await asked(page), most]).toEqual([1, 1]);

    // Nothing of this counts, neither as a request nor as a recognition.
    expect(servers.requests).toHaveLength(before);
    const [leaves] = (await servers.findCloudDatabase("shop")?.targets) ?? [];
    expect(leaves).toMatchObject({ name: "leaves", totalRecos: 0, currentMonthRecos: 0 });

    await page.getByRole("button", { name: "Take this picture" }).click();
    await page.getByRole("heading", { name: "camera.jpg" }).waitFor();
    await page.getByRole("img", { name: "Outline of leaves" }).waitFor();
    await page.getByText("JPEG, 640 × 480").waitFor();
    expect(await areClosed(page)).toBe(true);
    const ended = tried;
    await page.getByRole("button", { name: "Features", exact: true }).click();
    await page.getByRole("img", { name: /^Outline of leaves; [\d,]+ features$/ }).waitFor();
    expect(tried).toBe(ended);
    expect(complaints.get(page)).toEqual([]);
    await page.close();
  });

  it("is closed when it is not looked at: the page is hidden, another view is opened, or someone closes it", async () => {
    await using servers = await openServers();
    const page = await openPage(browser, servers.urls.manager, "try");
    await watchCameras(page);
    await page.reload();
    const use = page.getByRole("button", { name: "Use the camera" });
    const live = page.getByRole("heading", { name: "A query finds leaves" });
    await use.click();
    await live.waitFor();
    await page.evaluate(
      "Object.defineProperty(document, 'hidden', { value: true, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))",
    );
    await page.getByText("The camera was closed because the page was hidden.").waitFor();
    expect(await areClosed(page)).toBe(true);
    await page.evaluate("delete document.hidden");

    await use.click();
    await live.waitFor();
    await page.getByRole("link", { name: "Requests" }).click();
    await page.getByRole("heading", { level: 1, name: "Requests" }).waitFor();
    expect(await areClosed(page)).toBe(true);

    await page.goBack();
    await use.click();
    await live.waitFor();
    await page.getByRole("button", { name: "Close the camera" }).press("Enter");
    await page.getByRole("heading", { name: "Drop or paste a picture" }).waitFor();
    expect([await asked(page), await areClosed(page)]).toEqual([3, true]);
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Use the camera");

    await use.click();
    await live.waitFor();
    await page.evaluate(
      "window.cameras.at(-1).then((camera) => camera.getTracks()[0].dispatchEvent(new Event('ended')))",
    );
    await page.getByText("The camera was closed.").waitFor();
    expect(await page.evaluate("window.unseen.size")).toBe(0);
    expect(complaints.get(page)).toEqual([]);
    await page.close();
  });

  it("is closed at once when it is given to nobody any more, and what became of it concerns no other", async () => {
    await using servers = await openServers();
    const page = await openPage(browser, servers.urls.manager, "try");
    await page.evaluate(`
      const devices = navigator.mediaDevices;
      const open = devices.getUserMedia.bind(devices);
      window.answers = [];
      devices.getUserMedia = (...wanted) => new Promise((resolve, reject) => {
        window.answers.push({ give: async () => resolve(window.camera = await open(...wanted)), reject });
      });
    `);
    await page.getByRole("button", { name: "Use the camera" }).click();
    await page.getByText(/^Waiting for the camera/).waitFor();
    await expect.poll(() => page.evaluate("window.answers.length")).toBe(1);
    await page.getByRole("button", { name: "Close the camera" }).click();
    await page.getByRole("heading", { name: "Drop or paste a picture" }).waitFor();
    await page.evaluate("window.answers[0].give()");
    await expect.poll(() => page.evaluate("window.camera.getTracks()[0].readyState")).toBe("ended");
    // Closed and used again before the browser draws the page.
    await page.getByRole("button", { name: "Use the camera" }).click();
    await expect.poll(() => page.evaluate("window.answers.length")).toBe(2);
    await page.evaluate(`(async () => {
      const until = async (label) => {
        for (;;) {
          const button = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === label);
          if (button !== undefined) return button;
          await undefined;
        }
      };
      (await until("Close the camera")).click();
      (await until("Use the camera")).click();
      await until("Close the camera");
      window.answers[1].reject(new DOMException("", "NotReadableError"));
    })()`);
    await expect.poll(() => page.evaluate("window.answers.length")).toBe(3);
    await page.evaluate("window.answers[2].give()");
    await page.getByRole("heading", { name: "A query finds leaves" }).waitFor();
    expect(complaints.get(page)).toEqual([]);
    await page.close();
  });

  it("is there over https, as the guide opens it for a phone", async () => {
    const [{ text = "" } = {}] = codeBlocks(await readFile("examples/recognition/README.md", "utf8")).filter(
      ({ language }) => language === "sh",
    );
    const words = text.trim().replace("npx mock-cloud-reco ", "");
    const own = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ family, internal }) => family === "IPv4" && !internal);
    const args = words.replace("192.168.1.20", own?.address ?? "127.0.0.1").split(" ");
    const command = start([...args, "--json"], { MOCK_CLOUD_RECO_LOG_LEVEL: "silent" });
    const { urls }: Served = JSON.parse(await command.printed());
    expect(urls.manager).toMatch(`https://${own?.address ?? "127.0.0.1"}:`);
    const page = await openPage(browser, urls.manager, "try", { ignoreHTTPSErrors: true });
    await page.getByRole("button", { name: "Use the camera" }).click();
    await page.getByText("The database has no targets.").waitFor();
    expect(complaints.get(page)).toEqual([]);
    await page.close();
    expect((await command.stop()).code).toBe(0);
  });

  it("is not there over plain http from another machine", async () => {
    await using plain = await openServers();
    const { port } = new URL(plain.urls.manager);
    const page = await openPage(browser, `http://phone.test:${port}`, "try");
    await page.getByRole("button", { name: "Use the camera" }).click();
    await page.getByText(/^Browsers open the camera only for pages over https/).waitFor();
    await page.getByText(/set the option tls to "generated" and open the https address/).waitFor();
    await page.close();
  });

  it("says why there is none", async () => {
    await using servers = await openServers();
    for (const [args, permissions, why] of [
      // Answers as somebody does who refuses: nobody is asked without a window.
      [
        [...FAKE_CAMERA, "--use-fake-ui-for-media-stream=deny"],
        [],
        /^The browser may not use the camera\. Allow it/,
      ],
      [[], ["camera"], /^This device has no camera\. Choose a picture instead\./],
    ] as const) {
      const other = await launchChromium(args);
      try {
        const page = await openPage(other, servers.urls.manager, "try", { permissions: [...permissions] });
        await page.getByRole("button", { name: "Use the camera" }).click();
        await page.getByRole("alert").filter({ hasText: why }).waitFor();
        expect(complaints.get(page)).toEqual([]);
      } finally {
        await other.close();
      }
    }
  });

  it("says what to change when the emulator compares whole pictures", async () => {
    await using servers = await openServers({ queryMatcher: "structural_similarity" });
    const page = await openPage(browser, servers.urls.manager, "try");
    await page.getByRole("button", { name: "Use the camera" }).click();
    await page.getByText(/To recognise photographs, set the option queryMatcher to "features"\./).waitFor();
    await page.close();
  });
});
