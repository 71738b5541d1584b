import { once } from "node:events";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { type OpenApiDocument, type OpenApiOptions, openApiDocument } from "mock-cloud-reco/openapi";
import { startServers } from "mock-cloud-reco/server";
import { describe, expect, it, test } from "vitest";
import { type RunningCommand, type Served, start } from "../cli/command.ts";
import { get } from "../support/answers.ts";

const ROUTE = "/internal/openapi.json";
const SILENT = { LOG_LEVEL: "silent", MOCK_CLOUD_RECO_LOG_LEVEL: "silent" };

const written = (options: OpenApiOptions) => JSON.parse(JSON.stringify(openApiDocument(options)));

it("the target manager serves the OpenAPI document, of either profile", async () => {
  await using servers = await startServers({ profile: "vuforia" });
  const { urls } = servers;
  const url = urls.manager + ROUTE;
  const own = await fetch(url);
  expect([own.status, own.headers.get("content-type")]).toEqual([200, "application/json"]);
  expect(await own.json()).toEqual(written({ profile: "vuforia", urls }));
  const neutral = await fetch(`${url}?profile=neutral`);
  expect(await neutral.json()).toEqual(written({ urls }));
  const unknown = await fetch(`${url}?profile=real`);
  expect([unknown.status, await unknown.text()]).toEqual([
    400,
    'profile: expected neutral or vuforia; got "real"',
  ]);
  expect((await fetch(url, { method: "POST" })).status).toBe(404);
});

/** A path of each API. */
const PATHS = {
  target: "/targets",
  query: "/v1/query",
  model_target: "/oauth2/token",
  manager: "/cloud_databases",
};

/** The base URL that a client built from the served document has for each API. */
async function urlsIn(manager: string, host?: string) {
  const answer = await get(manager + ROUTE, host === undefined ? {} : { host });
  const { paths }: OpenApiDocument = JSON.parse(answer.text);
  expect(answer.text).not.toContain("vuforia.com");
  return Object.fromEntries(
    Object.entries(PATHS).map(([api, path]) => {
      const servers = paths[path]?.servers;
      expect(servers?.length ?? 0).toBeLessThanOrEqual(1);
      return [api, servers?.[0]?.url];
    }),
  );
}

const overTls = async (url: URL, ca: string): Promise<string> => {
  const [response] = await once(request(url, { ca, agent: false }).end(), "response");
  return text(response);
};

const served = async (command: RunningCommand): Promise<Served["urls"]> =>
  JSON.parse(await command.printed()).urls;

describe("a client built from the served document reaches", () => {
  test.each([
    ["serve", []],
    ["serve without a page", ["--no-ui"]],
    ["serve over TLS", ["--tls-generate"]],
    ["serve with another URL for reports", ["--service-base-url", "https://reports.example"]],
  ])("the URLs that %s prints", async (_, flags) => {
    const isSecure = flags.includes("--tls-generate");
    const command = start(["serve", "--json", ...flags], SILENT);
    const printed: { urls: Served["urls"]; certificate: string | null } = JSON.parse(await command.printed());
    const url = new URL(ROUTE, printed.urls.manager);
    const { paths }: OpenApiDocument = JSON.parse(
      isSecure ? await overTls(url, String(printed.certificate)) : (await get(url)).text,
    );
    for (const [api, path] of Object.entries(PATHS))
      expect(paths[path]?.servers, api).toEqual([{ url: printed.urls[api as keyof Served["urls"]] }]);
    await command.stop();
  });

  test("each server by the host that was asked, if it listens on all addresses", async () => {
    const command = start(["serve", "--json", "--host", "0.0.0.0", "--query-host", "127.0.0.1"], SILENT);
    const urls = await served(command);
    const portOf = (url: string) => new URL(url).port;
    const by = (host: string) => ({
      target: `http://${host}:${portOf(urls.target)}`,
      query: urls.query,
      model_target: `http://${host}:${portOf(urls.target)}`,
      manager: `http://${host}:${portOf(urls.manager)}`,
    });
    expect(await urlsIn(urls.manager)).toEqual(urls);
    // Port 5002 of a container may be another one of its host.
    expect(await urlsIn(urls.manager, "mock.internal:8002")).toEqual(by("mock.internal"));
    expect(await urlsIn(urls.manager, "mock")).toEqual(by("mock"));
    expect(await urlsIn(urls.manager, "BUILD_7:80")).toEqual(by("build_7"));
    expect(await urlsIn(urls.manager, "[fd00::7]:1")).toEqual(by("[fd00::7]"));
    expect(await urlsIn(urls.manager, "")).toEqual(urls);
    expect((await get(urls.manager + ROUTE, { host: "evil.example" })).status).toBe(403);
    await command.stop();
  });

  test.each(["0.0.0.0", "::"])("%s is all addresses", async (host) => {
    await using servers = await startServers({ host });
    const { hostname, port } = new URL(servers.urls.target);
    expect(hostname).toBe("127.0.0.1");
    expect(await urlsIn(servers.urls.manager, "mock")).toMatchObject({ target: `http://mock:${port}` });
  });

  test("no server by another name, if each listens on one address", async () => {
    await using servers = await startServers();
    const { modelTarget, ...urls } = servers.urls;
    expect(await urlsIn(servers.urls.manager, "mock.internal")).toEqual({
      ...urls,
      model_target: modelTarget,
    });
  });

  test("nothing of which a manager alone does not know where it is", async () => {
    const command = start(["target-manager", "--port", "0"], SILENT);
    const [, url = ""] = (await command.printed()).trim().split(" ");
    const { paths, ...others } = JSON.parse((await get(url + ROUTE)).text);
    expect(others).not.toHaveProperty("servers");
    const { paths: all } = written({});
    expect(Object.keys(paths)).toEqual(Object.keys(all));
    for (const path of Object.values(paths)) expect(path).not.toHaveProperty("servers");
    expect(await urlsIn(url)).toEqual({});
    await command.stop();
  });
});
