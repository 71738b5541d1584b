import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { VuforiaClient } from "../../examples/client/vuforia-client.cjs";
import { samplePicture } from "../../src/index.ts";
import { startServers } from "../../src/servers/index.ts";
import { freePort } from "../support/free-ports.ts";

const run = promisify(execFile);
const COMPILED = "--noEmit --strict --skipLibCheck --allowImportingTsExtensions --types node --target es2022";
const RESOLVED = "--lib es2023,dom,dom.iterable,esnext.disposable --module esnext --moduleResolution bundler";

/** What works on a document, and as what. Each line but the last ones has to exit without an error. */
const STEPS: Readonly<Record<string, string>> = {
  "redocly lint": "redocly lint document.json",
  "spectral lint": "spectral lint --fail-severity error document.json",
  "openapi-typescript": "openapi-typescript document.json -o openapi-typescript.ts",
  "hey-api": "openapi-ts -i document.json -o hey-api -c @hey-api/client-fetch",
  orval: "orval --input ./document.json --output ./orval.ts --client fetch",
  kubb: "kubb generate --config kubb.config.mjs",
  "type check of all clients": `tsc ${COMPILED} ${RESOLVED} ask.ts`,
};

/**
 * Makes clients of the document that running servers have, checks their types, and adds and finds a target with each, also with a
 * wrong key; then sends the demo's requests by a proxy that compares each request and response with the document. Returns what happened.
 */
export async function generateClients(folder: string): Promise<ReadonlyMap<string, string>> {
  const cwd = join(folder, "generated");
  await mkdir(cwd);
  await cp(fileURLToPath(new URL("generated", import.meta.url)), cwd, { recursive: true });
  await run("npm", ["install", "--no-audit", "--no-fund"], { cwd });
  await using servers = await startServers({ processingTimeSeconds: 0 });
  const { target, query, manager } = servers.urls;
  const document = await (await fetch(`${manager}/internal/openapi.json`)).text();
  await writeFile(join(cwd, "document.json"), document);
  await writeFile(join(cwd, ".spectral.yaml"), 'extends: ["spectral:oas"]\n');
  await writeFile(join(cwd, "picture.jpg"), await samplePicture(1));
  const binary = (name: string) => join(cwd, "node_modules/.bin", name);
  const results = new Map<string, string>();
  for (const [what, line] of Object.entries(STEPS)) {
    const [program = "", ...args] = line.split(" ");
    const failed = (error: { readonly stdout: string; readonly stderr: string }) =>
      `failed: ${error.stdout}${error.stderr}`;
    results.set(what, await run(binary(program), args, { cwd }).then(() => "works", failed));
  }
  const args = ["--import", import.meta.resolve("tsx"), "ask.ts", target, query, manager, "picture.jpg"];
  const asked = await run(process.execPath, args, { cwd });
  const seen: Record<string, { readonly statuses: readonly number[]; readonly works: boolean }> = JSON.parse(
    asked.stdout,
  );
  for (const [client, { statuses, works }] of Object.entries(seen))
    results.set(`a client of ${client}`, works ? "works" : `failed: ${statuses}`);

  const prism = async (upstream: string) => {
    const port = String(await freePort());
    const proxy = spawn(binary("prism"), ["proxy", "document.json", upstream, "--errors", "-p", port], {
      cwd,
    });
    const exited = once(proxy, "exit");
    await new Promise<void>((resolve, reject) => {
      proxy.stdout.on("data", (data) => String(data).includes("is listening") && resolve());
      exited.then(() => reject(new Error("prism ended")));
    });
    return { proxy, exited, url: `http://127.0.0.1:${port}` };
  };
  const proxies = await Promise.all([prism(target), prism(query)]);
  const [{ url: targetUrl }, { url: queryUrl }] = proxies;
  const client = new VuforiaClient(servers.addCloudDatabase(), targetUrl, queryUrl);
  const picture = await samplePicture(1);
  const said = async (asking: Promise<unknown>) =>
    asking.then(
      () => "works",
      (error) => `failed: ${error}`,
    );
  results.set("prism: an added target", await said(client.addTarget("poster", picture)));
  results.set("prism: the summary", await said(client.summary()));
  // It decodes a form's picture as text: this is not the client's body any more, which the mock says.
  const queried = await said(client.find(picture));
  const { cause } = servers.requests.at(-1) ?? {};
  const isExpected = queried.endsWith("query: 401 AuthenticationFailure") && cause?.code === "body.reencoded";
  results.set("prism: a query is refused, because prism encodes it again", isExpected ? "works" : queried);
  for (const { proxy, exited } of proxies) {
    proxy.kill();
    await exited;
  }
  return results;
}
