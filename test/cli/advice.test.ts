import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MockCloudReco, samplePicture } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { get } from "../support/answers.ts";
import { freePort } from "../support/free-ports.ts";
import { MockSession } from "../support/mock-session.ts";
import { type Environment, type RunningCommand, start, VARIABLES } from "./command.ts";

const ROLES = ["target-manager", "target-api", "query"];
const SILENT = { LOG_LEVEL: "silent", MOCK_CLOUD_RECO_LOG_LEVEL: "silent" };

let folder: string;
const running: RunningCommand[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "advice-"));
});
afterEach(async () => {
  await writeFile(join(folder, "ended"), "");
  for (const command of running.splice(0).reverse()) await command.stop();
  await rm(folder, { recursive: true });
});

const started = (args: readonly string[], environment: Environment): RunningCommand => {
  const command = start(args, { ...SILENT, ...environment });
  running.push(command);
  return command;
};

type Connection = Readonly<Record<string, string>>;

const fromLines = (text: string): Connection =>
  Object.fromEntries(text.split("\n").map((line) => line.split("=", 2)));

/** Starts the servers in each way that the guides name. Options go to each command that has them. */
const WAYS = {
  serve: async (args: readonly string[], environment: Environment): Promise<Connection> => {
    const file = join(folder, "env");
    await started(["serve", "--env", file, ...args], environment).printed();
    return fromLines(await readFile(file, "utf8"));
  },
  exec: async (args: readonly string[], environment: Environment): Promise<Connection> => {
    const [file, ended] = [join(folder, `env-${running.length}`), join(folder, "ended")];
    // It runs until the test has ended.
    const script = `const { existsSync, renameSync, writeFileSync } = require("node:fs");
      writeFileSync(process.argv[1] + "-", ${JSON.stringify(VARIABLES)}.map((name) => name + "=" + process.env[name]).join("\\n"));
      renameSync(process.argv[1] + "-", process.argv[1]);
      setInterval(() => existsSync(process.argv[2]) && process.exit(0), 20);`;
    started(["exec", ...args, "--", process.execPath, "-e", script, file, ended], {
      ...process.env,
      ...environment,
    });
    await vi.waitUntil(() => existsSync(file), 25_000);
    return fromLines(await readFile(file, "utf8"));
  },
  "each server alone": async (args: readonly string[], environment: Environment): Promise<Connection> => {
    const urls = { TARGET_MANAGER_BASE_URL: "" };
    const [manager, target, query] = await Promise.all(
      ROLES.map(async (role, index) => {
        const { printed: help } = await start([role, "--help"]).finished;
        const own = args.filter((_, at) => help.includes(`  ${args[at - (at % 2)]} `));
        if (index > 0) await vi.waitUntil(() => urls.TARGET_MANAGER_BASE_URL !== "", 25_000);
        const printed = await started([role, "--port", "0", ...own], { ...environment, ...urls }).printed();
        const url = printed.trim().split(" ")[1] ?? "";
        if (index === 0) urls.TARGET_MANAGER_BASE_URL = url;
        return url;
      }),
    );
    const database: Connection = JSON.parse(await (await manage(manager ?? "", "/cloud_databases")).text());
    const keys = ["server_access_key", "server_secret_key", "client_access_key", "client_secret_key"];
    return {
      VUFORIA_MANAGER_URL: manager ?? "",
      VUFORIA_TARGET_URL: target ?? "",
      VUFORIA_QUERY_URL: query ?? "",
      ...Object.fromEntries(keys.map((key) => [`VUFORIA_${key.toUpperCase()}`, database[key] ?? ""])),
    };
  },
} as const;

let poster: Buffer;
let other: Buffer;
beforeAll(async () => {
  [poster, other] = [await samplePicture(1), await samplePicture(2)];
});

const HOST = "shop.example.com";
const ORIGIN = "https://app.example";

interface Entry {
  readonly path: string;
  readonly reason: string | null;
  readonly considered: readonly { readonly why: string }[] | null;
}

/** What the servers say of requests that they refuse or answer in an unexpected way; undefined if all is well. */
async function complaints(connection: Connection) {
  const of = (name: string) => connection[`VUFORIA_${name}`] ?? "";
  const manager = of("MANAGER_URL");
  const host = await get(manager, { host: HOST });
  const origin = await get(manager, { origin: ORIGIN });
  const keys = {
    databaseId: "",
    databaseName: "",
    serverAccessKey: of("SERVER_ACCESS_KEY"),
    serverSecretKey: of("SERVER_SECRET_KEY"),
    clientAccessKey: of("CLIENT_ACCESS_KEY"),
    clientSecretKey: of("CLIENT_SECRET_KEY"),
  };
  const session = new MockSession({ urls: { target: of("TARGET_URL"), query: of("QUERY_URL") } }, keys);
  await session.add({ image: poster.toString("base64") });
  await manage(manager, "/finish_processing");
  await session.query(other);
  const { requests: entries }: { requests: readonly Entry[] } = JSON.parse(
    (await get(`${manager}/requests`)).text,
  );
  const entry = entries.findLast(({ path }) => path === "/v1/query");
  const why = entry?.considered?.[0]?.why;
  return {
    allowedHosts: host.status === 403 ? host.text : undefined,
    managerCorsOrigin: origin.status === 403 ? origin.text : undefined,
    queryMatcher: why?.includes("whole pictures") ? why : undefined,
    queryContentEncoding: entry?.reason ?? undefined,
  };
}

const manage = (manager: string, path: string) => fetch(manager + path, { method: "POST", body: "{}" });

const VALUES = {
  allowedHosts: HOST,
  managerCorsOrigin: ORIGIN,
  queryMatcher: "features",
  queryContentEncoding: "identity",
};
type Advised = keyof typeof VALUES;
const SOLVED = Object.fromEntries(Object.keys(VALUES).map((option) => [option, undefined]));

/** The option and the variable that a sentence names at its end, with the value that it names. */
function advisedBy(sentence: string | undefined, value: string) {
  const [, flag = "", variable = "", to = value] =
    /\bset (--[a-z-]+) or ([A-Z_]+)(?: to (\w+))?(?::|$)/.exec(sentence?.trim() ?? "") ?? [];
  expect({ flag, variable, to }, sentence).toEqual({
    flag: expect.stringMatching(/./),
    variable: expect.stringMatching(/./),
    to: value,
  });
  return { flag, variable, value };
}

describe.each(Object.entries(WAYS))("%s", (_, startServersBy) => {
  test("advises options and variables that have an effect", async () => {
    const told = await complaints(await startServersBy([], {}));
    const advised = (Object.keys(VALUES) as Advised[]).map((option) =>
      advisedBy(told[option], VALUES[option]),
    );
    const variables = advised.map(({ variable, value }) => [variable, value]);
    expect(await complaints(await startServersBy([], Object.fromEntries(variables)))).toEqual(SOLVED);
    const flags = advised.flatMap(({ flag, value }) => [flag, value]);
    expect(await complaints(await startServersBy(flags, {}))).toEqual(SOLVED);
  });
});

test.each([
  [["serve"], "--target-port", /--target-port or MOCK_CLOUD_RECO_TARGET_PORT$/],
  [["exec"], "--manager-port", /--manager-port or MOCK_CLOUD_RECO_MANAGER_PORT$/],
  [["target-manager"], "--port", /--port or PORT$/],
])("if a port is taken, %j names what it reads", async ([name = ""], flag, names) => {
  const taken = await freePort();
  const server = createServer().listen(taken, "127.0.0.1");
  await once(server, "listening");
  const program = name === "exec" ? ["--", process.execPath, "--version"] : [];
  const { code, complained } = await start([name, flag, String(taken), ...program], SILENT).finished;
  server.close();
  expect(code).toBe(1);
  expect(complained.trim()).toMatch(names);
});

describe("in process", () => {
  test("startServers advises its own options", async () => {
    await using servers = await startServers();
    const database = servers.addCloudDatabase();
    const keys = [
      ["SERVER_ACCESS", database.serverAccessKey],
      ["SERVER_SECRET", database.serverSecretKey],
      ["CLIENT_ACCESS", database.clientAccessKey],
      ["CLIENT_SECRET", database.clientSecretKey],
    ].map(([name, key]) => [`VUFORIA_${name}_KEY`, key]);
    const { target, query, manager } = servers.urls;
    const told = await complaints({
      VUFORIA_TARGET_URL: target,
      VUFORIA_QUERY_URL: query,
      VUFORIA_MANAGER_URL: manager,
      ...Object.fromEntries(keys),
    });
    expect(told).toEqual({
      allowedHosts: expect.stringMatching(/set the option allowedHosts$/),
      managerCorsOrigin: expect.stringMatching(/set the option managerCorsOrigin$/),
      queryMatcher: expect.stringMatching(/set the option queryMatcher to "features"$/),
      queryContentEncoding: expect.stringMatching(/set the option queryContentEncoding to "identity"/),
    });
    const port = Number(new URL(query).port);
    await expect(startServers({ ports: { query: port } })).rejects.toThrow(/with the option ports\.query$/);
  });

  test("the page of a mock advises no setting of servers", async () => {
    await using mock = new MockCloudReco();
    await using page = await mock.page.serve();
    const refused = [
      await get(page.url, { host: HOST }),
      await get(`${page.url}page/state`, { origin: ORIGIN }),
    ];
    expect(refused.map(({ status, text }) => [status, text])).toEqual([
      [403, expect.stringMatching(/is not a private-network name$/)],
      [403, expect.stringMatching(/another origin, "https:\/\/app\.example"$/)],
    ]);
    expect(JSON.parse((await get(`${page.url}page/state`)).text).advice.photographs).toBe(
      "set queryMatcher: featureMatcher, or define which pictures match: mappingMatcher([…])",
    );
  });
});

test("the page of a manager alone, which cannot know the matcher of its query servers, advises serve", async () => {
  const printed = await started(["target-manager", "--port", "0"], {}).printed();
  const { advice } = JSON.parse((await get(`${printed.trim().split(" ")[1]}/page/state`)).text);
  expect(advice.photographs).toBe("use the page of: mock-cloud-reco serve --query-image-matcher features");
});
