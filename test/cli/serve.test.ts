import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { freePorts } from "../support/free-ports.ts";
import { type Served, start, summary } from "./command.ts";

describe("serve", () => {
  test("--json prints one line for scripts, with a database that works", async () => {
    const command = start(["serve", "--json"]);
    const served: Served = JSON.parse(await command.printed());
    const { server_access_key, server_secret_key, database_name } = served.database;
    const response = await summary(served.urls.target, server_access_key, server_secret_key);
    expect(await response.json()).toMatchObject({ result_code: "Success", name: database_name });
    expect(database_name).toBe("database-1");
    const { code, printed, complained } = await command.stop();
    expect(code).toBe(0);
    expect(printed.match(/\n/g)).toHaveLength(1);
    expect(JSON.parse(complained)).toMatchObject({ server: "target-api", status: 200 });
    await expect(fetch(served.urls.target)).rejects.toThrow();
  });

  test.each([
    [{}, true, /^<ESC>\[2m\d\d:\d\d:\d\d<ESC>\[0m GET {5}\/summary <ESC>\[33m401 \w+<ESC>\[0m {2}\w+: .+\n$/],
    [{ NO_COLOR: "1" }, true, /^\d\d:\d\d:\d\d GET {5}\/summary 401 \w+ {2}\w+: .+\n$/],
    [{ MOCK_CLOUD_RECO_LOG_FORMAT: "text" }, false, /^\d\d:\d\d:\d\d GET {5}\/summary 401 \w+ {2}\w+: .+\n$/],
    [{ MOCK_CLOUD_RECO_LOG_FORMAT: "json" }, true, /^\{"time":.*"status":401,.*\}\n$/],
    [{}, false, /^\{"time":.*"status":401,.*\}\n$/],
  ])("with %o and a terminal: %o, a request has one line", async (environment, isTerminal, line) => {
    const command = start(["serve", "--json"], environment, { isTerminal });
    const { urls }: Served = JSON.parse(await command.printed());
    await fetch(`${urls.target}/summary`);
    expect((await command.stop()).complained.replaceAll("\u001b", "<ESC>")).toMatch(line);
  });

  test("ends with exit code 1 and a line when the state file cannot be written", async () => {
    const folder = await mkdtemp(join(tmpdir(), "serve-"));
    const file = join(folder, "state.json");
    const command = start(["serve", "--state", file], { MOCK_CLOUD_RECO_LOG_LEVEL: "silent" });
    await command.printed();
    // A state that is written meanwhile makes the folder not empty.
    await rm(folder, { recursive: true, maxRetries: 3 });
    const { code, complained } = await command.stop();
    expect(code).toBe(1);
    expect(complained).toMatch(/^(?:[^\n]+\n)+$/);
    expect(complained).toContain(`the state file ${file} cannot be written: its folder does not exist`);
  });

  test("takes an empty address of one server for none, as in settings", async () => {
    const command = start(["serve", "--json", "--target-host", "", "--host", "127.0.0.3"]);
    const { urls }: Served = JSON.parse(await command.printed());
    expect(new URL(urls.target).hostname).toBe("127.0.0.3");
    expect((await command.stop()).code).toBe(0);
  });

  test("opens the page, whose address it prints", async () => {
    const command = start(["serve", "--open"], { MOCK_CLOUD_RECO_LOG_LEVEL: "silent" });
    const [, url = ""] = /web page +(\S+)/.exec(await command.printed()) ?? [];
    const page = await fetch(url, { headers: { accept: "text/html" } });
    expect(page.headers.get("content-type")).toMatch(/^text\//);
    expect((await command.stop()).opened).toEqual([url]);
  });

  test.each([
    [["serve", "--no-ui"], {}],
    [["serve"], { MOCK_CLOUD_RECO_UI: "false" }],
  ])("%s with %o serves no page", async (args, environment) => {
    const command = start(args, { MOCK_CLOUD_RECO_LOG_LEVEL: "silent", ...environment });
    const printed = await command.printed();
    expect(printed).not.toContain("web page");
    const [, manager = ""] = /target manager +(\S+)/.exec(printed) ?? [];
    expect((await fetch(manager, { headers: { accept: "text/html" } })).status).toBe(404);
    expect((await fetch(`${manager}/page/events`)).status).toBe(404);
    const { code, opened } = await command.stop();
    expect({ code, opened }).toEqual({ code: 0, opened: [] });
  });

  test.each([
    [["serve", "--open", "--no-ui"], {}],
    [["serve", "--open"], { MOCK_CLOUD_RECO_UI: "false" }],
  ])("%s with %o is refused", async (args, environment) => {
    const { code, complained, opened } = await start(args, environment).finished;
    expect(code).toBe(2);
    expect(complained).toContain("there is no page to open");
    expect(opened).toEqual([]);
  });

  test("prints URLs and keys as readable text", async () => {
    const command = start(["serve"], { MOCK_CLOUD_RECO_LOG_LEVEL: "silent" });
    const printed = await command.printed();
    expect(printed).toMatch(/^target API {9}http:\/\/127\.0\.0\.1:\d+$/m);
    expect(printed).toMatch(/^query API {10}http:\/\/127\.0\.0\.1:\d+$/m);
    expect(printed).toMatch(/^server access key {2}[0-9a-f]{32}$/m);
    expect(printed).toMatch(/^client secret key {2}[0-9a-f]{32}$/m);
    expect(printed).not.toContain("NO_PROXY");
    expect(await command.stop()).toMatchObject({ code: 0, complained: "" });
  });

  test("says below the URLs how clients go without the proxy of the environment", async () => {
    const environment = { MOCK_CLOUD_RECO_LOG_LEVEL: "silent", http_proxy: "http://proxy.example:3128" };
    const command = start(["serve"], environment);
    expect(await command.printed()).toMatch(
      /^web page .*\nfor clients {8}NO_PROXY=127\.0\.0\.1 \(they have a proxy\)\n\ndatabase /m,
    );
    await command.stop();
  });

  test("settings reach the servers", async () => {
    const command = start(["serve", "--json"], {
      MOCK_CLOUD_RECO_SERVICE_PROFILE: "vuforia",
      MOCK_CLOUD_RECO_LOG_LEVEL: "silent",
    });
    const { urls }: Served = JSON.parse(await command.printed());
    expect((await fetch(`${urls.target}/summary`)).headers.has("x-aws-region")).toBe(true);
    await command.stop();
  });

  test("reads the three servers' names too, and warns of those that it cannot use", async () => {
    const environment = {
      SERVICE_PROFILE: "vuforia",
      PROCESSING_TIME_SECONDS: "soon",
      TLS_GENERATE: "true",
      HOST: "0.0.0.0",
      LOG_LEVEL: "silent",
    };
    const command = start(["serve", "--json"], environment);
    const { urls }: Served = JSON.parse(await command.printed());
    expect((await fetch(`${urls.target}/summary`)).headers.has("x-aws-region")).toBe(true);
    const { code, complained } = await command.stop();
    expect(code).toBe(0);
    const lines = complained.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: "warn",
        message: expect.stringMatching(
          /^PROCESSING_TIME_SECONDS: expected .*; got "soon"; ignored: the default/,
        ),
      },
      { level: "warn", message: "serve does not read TLS_GENERATE (it reads MOCK_CLOUD_RECO_TLS_GENERATE)" },
      { status: 401 },
    ]);
    const alone = await start(["target-manager"], { PROCESSING_TIME_SECONDS: "soon" }).finished;
    expect(alone).toMatchObject({ code: 2, complained: expect.stringContaining('got "soon"') });
    const readable = start(["serve"], { ...environment, MOCK_CLOUD_RECO_LOG_FORMAT: "text" });
    await readable.printed();
    expect((await readable.stop()).complained).toMatch(
      /^mock-cloud-reco: PROCESSING_TIME.*\n.*: serve does not/,
    );
  });

  test.each([
    [[], { MOCK_CLOUD_RECO_REALISM: '{"gatewayErrorRate": 1}' }],
    [["--realism", '{"gatewayErrorRate": 1}'], {}],
  ])("realism too: %j %j", async (args, environment) => {
    const command = start(["serve", "--json", ...args], {
      MOCK_CLOUD_RECO_LOG_LEVEL: "silent",
      ...environment,
    });
    const { urls }: Served = JSON.parse(await command.printed());
    const asked = fetch(`${urls.target}/oauth2/token`, { method: "POST" });
    const answer = await asked.then(
      ({ status }) => status,
      () => "no response",
    );
    expect([502, 503, 504, "no response"]).toContain(answer);
    await command.stop();
  });

  test("each port is a setting and an option, and the option wins", async () => {
    const [target = 0, query = 0, manager = 0, taken = 0] = await freePorts(4);
    const environment = {
      TARGET_PORT: String(target),
      MOCK_CLOUD_RECO_QUERY_PORT: String(query),
      QUERY_PORT: String(taken),
      MANAGER_PORT: String(taken),
      MOCK_CLOUD_RECO_LOG_LEVEL: "silent",
    };
    const command = start(["serve", "--json", "--manager-port", String(manager)], environment);
    const { urls }: Served = JSON.parse(await command.printed());
    const ports = [urls.target, urls.query, urls.manager].map((url) => Number(new URL(url).port));
    expect(ports).toEqual([target, query, manager]);
    await command.stop();
    expect(await start(["serve"], { QUERY_PORT: "x" }).finished).toMatchObject({
      code: 2,
      complained: expect.stringContaining("QUERY_PORT: expected a whole number from 0 to 65535"),
    });
  });

  test("--seed prints the first database of the file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "seed-"));
    try {
      const seed = join(folder, "seed.json");
      await writeFile(seed, JSON.stringify({ cloud_databases: [{ database_name: "shop" }] }));
      const command = start(["serve", "--json", "--seed", seed]);
      const { urls, database }: Served = JSON.parse(await command.printed());
      expect(database.database_name).toBe("shop");
      expect(await (await fetch(`${urls.manager}/cloud_databases`)).json()).toHaveLength(1);
      await command.stop();
      await writeFile(seed, "{");
      expect(await start(["serve", "--seed", seed]).finished).toMatchObject({
        code: 2,
        complained: expect.stringContaining("seed.json: "),
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("exits with code 1 when a port is taken", async () => {
    const command = start(["serve", "--json"]);
    const { urls }: Served = JSON.parse(await command.printed());
    const { code, complained } = await start(["serve", "--query-port", new URL(urls.query).port]).finished;
    expect(code).toBe(1);
    expect(complained).toMatch(
      /^mock-cloud-reco: the query server cannot listen on .*EADDRINUSE.*--query-port/,
    );
    await command.stop();
  });
});
