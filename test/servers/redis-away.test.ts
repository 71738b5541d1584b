import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer as createNetServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { Redis } from "iovalkey";
import { describe, expect, onTestFinished, test } from "vitest";
import { start } from "../cli/command.ts";
import { manage, sendSigned } from "../support/answers.ts";
import { authority, cert, key } from "../support/certificate.ts";
import { freePort } from "../support/free-ports.ts";
import { makePng } from "../support/png.ts";
import { reached } from "../support/reached.ts";
import { startRedis, whyNoRedis } from "../support/redis-server.ts";
import {
  add,
  address,
  body,
  keys,
  named,
  opened,
  redis,
  started,
  startForAll,
  starting,
} from "./with-redis.ts";

test("another kind of URL is refused, without showing its password", async () => {
  const state = { STATE_URL: "http://user:hidden@state:6379", STATE_PREFIX: "a b" };
  expect(await start(["target-manager"], state).finished).toMatchObject({
    code: 2,
    complained:
      "mock-cloud-reco: STATE_URL: expected a redis:// or rediss:// URL, such as redis://state:6379; got a value that is not shown\n" +
      'mock-cloud-reco: STATE_PREFIX: expected letters, digits, dots, hyphens and underscores; got "a b"\n',
  });
});

test("a state file beside Redis is refused", async () => {
  const both = { STATE_URL: "redis://state:6379", STATE_FILE: "state.json" };
  expect(await start(["target-manager"], both).finished).toMatchObject({
    code: 2,
    complained: "mock-cloud-reco: STATE_FILE: remove it; STATE_URL already says where the state is kept\n",
  });
  const prefixed = { MOCK_CLOUD_RECO_STATE_URL: both.STATE_URL };
  expect(await start(["serve", "--state", both.STATE_FILE], prefixed).finished).toMatchObject({
    code: 2,
    complained:
      "mock-cloud-reco: --state: remove it; MOCK_CLOUD_RECO_STATE_URL already says where the state is kept\n",
  });
});

describe.skipIf(whyNoRedis !== undefined)("servers whose Redis cannot be used", () => {
  startForAll();

  test("while Redis is unavailable, requests get 502 with a line of text, and the state is there when it is back", async () => {
    const [first] = (await opened()).at;
    if (first === undefined) throw new Error("no servers");
    await manage(first, "POST", "/cloud_databases", named);
    const added = await sendSigned(first, keys, add);
    await redis.kill();
    const away = await sendSigned(first, keys, { method: "GET", path: "/targets" });
    expect(away.status).toBe(502);
    expect(away.text).toMatch(/^the state at redis:\/\/127\.0\.0\.1:\d+ cannot be used: .+$/);
    expect(away.text).not.toMatch(/writeable|Queue/);
    await redis.restart();
    await expect
      .poll(async () => (await sendSigned(first, keys, { method: "GET", path: "/targets" })).fields, {
        timeout: 10_000,
      })
      .toMatchObject({ results: [added.fields.target_id] });
  });

  test("a wrong password stops the start, naming the setting and not the password", async () => {
    const client = new Redis(redis.url);
    await client.call("ACL", "SETUSER", "someone", "on", ">right", "~*", "+@all");
    const { port } = new URL(redis.url);
    const wrong = address(`redis://someone:hidden@127.0.0.1:${port}`);
    const { complained } = await starting("target-manager", wrong).finished;
    expect(complained).toContain(`redis://127.0.0.1:${port} rejects the user or the password`);
    expect(complained).not.toContain("hidden");
    client.disconnect();
  });

  test("when Redis is full, changes get 502 that says so, and work again later", async () => {
    const [first] = (await opened()).at;
    if (first === undefined) throw new Error("no servers");
    await manage(first, "POST", "/cloud_databases", named);
    const limits = { request_rate_limits: { other: { max_requests: 100, window_seconds: 1 } } };
    const limited = {
      ...limits,
      database_name: "other",
      server_access_key: "other",
      server_secret_key: "hidden",
    };
    const other = await manage(first, "POST", "/cloud_databases", limited);
    const inOther = { serverAccessKey: "other", serverSecretKey: "hidden" };
    const image = makePng({ width: 21 }).toString("base64");
    expect([other.status, other.text]).toEqual([201, expect.anything()]);
    const { target_id } = (await sendSigned(first, inOther, { ...add, body: { ...body, image } })).fields;
    // It delays only what is done: the 502 says at once that nothing was.
    const fault = { operation: "addTarget", delay_seconds: 3600, times: 1 };
    expect((await manage(first, "POST", "/faults", fault)).status).toBe(201);
    const client = new Redis(redis.url);
    try {
      await client.config("SET", "maxmemory", "1");
      const path = `/targets/${target_id}`;
      expect((await sendSigned(first, inOther, { method: "DELETE", path })).status).toBe(200);
      expect((await sendSigned(first, inOther, { method: "GET", path })).status).toBe(404);
      const deleted = await manage(first, "DELETE", "/cloud_databases/other");
      expect([deleted.status, deleted.text]).toEqual([200, ""]);
      const refused = await sendSigned(first, keys, add);
      expect([refused.status, refused.text]).toEqual([
        502,
        expect.stringMatching(/^the state at .* cannot be used: OOM command not allowed/),
      ]);
    } finally {
      await client.config("SET", "maxmemory", "0");
      client.disconnect();
    }
    expect((await sendSigned(first, keys, add)).status).toBe(201);
  });

  test("when an image is gone from Redis, what needs it gets 502 that names the target, and all else works", async () => {
    const state = address();
    const [first, second] = (await opened(state)).at;
    if (first === undefined || second === undefined) throw new Error("no servers");
    await manage(first, "POST", "/cloud_databases", named);
    const other = { serverAccessKey: "other", serverSecretKey: "hidden" };
    const otherNamed = { database_name: "other", server_access_key: "other", server_secret_key: "hidden" };
    expect((await manage(first, "POST", "/cloud_databases", otherNamed)).status).toBe(201);
    const id = (await sendSigned(first, keys, add)).fields.target_id;
    const client = new Redis(redis.url);
    onTestFinished(() => client.disconnect());
    expect(await client.del(await client.keys(`{${state.STATE_PREFIX}}:image:*`))).toBe(1);

    const change = () =>
      sendSigned(second, keys, { method: "PUT", path: `/targets/${id}`, body: { width: 2 } });
    const refused = await change();
    expect([refused.status, refused.text]).toEqual([
      502,
      `the image of the target "poster" (${id}) is missing in Redis, where it was deleted or evicted; send the image again, or delete the target`,
    ]);
    const image = makePng({ width: 21 }).toString("base64");
    const another = { ...add, body: { ...body, name: "another", image } };
    const added = await sendSigned(second, keys, another);
    expect(added.status).toBe(201);
    const path = `/targets/${added.fields.target_id}`;
    expect((await sendSigned(second, keys, { method: "PUT", path, body: { width: 2 } })).status).toBe(200);
    expect((await sendSigned(second, other, { ...add, body: { ...body, image } })).status).toBe(201);
    // As the message says.
    const again = { method: "PUT", path: `/targets/${id}`, body: { image: body.image } } as const;
    expect((await sendSigned(second, keys, again)).status).toBe(200);
    expect((await change()).status).toBe(200);
    const stored = await client.keys(`{${state.STATE_PREFIX}}:image:*`);
    expect(await Promise.all(stored.map((key) => client.ttl(key)))).toEqual([-1, -1]);

    await client.del(stored);
    expect((await change()).status).toBe(200); // Second sent the image, so it can store it again.
    expect((await sendSigned(first, keys, { method: "DELETE", path })).status).toBe(200);
    expect((await manage(second, "POST", "/reset")).status).toBe(200);
    expect((await sendSigned(first, keys, add)).status).not.toBe(502);
  });

  test("an address where something else listens gets 502 with one line", async () => {
    const other = createHttpServer((_, response) => response.end("hello"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const place = other.address();
    const port = typeof place === "object" ? place?.port : 0;
    const state = address(`redis://127.0.0.1:${port}`);
    const manager = await started("target-manager", state);
    const server = await started("target-api", { TARGET_MANAGER_BASE_URL: manager });
    const away = await sendSigned(reached(server, "", ""), keys, { method: "GET", path: "/targets" });
    expect([away.status, away.text]).toEqual([
      502,
      expect.stringMatching(/^the state at redis:\/\/127\.0\.0\.1:\d+ cannot be used: [^\n]+$/),
    ]);
    other.closeAllConnections();
    other.close();
  });

  test("servers that start before Redis recover by themselves, and then refuse a state of another version", async () => {
    const state = address();
    await redis.kill();
    const [first] = (await opened(state)).at;
    if (first === undefined) throw new Error("no servers");
    expect((await manage(first, "GET", "/cloud_databases")).status).toBe(502);
    await redis.restart();
    await expect
      .poll(async () => (await manage(first, "POST", "/cloud_databases", named)).status, { timeout: 10_000 })
      .toBe(201);
    const client = new Redis(redis.url);
    await client.set(`{${state.STATE_PREFIX}}:format`, "1");
    client.disconnect();
    const refused = await sendSigned(first, keys, add);
    expect([refused.status, refused.text]).toEqual([
      502,
      expect.stringMatching(/^the state at redis:\S+ has version 1; expected version 2$/),
    ]);
    expect((await starting("target-manager", state).finished).complained).toMatch(
      /the state at redis:\S+ has version 1; expected version 2\n$/,
    );
  });

  test("rediss:// to a port without TLS says so, whether the server waits or answers", async () => {
    // Redis takes the handshake for a command, which may not have ended.
    const server = createNetServer((socket) => {
      socket.on("error", () => {}).once("data", () => socket.end("-ERR unknown command\r\n"));
    }).listen(0, "127.0.0.1");
    const silent = createNetServer((socket) => socket.on("error", () => {}).resume()).listen(0, "127.0.0.1");
    onTestFinished(() => {
      server.close();
      silent.close();
    });
    for (const one of [server, silent]) {
      if (!one.listening) await once(one, "listening");
      const { port }: AddressInfo = Object(one.address());
      const url = `rediss://127.0.0.1:${port}`;
      const [manager] = (await opened(address(url))).at;
      if (manager === undefined) throw new Error("no servers");
      expect((await manage(manager, "GET", "/cloud_databases")).text).toBe(
        `the state at ${url} cannot be used: there is no connection to it: ` +
          "it does not answer with TLS; if the port has no TLS, use redis://",
      );
    }
  });

  test("rediss:// encrypts, with a certificate that it is told to trust", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tls-"));
    await writeFile(join(folder, "ca.pem"), authority);
    await writeFile(join(folder, "cert.pem"), cert);
    await writeFile(join(folder, "key.pem"), key);
    const port = await freePort();
    const files = ["--tls-cert-file", join(folder, "cert.pem"), "--tls-key-file", join(folder, "key.pem")];
    const encrypted = await startRedis("--tls-port", String(port), "--tls-auth-clients", "no", ...files);
    onTestFinished(async () => {
      await encrypted.close();
      await rm(folder, { recursive: true });
    });
    const url = `rediss://127.0.0.1:${port}`;
    const [trusting] = (await opened({ ...address(url), STATE_CERT_FILE: join(folder, "ca.pem") })).at;
    if (trusting === undefined) throw new Error("no servers");
    expect((await manage(trusting, "POST", "/cloud_databases", named)).status).toBe(201);
    const told = async (certificate: { STATE_CERT_FILE?: string }) => {
      const [manager] = (await opened({ ...address(url), ...certificate })).at;
      return manager && (await manage(manager, "GET", "/cloud_databases")).text;
    };
    const noConnection = `the state at ${url} cannot be used: there is no connection to it: `;
    expect(await told({})).toBe(`${noConnection}self-signed certificate in certificate chain`);
    await writeFile(join(folder, "another.pem"), rootCertificates[0] ?? "");
    const another = { STATE_CERT_FILE: join(folder, "another.pem") };
    expect(await told(another)).toMatch(/no connection to it: .*certificate/);
  });
});
