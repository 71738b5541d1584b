import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createSecureServer } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServers } from "mock-cloud-reco/server";
import { expect, onTestFinished, test, vi } from "vitest";
import { generateCertificate } from "../../src/servers/certificate.ts";
import { wireClient } from "../../src/verify/client.ts";
import { differences } from "../../src/verify/template.ts";
import { useBundle } from "../support/use-bundle.ts";

const main = useBundle();

/** Runs the facts about protocols in a process of its own, which trusts a certificate. */
function verify(url: string, certificate: string, keys: Readonly<Record<string, string>>) {
  const file = join(mkdtempSync(join(tmpdir(), "verify-")), "ca.pem");
  writeFileSync(file, certificate);
  const only = ["--only", "target-http-2,target-database-summary", "--profile", "neutral"];
  const args = [main(), "verify", "--target-url", url, ...only];
  const env = { ...process.env, ...keys, NODE_EXTRA_CA_CERTS: file };
  return new Promise<string>((resolve) => {
    execFile(process.execPath, args, { env }, (_error, printed, complained) => resolve(printed + complained));
  });
}

test("the servers choose HTTP/1.1 when a client offers HTTP/2 too", async () => {
  await using servers = await startServers({ tls: "generated" });
  const { serverAccessKey, serverSecretKey } = servers.addCloudDatabase();
  const keys = { SERVER_ACCESS_KEY: serverAccessKey, SERVER_SECRET_KEY: serverSecretKey };
  const report = await verify(servers.urls.target, servers.certificate ?? "", keys);
  expect(report).toMatch(/^all +2 +0 +0$/m);
});

test("a service that chooses HTTP/2 differs in that", async () => {
  const { cert, key, authority } = generateCertificate();
  const server = createSecureServer({ cert, key, allowHTTP1: true }, (_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = Object(server.address());
    const keys = { SERVER_ACCESS_KEY: "access", SERVER_SECRET_KEY: "secret" };
    const report = await verify(`https://127.0.0.1:${port}`, authority, keys);
    expect(report).toMatch(
      /DIFFERS {2}target-http-2 .*\n.*\n +expected +got\n +protocol +"http\/1\.1" +"h2"\n/,
    );
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

test("a service that answers without 100 Continue differs in that", async () => {
  const server = createServer((_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = Object(server.address());
    const found = async () => {
      const request = {
        method: "POST",
        path: "/",
        headers: { Expect: "100-continue" },
        body: Buffer.from("x"),
      };
      const response = await wireClient(10)(`http://127.0.0.1:${port}`, request);
      return differences({ status: 200, body: "", continued: true }, response);
    };
    expect(await found()).toEqual([]);
    server.on("checkContinue", (_request, response) => response.end());
    expect(await found()).toEqual([{ what: "100 Continue", expected: "sent", got: "(none)" }]);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** What a request that expects 100 gets from a service, which moves the client's timers. */
async function expectingContinue(listener: RequestListener) {
  const server = createServer().on("checkContinue", listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
    server.close();
  });
  const request = { method: "POST", path: "/", headers: { Expect: "100-continue" }, body: Buffer.from("x") };
  return wireClient(30)(`http://127.0.0.1:${Object(server.address()).port}`, request);
}

test("a service may take longer for 100 Continue than a client waits for it", async () => {
  const response = await expectingContinue((request, response) => {
    request.once("data", () => {
      response.writeContinue();
      response.end("late");
    });
    vi.advanceTimersByTime(2000);
  });
  expect(response).toMatchObject({ status: 200, continued: true });
});

test("what arrived while this process was stalled is read before it is given up", async () => {
  const response = await expectingContinue((_request, response) => {
    response.writeContinue();
    // All times are over before the client reads it: timers run after this turn of the event loop, and before data is read.
    response.end("whole", () => setImmediate(() => vi.advanceTimersByTime(30_000)));
  });
  expect(response).toMatchObject({ status: 200, continued: true, body: Buffer.from("whole") });
});
