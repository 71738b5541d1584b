import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { startTargetManager, type TargetManager } from "../../src/servers/target-manager.ts";
import { manage, sendSigned } from "../support/answers.ts";
import { openApiServer, resolvedBy } from "../support/separate-servers.ts";
import {
  keys,
  listen,
  named,
  options,
  optionsWith,
  servers,
  service,
  startForEach,
  waits,
} from "./three-servers.ts";

startForEach();

describe("while the target manager is away", () => {
  const summary = () => sendSigned(service(), keys, { method: "GET", path: "/summary" });
  let restarted: TargetManager | undefined;
  afterEach(async () => {
    await restarted?.kill();
    restarted = undefined;
  });
  const restart = async () => {
    const { port } = servers.manager;
    restarted = await startTargetManager({
      listen: { ...listen, port },
      options: options("http://localhost"),
      resolveApiServer: resolvedBy(options),
    });
  };

  test("requests that need it get 502 with a line of text, and work again when it is back", async () => {
    await manage(service(), "POST", "/cloud_databases", named);
    expect((await summary()).status).toBe(200);
    await servers.manager.kill();
    const answer = await summary();
    expect(answer.status).toBe(502);
    expect(answer.headers["content-type"]).toBe("text/plain");
    expect(answer.text).toMatch(/^the target manager at http:\/\/127\.0\.0\.1:\d+ cannot be reached: \w+$/);
    expect(waits.length).toBe(2);
    await restart();
    expect((await summary()).fields.result_code).toBe("Fail");
    await manage(service(), "POST", "/cloud_databases", named);
    expect((await summary()).status).toBe(200);
  });

  test("requests that need no state are answered", async () => {
    await servers.manager.kill();
    const { url } = servers.target;
    expect((await fetch(`${url}/nothing`)).status).toBe(404);
    expect((await fetch(`${url}/summary`)).status).toBe(401);
    expect((await fetch(`${servers.query.url}/v1/query`, { method: "POST" })).status).toBe(401);
    const datasets = await fetch(`${url}/modeltargets/datasets`, { method: "POST" });
    expect(datasets.status).toBe(401);
    const withKey = await fetch(`${servers.query.url}/v1/query`, {
      method: "POST",
      headers: { Authorization: "VWS some:signature" },
    });
    expect(withKey.status).toBe(502);
    expect(withKey.headers.get("content-encoding")).toBe("gzip");
    expect(withKey.headers.get("x-cloud-region")).toBe("us-east-2, us-west-2");
    expect(await withKey.text()).toMatch(/^the target manager at .* cannot be reached: \w+$/);
  });

  test.each(["datasets", "advancedDatasets"])(
    "%s are refused with a token of the emulator",
    async (family) => {
      const target = await openApiServer(
        "target-api",
        servers.manager.url,
        listen,
        optionsWith({ modelTargetTrainingAllowanceExceeded: true }),
      );
      onTestFinished(() => target.close(0));
      const tokenFor = async (scope: string) => {
        const headers = { Authorization: `Basic ${btoa("client-id:client-secret")}` };
        const body = new URLSearchParams({ scope });
        const granted = await fetch(`${target.url}/oauth2/token`, { method: "POST", headers, body });
        const { access_token }: { access_token: string } = JSON.parse(await granted.text());
        return access_token;
      };
      const [all, none] = [await tokenFor(""), await tokenFor("oauth2.clientcredentials.all")];
      await servers.manager.kill();
      const create = async (url: string, body: string, token = all, type = "application/json") => {
        const headers = { Authorization: `Bearer ${token}`, "Content-Type": type };
        return (await fetch(`${url}/modeltargets/${family}`, { method: "POST", headers, body })).status;
      };
      const model = { name: "m", cadDataUrl: "https://example.com/m.glb", views: [] };
      const valid = JSON.stringify({ name: "set", targetSdk: "10.18", models: [model] });
      const stateBased = JSON.stringify({ models: [{ stateBasedConfigurationJsonString: "{}" }] });
      const only = await tokenFor(
        family === "datasets"
          ? "modeltargets.standardmodeltarget.all"
          : "modeltargets.advancedmodeltarget.all",
      );
      expect({
        scope: await create(target.url, valid, none),
        contentType: await create(target.url, valid, all, "text/plain"),
        json: await create(target.url, "{"),
        stateBased: await create(target.url, stateBased, only),
        validation: await create(target.url, "{}"),
        allowance: await create(target.url, valid),
        // What needs the state.
        creation: await create(servers.target.url, valid),
        credentials: (
          await fetch(`${target.url}/oauth2/clientcredentials`, {
            headers: { Authorization: `Bearer ${all}` },
          })
        ).status,
      }).toEqual({
        scope: 403,
        contentType: 415,
        json: 400,
        stateBased: 403,
        validation: 400,
        allowance: 422,
        creation: 502,
        credentials: 502,
      });
    },
  );

  test("a server that starts before its manager works as soon as the manager runs", async () => {
    const early = await openApiServer("target-api", servers.manager.url, listen, options);
    try {
      await servers.manager.kill();
      const ask = () => fetch(`${early.url}/summary`, { headers: { Authorization: "VWS a:b" } });
      expect((await ask()).status).toBe(502);
      await restart();
      expect((await ask()).status).toBe(400);
    } finally {
      await early.close(0);
    }
  });
});

describe("what answers in the target manager's place", () => {
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  /** A query server with that manager, and a function that sends it a request that needs the manager. */
  const lostQueryServer = async (managerUrl: string, at = listen) => {
    const server = await openApiServer("query", managerUrl, at, options);
    ends.push(() => server.close(0));
    const ask = () =>
      fetch(`${server.url}/v1/query`, { method: "POST", headers: { Authorization: "VWS a:b" } });
    return { server, ask };
  };
  const standIn = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ends.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    return {
      server,
      url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    };
  };

  test("is the server itself: it gets 502 at the first response, without a loop", async () => {
    const free = await standIn(() => {});
    const { port } = new URL(free.url);
    await new Promise((resolve) => free.server.close(resolve));
    const { ask } = await lostQueryServer(free.url, { ...listen, port: Number(port) });
    const response = await ask();
    expect(response.status).toBe(502);
    expect(await response.text()).toBe(`${free.url} is not a target manager: it is this server itself`);
  });

  test("is another server, even one whose manager is this server: it gets 502, without a loop", async () => {
    const free = await standIn(() => {});
    const { port } = new URL(free.url);
    await new Promise((resolve) => free.server.close(resolve));
    const first = await lostQueryServer(free.url);
    const second = await openApiServer(
      "target-api",
      first.server.url,
      { ...listen, port: Number(port) },
      options,
    );
    ends.push(() => second.close(0));
    const response = await first.ask();
    expect(response.status).toBe(502);
    expect(await response.text()).toBe(`${free.url} is not a target manager: it is a target-api server`);
    const other = await fetch(`${second.url}/summary`, { headers: { Authorization: "VWS a:b" } });
    expect(await other.text()).toBe(`${first.server.url} is not a target manager: it is a query server`);
  });

  test.each([
    ["a web page", 200, { "Content-Type": "text/html; charset=utf-8" }, "it answered 200 with text/html"],
    ["a gate", 403, { "Content-Type": "text/plain" }, "it answered 403 with text/plain: ask the"],
    ["nothing", 204, {}, "it answered 204 with no content type"],
    [
      "a redirect",
      302,
      { Location: "https://user:word@sso.example/login?to=x" },
      "it redirects to https://sso.example/login",
    ],
  ])("is %s: the 502 describes it", async (_what, status, headers, said) => {
    const { url } = await standIn((_request, response) =>
      response.writeHead(status, headers).end(status === 403 ? "ask the\nadministrator" : ""),
    );
    const response = await (await lostQueryServer(url)).ask();
    expect(response.status).toBe(502);
    expect(await response.text()).toBe(`${url} is not a target manager: ${said}`);
  });
});

test("without a manager, a token that the emulator issued gets the refusals that need no state", async () => {
  const { url } = servers.target;
  await servers.manager.kill();
  const basic = Buffer.from("client-id:client-secret").toString("base64");
  const issued = await fetch(`${url}/oauth2/token`, {
    method: "POST",
    headers: { Authorization: `Basic ${basic}`, "Content-Type": "application/x-www-form-urlencoded" },
    body: "grant_type=client_credentials",
  });
  expect(issued.status).toBe(200);
  const { access_token }: { access_token: string } = JSON.parse(await issued.text());
  const create = async (type: string, body: string) => {
    const headers = { Authorization: `Bearer ${access_token}`, "Content-Type": type };
    return (await fetch(`${url}/modeltargets/datasets`, { method: "POST", headers, body })).status;
  };
  expect(await create("text/plain", "{}")).toBe(415);
  expect(await create("application/json", "{")).toBe(400);
  expect(await create("application/json", "{}")).toBe(400);
  const status = await fetch(`${url}/modeltargets/datasets/0a/status`, {
    headers: { Authorization: `Bearer ${access_token}` },
  });
  expect(status.status).toBe(502);
});

test("API servers keep nothing: a manager that starts again answers through them at once", async () => {
  await manage(service(), "POST", "/cloud_databases", named);
  const summary = async () => (await sendSigned(service(), keys, { method: "GET", path: "/summary" })).status;
  expect(await summary()).toBe(200);
  await manage(service(), "POST", "/reset");
  expect(await summary()).toBe(400);
});
