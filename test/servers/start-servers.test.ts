import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { request as httpsRequest } from "node:https";
import { networkInterfaces } from "node:os";
import { connect } from "node:tls";
import {
  authorizationHeader,
  exactMatcher,
  featureMatcher,
  MockCloudReco,
  perfectRater,
  rfc1123Date,
} from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { cert, key } from "../support/certificate.ts";
import { makePng } from "../support/png.ts";

describe("options", () => {
  test.each([
    ["cloudQueryFailure", { status: 500 }],
    ["modelTargetFailure", { status: 500 }],
    ["modelTargetGenerationFailure", {}],
    ["modelTargetGenerationWarning", {}],
    ["instanceGenerationFailure", "QuotaExceeded"],
    ["delay", async () => {}],
    ["unhandledRequests", "error"],
    ["targetUrl", "https://example.com"],
  ])("%s works in process only, and the error says so", async (name, value) => {
    const starting = startServers({ [name]: value });
    await expect(starting).rejects.toThrow(
      `Invalid options.${name}: expected nothing, because it works in process only, with new MockCloudReco(); got an option that servers do not support.`,
    );
    await expect(starting).rejects.toMatchObject({ name: "InvalidOptionError", option: `options.${name}` });
  });

  test.each([
    ["queryMatcher", featureMatcher, '"features"'],
    ["duplicatesMatcher", exactMatcher, '"exact"'],
    ["targetRater", perfectRater, '"perfect"'],
    ["queryMatcher", () => 1, "a name"],
    ["targetRater", exactMatcher, "a name"],
  ])("%s is a name; a function works in process only: %s", async (name, value, wanted) => {
    await expect(startServers({ [name]: value })).rejects.toThrow(
      `Invalid options.${name}: expected ${wanted}, because a function works in process only, with new MockCloudReco(); got a function.`,
    );
  });

  test("in process, a name of servers is answered by the function that is meant", () => {
    expect(() => new MockCloudReco({ queryMatcher: "features" } as object)).toThrow(
      'Invalid options.queryMatcher: expected featureMatcher: names are for servers; got "features".',
    );
  });

  test.each<[object, RegExp]>([
    [
      { queryMatcher: "blurry" },
      /options\.queryMatcher: expected "exact", "structural_similarity" or "features"; got "blurry"/,
    ],
    [
      { targetRater: "kind" },
      /options\.targetRater: expected "brisque", "features", "perfect" or "random"; got "kind"/,
    ],
    [
      { ports: { target: 70_000 } },
      /options\.ports\.target: expected a whole number from 0 to 65535; got 70000/,
    ],
    [
      { tls: null },
      /options\.tls: expected "generated", or an object with cert and key as PEM text; got null/,
    ],
    [{ tls: { cert: "c" } }, /options\.tls\.key: expected non-empty text; got nothing/],
    [
      { tls: true },
      /options\.tls: expected "generated", or an object with cert and key as PEM text; got true/,
    ],
    [
      { processingTimeSeconds: -1 },
      /options\.processingTimeSeconds: expected a number of seconds, 0 or more; got -1/,
    ],
    [{ serviceBaseUrl: "example.com" }, /No scheme supplied/],
    [{ except: [] }, /options\.except: expected no value here: move it, it is an option of test fixtures/],
    [{ colour: "red" }, /options\.colour: expected one of .*; got an unknown name/],
  ])("%j is refused", async (options, message) => {
    await expect(startServers(options)).rejects.toThrow(message);
  });

  test("a port that is taken is an error, and no server keeps running", async () => {
    await using servers = await startServers();
    const port = Number(new URL(servers.urls.query).port);
    const manager = await startServers();
    const free = Number(new URL(manager.urls.manager).port);
    await manager.stop();
    await expect(startServers({ ports: { query: port, manager: free } })).rejects.toThrow(
      /^the query server cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE.*; choose another port with the option ports\.query$/,
    );
    // The manager had started to listen there; its port is free again.
    await using again = await startServers({ ports: { manager: free } });
    expect(again.urls.manager).toBe(`http://127.0.0.1:${free}`);
  });
});

describe("the servers", () => {
  test("databases can be added, found and removed", async () => {
    await using servers = await startServers({ seed: 1 });
    const database = servers.addCloudDatabase({ databaseName: "shop", targetQuota: 3 });
    expect(() => servers.addCloudDatabase({ databaseName: "shop" })).toThrow(
      'a database with the databaseName "shop" already exists; it must be unique',
    );
    expect(servers.findCloudDatabase("shop")?.serverAccessKey).toBe(database.serverAccessKey);
    const listed = await (await fetch(`${servers.urls.manager}/cloud_databases`)).json();
    expect(listed).toMatchObject([{ database_name: "shop", target_quota: 3 }]);
    await servers.reset();
    expect(servers.findCloudDatabase("shop")).toBeUndefined();
  });

  test("VuMark databases can be added, and make instances", async () => {
    await using servers = await startServers();
    const added = servers.addVuMarkDatabase({ databaseName: "labels", targets: [{ name: "label" }] });
    expect(added.targets).toMatchObject([{ name: "label" }]);
    expect(() => servers.addVuMarkDatabase({ databaseName: "labels" })).toThrow(
      'the databaseName "labels" already exists',
    );
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = added;
    const [path, body] = [`/targets/${added.targets[0]?.targetId}/instances`, '{"instance_id":"1"}'];
    const [date, contentType, method] = [rfc1123Date(), "application/json", "POST"];
    const parts = { method, path, body, contentType, date };
    const authorization = authorizationHeader({ accessKey, secretKey, ...parts });
    const headers = { authorization, date, "content-type": contentType, accept: "image/svg+xml" };
    const response = await fetch(servers.urls.target + path, { method, headers, body });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("<svg")]);
  });

  test("use TLS with a generated certificate, also between each other", async () => {
    await using servers = await startServers({ tls: "generated" });
    const { urls, certificate: ca } = servers;
    const ask = (url: string) =>
      new Promise<string>((resolve, reject) => {
        httpsRequest(url, { ca }, (response) => {
          response.resume();
          resolve(`${response.statusCode} ${response.headers["content-type"] ?? ""}`);
        })
          .on("error", reject)
          .end();
      });
    expect(urls.target).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await ask(`${urls.manager}/cloud_databases`)).toBe("200 application/json");
    const viaName = urls.manager.replace("127.0.0.1", "localhost");
    expect(await ask(`${viaName}/cloud_databases`)).toBe("200 application/json");
    // An unknown report needs the manager.
    const parameters =
      "Security-Token=x&Algorithm=x&Date=20991121T104200Z&SignedHeaders=x&Credential=x&Expires=9&Signature=x";
    const query = parameters.replace(/(^|&)/g, "$1X-Storage-");
    expect(await ask(`${urls.target}/reports/a/b.csv?${query}`)).toBe("404 application/xml");
    await expect(fetch(`${urls.manager}/cloud_databases`)).rejects.toThrow();
  });

  test("answer pages of an allowed origin with CORS headers, and add none otherwise", async () => {
    await using closed = await startServers();
    expect([...(await fetch(closed.urls.target)).headers.keys()].join()).not.toMatch(/access-control/);
    await using servers = await startServers({ corsOrigin: "https://app.example" });
    const preflight = await fetch(`${servers.urls.query}/v1/query`, {
      method: "OPTIONS",
      headers: {
        Origin: "https://app.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,date",
      },
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      "access-control-allow-origin": "https://app.example",
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": "authorization,date",
    });
    const plain = await fetch(servers.urls.target, {
      method: "OPTIONS",
      headers: { Origin: "https://app.example", "Access-Control-Request-Method": "GET" },
    });
    expect(plain.headers.get("access-control-allow-methods")).toBe("GET");
    expect(plain.headers.has("access-control-allow-headers")).toBe(false);
    const response = await fetch(`${servers.urls.query}/v1/query`, { method: "POST" });
    expect(response.status).toBe(401);
    expect(response.headers.get("access-control-allow-origin")).toBe("https://app.example");
    // Without a requested method, OPTIONS is an unserved method.
    expect((await fetch(`${servers.urls.target}/targets`, { method: "OPTIONS" })).status).toBe(404);
  });

  test("have a certificate for the allowed names, and for each address of the machine", async () => {
    const allowedHosts = ["manager", ".shop.example"];
    await using servers = await startServers({ tls: "generated", host: "0.0.0.0", allowedHosts });
    const { port } = new URL(servers.urls.manager);
    const socket = connect({ host: "127.0.0.1", port: Number(port), ca: servers.certificate });
    await once(socket, "secureConnect");
    const read = new X509Certificate(socket.getPeerCertificate().raw);
    socket.destroy();
    for (const name of ["manager", "shop.example", "www.shop.example"])
      expect([name, read.checkHost(name)]).not.toEqual([name, undefined]);
    const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all);
    expect(addresses.length).toBeGreaterThan(0);
    for (const { address } of addresses)
      expect([address, read.checkIP(address)]).not.toEqual([address, undefined]);
  });

  test("use a given certificate", async () => {
    const tls = { cert, key };
    await using servers = await startServers({ tls });
    expect(servers.certificate).toBe(tls.cert);
    expect(servers.urls.query).toMatch(/^https:/);
  });

  test("log to standard error by default", async () => {
    const lines: string[] = [];
    vi.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
    onTestFinished(() => void vi.restoreAllMocks());
    await using servers = await startServers({ logLevel: "info", targetRater: "perfect" });
    await fetch(`${servers.urls.manager}/livez`);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ path: "/livez", status: 200 }]);
  });

  test("finish processing on request", async () => {
    await using servers = await startServers({ targetRater: "perfect" });
    const database = servers.addCloudDatabase({ databaseName: "shop" });
    const image_base64 = makePng().toString("base64");
    await fetch(`${servers.urls.manager}/cloud_databases/shop/targets`, {
      method: "POST",
      body: JSON.stringify({ name: "poster", width: 1, processing_time_seconds: 3600, image_base64 }),
    });
    expect(database.targets).toMatchObject([{ name: "poster", status: "processing" }]);
    servers.finishProcessing();
    expect(database.targets).toMatchObject([{ status: "success", trackingRating: 5 }]);
  });
});

test("who stops servers again waits until they have stopped", async () => {
  const servers = await startServers();
  let hasStopped = false;
  const stopping = servers.stop().then(() => {
    hasStopped = true;
  });
  await servers.stop();
  expect(hasStopped).toBe(true);
  await stopping;
  await servers.stop();
});

test("journalCapacity limits what requests has", async () => {
  await using servers = await startServers({ journalCapacity: 3 });
  for (let count = 0; count < 8; count += 1) await fetch(`${servers.urls.manager}/${count}`);
  expect(servers.requests.map(({ path }) => path)).toEqual(["/5", "/6", "/7"]);
});
