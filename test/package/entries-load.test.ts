import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesOfPackage, inConsumer, runNode } from "./run.ts";

const installed = inConsumer("node_modules/mock-cloud-reco");

async function runScript(kind: "module" | "commonjs", source: string): Promise<string> {
  const { code, printed } = await runNode(".", [`--input-type=${kind}`, "--eval", source]);
  expect(code, printed).toBe(0);
  return printed;
}

const loads = {
  module: 'const { MockCloudReco } = await import("mock-cloud-reco");',
  commonjs: 'const { MockCloudReco } = require("mock-cloud-reco");',
} as const;

describe.each(["module", "commonjs"] as const)("loaded as %s", (kind) => {
  const inAsync = (source: string) => `(async () => { ${source} })();`;

  it("answers requests", async () => {
    const printed = await runScript(
      kind,
      inAsync(`
        ${loads[kind]}
        const mock = new MockCloudReco();
        const response = await fetch("https://vws.vuforia.com/summary");
        console.log(response.status, mock.requests.length);
        mock.stop();
      `),
    );
    expect(printed).toBe("401 1");
  });

  it("serves its page, and writes it as a report", async () => {
    const path = '"mock-cloud-reco/server"';
    const load = kind === "module" ? `await import(${path})` : `require(${path})`;
    const printed = await runScript(
      kind,
      inAsync(`
        const { readFile, unlink } = process.getBuiltinModule("node:fs/promises");
        const { brotliDecompressSync } = process.getBuiltinModule("node:zlib");
        const html = String(
          brotliDecompressSync(await readFile("node_modules/mock-cloud-reco/dist/page.html.br")),
        );
        const { startServers } = ${load};
        const servers = await startServers({ logLevel: "silent" });
        const response = await fetch(servers.urls.manager, { headers: { accept: "text/html" } });
        console.log(response.status, (await response.text()) === html);
        await servers.stop();
        ${loads[kind]}
        const mock = new MockCloudReco();
        const page = await mock.page.serve();
        console.log((await (await fetch(page.url, { headers: { accept: "text/html" } })).text()) === html);
        await mock.page.writeReport("report.html");
        mock.stop();
        const [start] = html.split("<script>");
        console.log((await readFile("report.html", "utf8")).startsWith(start + '<script type="application/json"'));
        await unlink("report.html");
      `),
    );
    expect(printed.split("\n")).toEqual(["200 true", "true", "true"]);
  });

  it("writes the OpenAPI document", async () => {
    const path = '"mock-cloud-reco/openapi"';
    const load = kind === "module" ? `await import(${path})` : `require(${path})`;
    const print = "console.log(openapi, Object.keys(paths).includes('/v1/query'));";
    const source = `const { openApiDocument } = ${load}; const { openapi, paths } = openApiDocument(); ${print}`;
    expect(await runScript(kind, inAsync(source))).toBe("3.1.0 true");
  });

  it("patches nothing and loads nothing heavy until a mock is created, and restores everything", async () => {
    const printed = await runScript(
      kind,
      inAsync(`
        const http = process.getBuiltinModule("node:http");
        const [net, tls] = ["node:net", "node:tls"].map((name) => process.getBuiltinModule(name));
        const patchable = () => [globalThis.fetch, http.request, http.get, http.ClientRequest, http.Agent.prototype.addRequest,
          http.Agent.prototype.createConnection, net.connect, net.createConnection, net.Socket.prototype.connect, tls.connect];
        const before = patchable();
        const same = () => patchable().every((f, i) => f === before[i]);
        const { createRequire } = process.getBuiltinModule("node:module");
        const loaded = createRequire(process.cwd() + "/x.js").cache;
        const heavy = () => Object.keys(loaded).filter((file) => /node_modules.(nock|sharp|zod).*/.test(file)).length > 0;
        ${loads[kind]}
        console.log(same(), heavy());
        const mock = new MockCloudReco();
        console.log(same(), heavy());
        mock.stop();
        await new Promise((resolve) => setImmediate(resolve));
        console.log(same());
      `),
    );
    expect(printed.split("\n")).toEqual(["true false", "false true", "true"]);
  });
});

it("shares its classes and state between import and require", async () => {
  const printed = await runScript(
    "module",
    `import { createRequire } from "node:module";
     import * as imported from "mock-cloud-reco";
     const required = createRequire(process.cwd() + "/x.js")("mock-cloud-reco");
     console.log(JSON.stringify(Object.keys(required).filter((name) => imported[name] !== required[name])));
     console.log(Object.keys(imported).length === Object.keys(required).length);
     console.log(new imported.ManualClock() instanceof required.ManualClock);`,
  );
  expect(printed.split("\n")).toEqual(["[]", "true", "true"]);
});

it("reads no server, and nothing else that few tests use, for a mock that answers", async () => {
  const printed = await runScript(
    "commonjs",
    `(async () => {
       ${loads.commonjs}
       const mock = new MockCloudReco();
       const { VuforiaClient } = require("mock-cloud-reco/examples/client");
       await new VuforiaClient(mock.addCloudDatabase()).summary();
       mock.stop();
       const files = Object.keys(require.cache).filter((file) => /mock-cloud-reco.dist/.test(file));
       const kilobytes = files.reduce((sum, file) => sum + require("node:fs").statSync(file).size, 0) / 1000;
       console.log(kilobytes < 550 || files.join() + " have " + kilobytes + " kB");
     })();`,
  );
  expect(printed).toBe("true");
});

it("reads nothing of mocks, the page, Redis and state files for servers that answer", async () => {
  const printed = await runScript(
    "commonjs",
    `(async () => {
       const { startServers } = require("mock-cloud-reco/server");
       const servers = await startServers({ logLevel: "silent" });
       const { VuforiaClient } = require("mock-cloud-reco/examples/client");
       await new VuforiaClient(servers.addCloudDatabase(), servers.urls.target).summary();
       await servers.stop();
       const files = Object.keys(require.cache).filter((file) => /mock-cloud-reco.dist/.test(file));
       const unused = files.filter((file) => /dist.(mocks|page-(?!requests)|redis|stateFiles|openapi|refusals)/.test(file));
       console.log(files.length > 3 && unused.length === 0 || unused.join());
     })();`,
  );
  expect(printed).toBe("true");
});

it("reads the reasons of refusals when a request is refused, and not before", async () => {
  const printed = await runScript(
    "commonjs",
    `(async () => {
       ${loads.commonjs}
       const mock = new MockCloudReco();
       const { samplePicture } = require("mock-cloud-reco");
       const { VuforiaClient } = require("mock-cloud-reco/examples/client");
       const read = () => Object.keys(require.cache).some((file) => /mock-cloud-reco.dist.refusals-/.test(file));
       const keys = mock.addCloudDatabase();
       const client = new VuforiaClient(keys);
       const picture = await samplePicture(1);
       await client.addTarget("poster", picture);
       mock.finishProcessing();
       const found = await client.find(picture);
       const before = read();
       await new VuforiaClient({ ...keys, serverSecretKey: "another" }).summary().catch(() => {});
       mock.stop();
       console.log(found.length, before, read());
     })();`,
  );
  expect(printed).toBe("1 false true");
});

it("ships code as it is read: under its own names, neither compressed nor evaluated", async () => {
  const scripts = (await filesOfPackage()).filter((file) => /^dist\/.*\.[cm]js$/.test(file));
  const code = (await Promise.all(scripts.map((file) => readFile(join(installed, file), "utf8")))).join("\n");
  expect(code).not.toMatch(/compileFunction|node:vm|new Function\(|(?<![.\w])eval\(/);
  // Names that no public API mentions, which a minifier would shorten.
  for (const name of ["function runChecks(", "function nearestRoute(", "function pathMatcher("])
    expect(code).toContain(name);
});

it("has a package.json without what only its repository needs", async () => {
  const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  const own = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
  const {
    private: _private,
    scripts: _scripts,
    devDependencies: _development,
    knip: _knip,
    ...published
  } = own;
  expect(manifest).toEqual(published);
  expect(own).toMatchObject({ private: true });
});

it("says truly where plain JavaScript has `await using`", async () => {
  const guide = await readFile(inConsumer("examples/runners/README.md"), "utf8");
  const [, since] = /plain JavaScript it needs Node (\d+): /.exec(guide) ?? [];
  const readme = (await readFile(join(installed, "README.md"), "utf8")).replaceAll(/\s+/g, " ");
  expect(readme).toContain(`it needs Node ${since}: older versions say "Unexpected identifier"`);
  const source = "await using mock = { async [Symbol.asyncDispose]() {} };";
  const { code, printed } = await runNode(".", ["--input-type=module", "--eval", source]);
  const [major] = process.versions.node.split(".");
  expect(code, printed).toBe(Number(major) < Number(since) ? 1 : 0);
  if (code === 1) expect(printed).toContain("SyntaxError: Unexpected identifier");
});
