import { once } from "node:events";
import { cp, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { build } from "esbuild";
import { startServers } from "mock-cloud-reco/server";
import { expect, it, onTestFinished } from "vitest";
import { copySamples, createProject, inConsumer, inModules } from "../package/run.ts";
import { findChromium, launchChromium } from "../page/chromium.ts";
import { sayWhatIsSkipped } from "../support/skipped.ts";

const chromium = findChromium();
if (chromium === undefined) sayWhatIsSkipped("MSW in browsers (no Chromium)");

/** Serves files by path on this machine. */
async function serve(files: Readonly<Record<string, string>>): Promise<string> {
  const server = createServer(({ url = "" }, response) => {
    const [path = ""] = url.split("?");
    response.setHeader("Content-Type", path.endsWith(".js") ? "text/javascript" : "text/html");
    response.writeHead(path in files ? 200 : 404).end(files[path]);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

it.skipIf(chromium === undefined).each(["msw", "msw-3"])(
  "a page's worker of %s passes requests to servers",
  async (msw) => {
    const project = `worker-${msw}`;
    await copySamples("worker");
    await createProject(project, { msw });
    await cp(inConsumer("worker"), inConsumer(project), { recursive: true });
    const { outputFiles } = await build({
      entryPoints: [inConsumer(project, "page.mjs")],
      bundle: true,
      format: "iife",
      platform: "browser",
      write: false,
    });
    const page = await serve({
      "/": "<!doctype html><script src=/page.js></script>",
      "/page.js": outputFiles[0]?.text ?? "",
      "/mockServiceWorker.js": await readFile(inModules(`${msw}/lib/mockServiceWorker.js`), "utf8"),
    });
    await using servers = await startServers({ corsOrigin: page, logLevel: "silent" });
    const { target, query } = servers.urls;
    // Nothing but this machine can be reached.
    const browser = await launchChromium(["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"]);
    try {
      const tab = await browser.newPage();
      await tab.goto(`${page}/?${new URLSearchParams({ target, query })}`);
      const ask = (url: string, init = {}) =>
        tab.evaluate(`ask(${JSON.stringify(url)}, ${JSON.stringify(init)})`);
      const summary = "https://vws.vuforia.com/summary";
      expect(await ask(summary)).toBe("Failed to fetch");
      expect(await tab.evaluate("start()")).toBe(true);
      const headers = { Authorization: "VWS key:signature" };
      expect(await ask(summary, { headers })).toEqual([400, expect.stringContaining('"result_code":"Fail"')]);
      const asked = await ask("https://cloudreco.vuforia.com/v1/query", { method: "POST", body: "x" });
      expect(asked).toEqual([401, expect.stringContaining("Authorization")]);
      const answered = servers.requests;
      expect(answered.map(({ method, path }) => `${method} ${path}`)).toEqual([
        "GET /summary",
        "POST /v1/query",
      ]);
      await servers.stop();
      expect(await ask(summary)).toBe("Failed to fetch");
    } finally {
      await browser.close();
    }
  },
);
