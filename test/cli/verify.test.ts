import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Servers, startServers } from "mock-cloud-reco/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run as runCommand } from "../../src/cli/run.ts";
import { isJsonObject } from "../../src/schema/kernel/values.ts";
import { type Finished, start } from "./command.ts";

const FILES = mkdtempSync(join(tmpdir(), "verify-"));
const file = (name: string): string => join(FILES, name);

/** A recording whose fact has no response. */
const MALFORMED = file("malformed.json");
writeFileSync(
  MALFORMED,
  JSON.stringify({
    ...{ format: "mock-cloud-reco recording", version: 1, profile: "neutral" },
    facts: { "target-list": { result: "holds" } },
  }),
);

const EMPTY = file("empty.json");
writeFileSync(
  EMPTY,
  JSON.stringify({
    ...{ format: "mock-cloud-reco recording", version: 1, profile: "vuforia" },
    ...{ recorded: "2026-11-21T10:42:05.000Z", facts: {} },
  }),
);

let servers: Servers;
beforeAll(async () => {
  servers = await startServers({ profile: "vuforia", processingTimeSeconds: 2 });
});
afterAll(() => servers?.stop());

const keysOf = (database: ReturnType<Servers["addCloudDatabase"]>) => ({
  SERVER_ACCESS_KEY: database.serverAccessKey,
  SERVER_SECRET_KEY: database.serverSecretKey,
  CLIENT_ACCESS_KEY: database.clientAccessKey,
  CLIENT_SECRET_KEY: database.clientSecretKey,
  MODEL_TARGET_CLIENT_ID: "client-id",
  MODEL_TARGET_CLIENT_SECRET: "client-secret",
});

const urls = (): string[] => ["--target-url", servers.urls.target, "--query-url", servers.urls.query];
const verify = (...args: readonly string[]) => start(["verify", ...urls(), ...args]).finished;
const manager = (): string[] => ["--manager-url", servers.urls.manager];
interface ListedDatabase {
  readonly database_name: string;
  readonly targets: readonly { readonly target_id: string; readonly delete_date_optional: unknown }[];
}
const databases = async () =>
  (await (await fetch(`${servers.urls.manager}/cloud_databases`)).json()) as readonly ListedDatabase[];

describe("mock-cloud-reco verify", () => {
  test("finds that its own servers are as it says, with a database of its own that it removes", async () => {
    const before = await databases();
    const only = [
      "--only",
      "target-order-2*,target-add,target-delete*,query-1-*,query-gzip,model-target-token-*,target-9*",
    ];
    const { code, printed, complained } = await verify(...manager(), "--write", ...only);
    expect(printed).not.toMatch(/DIFFERS|NOT TRIED|NOT REMOVED/);
    expect({ code, complained }).toEqual({ code: 0, complained: "" });
    expect(printed).toMatch(/^all +\d{2,} +0 +0$/m);
    expect(await databases()).toEqual(before);
  }, 240_000);

  test("reads only, unless told otherwise, and says what it did not try and why", async () => {
    const database = servers.addCloudDatabase();
    writeFileSync(
      file("keys"),
      Object.entries(keysOf(database))
        .map(([name, value]) => `${name}=${value}\n`)
        .join(""),
    );
    const args = ["--keys", file("keys"), "--only", "target-add,target-9-*,target-4-*", "--json"];
    const { code, printed } = await verify(...args);
    const { counts, facts } = JSON.parse(printed);
    expect(code).toBe(0);
    expect(counts).toEqual({ holds: 3, differs: 0, notTried: 5 });
    const why = new Set(facts.flatMap((fact: { why?: string }) => fact.why ?? []));
    expect([...why]).toEqual(["needs --write"]);
    expect(
      (await databases()).find(({ database_name: name }) => name === database.databaseName)?.targets,
    ).toEqual([]);
    const needs = await verify(...args, "--write");
    expect(needs.printed).toContain("needs a database in another state: --manager-url");
  });

  test("shows how far it is, if the terminal is one", async () => {
    const shown: string[] = [];
    const code = await runCommand(["verify", ...urls(), "--api", "target"], {
      environment: keysOf(servers.addCloudDatabase()),
      print: () => {},
      complain: () => {},
      showProgress: (text) => shown.push(text),
      openBrowser: () => {},
      stopRequested: () => new Promise(() => {}),
    });
    expect(code).toBe(0);
    expect(shown.some((text) => /\d+ of \d+ facts, [\d.]+\/s, \d+ s left: target-[\w-]+$/.test(text))).toBe(
      true,
    );
    expect(shown.at(-1)).toBe("\r\u001b[K");
  });

  test("cleans up when it is stopped", async () => {
    const database = servers.addCloudDatabase();
    const targets = async () =>
      (await databases()).find(({ database_name: name }) => name === database.databaseName)?.targets ?? [];
    const command = start(["verify", ...urls(), "--write", "--api", "target"], keysOf(database));
    await expect
      .poll(async () => (await targets()).length, { timeout: 60_000, interval: 10 })
      .toBeGreaterThan(0);
    const { code, printed } = await command.stop();
    expect(code).toBe(1);
    expect(printed).toContain("stopped before");
    // A target that is still being processed cannot be deleted yet, and the command does not wait for that.
    const left = (await targets()).filter((target) => target.delete_date_optional === null);
    const isNamed = (id: string) =>
      printed.includes(`target ${id}`) || /perhaps a target whose name/.test(printed);
    expect(left.filter(({ target_id: id }) => !isNamed(id))).toEqual([]);
  }, 240_000);

  test("removes datasets and client credentials when it is stopped", async () => {
    const added = async () => {
      const lists = ["model_target_datasets", "oauth2_client_credentials"].map(async (list) => {
        const listed: unknown = await (await fetch(`${servers.urls.manager}/${list}`)).json();
        return Array.isArray(listed) ? listed.length : 0;
      });
      return Promise.all(lists);
    };
    const before = await added();
    const { SERVER_ACCESS_KEY: _, ...keys } = keysOf(servers.addCloudDatabase());
    const only = ["--only", "model-target-credentials-*,model-target-dataset-*"];
    const command = start(["verify", ...urls(), "--write", "--spend", ...only], keys);
    await expect
      .poll(async () => (await added()).map((count, index) => count - (before[index] ?? 0)), {
        timeout: 60_000,
        interval: 10,
      })
      .toEqual([expect.toSatisfy((count) => count > 0), expect.toSatisfy((count) => count > 0)]);
    const { code, printed } = await command.stop();
    expect(code).toBe(1);
    expect(printed).toContain("stopped before");
    expect(printed).not.toContain("NOT REMOVED");
    expect(await added()).toEqual(before);
  }, 240_000);

  test("lists what it would send, and sends nothing", async () => {
    const { code, printed } = await start(
      ["verify", "--target-url", "http://127.0.0.1:1", "--dry-run", "--write", "--api", "target"],
      { SERVER_ACCESS_KEY: "an-access-key", SERVER_SECRET_KEY: "never shown" },
    ).finished;
    expect(code).toBe(0);
    expect(printed).toContain("target-list (recorded 2019-11): GET /targets\n");
    expect(printed).toContain(
      "target-delete (recorded 2019-11): a target (own), then DELETE /targets/‹target id›\n",
    );
    expect(printed).toMatch(/^target-accepts-flag-1 \(assumed\): POST \/targets$/m);
    expect(printed).toMatch(/^target-8-.*: not sent: needs a database in another state: --manager-url$/m);
    expect(printed).toMatch(/^target-vumark-keys .*: not sent: needs a VuMark database: --manager-url$/m);
    expect(printed).toMatch(/^target-list-over-the-minute .*: not sent: needs --spend: costs a training/m);
    expect(printed).toMatch(/^target-http-2 .*: not sent: needs an https URL$/m);
    expect(printed).not.toContain("never shown");
    const chosen = await start(["verify", "--dry-run", "--api", "query", "--known-by", "documented"])
      .finished;
    const lines = chosen.printed.trim().split("\n");
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.filter((line) => !/^query-[\w-]+ \(documented\): /.test(line))).toEqual([]);
  });

  test("says in a later run what has changed", async () => {
    const database = servers.addCloudDatabase();
    const run = (...args: readonly string[]) =>
      start(["verify", ...urls(), "--only", "target-list,query-3-*,query-8-*", ...args], keysOf(database))
        .finished;
    expect((await run("--record", file("run.json"))).code).toBe(0);
    const same = await run("--compare", file("run.json"));
    expect(same).toMatchObject({
      code: 0,
      printed: expect.stringContaining("CHANGED since the recording: 0"),
    });
    const saved = readFileSync(file("run.json"), "utf8");
    expect(saved).toContain("Date header required.");
    writeFileSync(file("run.json"), saved.replace("Date header required.", "A date is required."));
    const changed = await run("--compare", file("run.json"), "--markdown");
    expect(changed.code).toBe(1);
    const offline = (...args: readonly string[]) =>
      start(["verify", "--only", "target-list,query-3-*,query-8-*", "--replay", file("run.json"), ...args])
        .finished;
    const differing = await offline("--ids", file("ids"));
    expect(differing).toMatchObject({
      code: 1,
      printed: expect.stringContaining("DIFFERS  query-8-no-date"),
    });
    expect(readFileSync(file("ids"), "utf8")).toBe(
      "holds target-list\nholds query-3-no-authorization\ndiffers query-8-no-date\n",
    );
    writeFileSync(file("run.json"), saved);
    expect((await offline()).code).toBe(0);
    expect(changed.printed).toContain(
      '| query-8-no-date | body | `"A date is required."` | `"Date header required."` |',
    );
  });

  test.each([
    [["--profile", "x"], '--profile: expected neutral or vuforia; got "x"'],
    [["--api", "targets"], '--api: expected target, query, model-target; got "targets"'],
    [
      ["--only", "nothing"],
      "--only: expected ids, or parts of them with *, as --dry-run lists them; no fact",
    ],
    [["--only", "nothing"], 'no fact is chosen by "nothing"'],
    [["--api", "model-target", "--known-by", "documented"], "no fact is chosen: none is of these APIs"],
    [["--timeout-seconds", "0"], "--timeout-seconds: expected a number of seconds above 0"],
    [["--target-url", "vws.example.com"], '--target-url: Invalid URL "vws.example.com": No scheme supplied'],
    [["--query-url", "ftp://example.com"], "--query-url: expected an http or https URL"],
    [["--keys", "/nowhere"], "--keys: ENOENT"],
    [["--compare", "/nowhere"], "--compare: ENOENT"],
    [["--replay", "/nowhere"], "--replay: ENOENT"],
    [["--replay", "/nowhere", "--write"], "--replay: asks no service; expected no --write"],
    [["--replay", MALFORMED], "--replay: expected a file that --record wrote"],
    [["--replay", EMPTY], "has no response to any of the chosen facts"],
    [[], "nothing can be tried: no keys: set SERVER_ACCESS_KEY and SERVER_SECRET_KEY"],
  ])("refuses %j", async (args, message) => {
    const { code, complained } = await start(["verify", ...args]).finished;
    expect([code, complained]).toEqual([2, expect.stringContaining(message)]);
  });

  test.each(["--record", "--ids"])("refuses a file for %s before it asks the service", async (option) => {
    const before = servers.requests.length;
    const args = [
      "verify",
      ...urls(),
      "--profile",
      "neutral",
      "--only",
      "query-8-*",
      option,
      "/nowhere/file",
    ];
    const { code, complained } = await start(args, keysOf(servers.addCloudDatabase())).finished;
    expect([code, complained]).toEqual([
      2,
      expect.stringContaining(`${option}: "/nowhere/file" cannot be written: ENOENT`),
    ]);
    expect(servers.requests.length).toBe(before);
  });
});

describe("secrets", () => {
  const secrets = {
    SERVER_SECRET_KEY: 'tell "no" one',
    CLIENT_SECRET_KEY: "client/hidden",
    MODEL_TARGET_CLIENT_SECRET: "m0del",
  };
  const keys = {
    ...secrets,
    SERVER_ACCESS_KEY: "server",
    CLIENT_ACCESS_KEY: "client",
    MODEL_TARGET_CLIENT_ID: "id",
  };
  const leaks = (text: string): string[] =>
    [...Object.values(secrets), "t0ken.from.service"].filter(
      (secret) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)),
    );

  test("are in no report, saved file or error, even if the service sends them back", async () => {
    const echo = createServer((_request, response) => {
      response.setHeader("X-Echo", Object.values(secrets).join(" "));
      response.end(JSON.stringify({ ...secrets, access_token: "t0ken.from.service", status: "success" }));
    });
    await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
    const address = echo.address();
    const url = `http://127.0.0.1:${isJsonObject(address) ? address.port : ""}`;
    const run = (...args: readonly string[]): Promise<Finished> =>
      start(["verify", "--target-url", url, "--query-url", url, "--write", ...args], keys).finished;
    const only = ["--only", "target-4-*,target-add,query-3-*,model-target-unknown-*,model-target-token-no-*"];
    try {
      for (const form of [[], ["--json"], ["--junit"], ["--markdown"]]) {
        const { code, printed, complained } = await run(...only, ...form, "--record", file("echo.json"));
        expect(code).toBe(1);
        expect(printed).toContain("‹hidden›");
        expect(leaks(printed + complained)).toEqual([]);
      }
      const saved = readFileSync(file("echo.json"), "utf8");
      expect(saved).toContain("‹hidden›");
      expect(leaks(saved)).toEqual([]);
      writeFileSync(file("secrets"), `"${secrets.SERVER_SECRET_KEY}"`);
      const mistaken = await run(...only, "--compare", file("secrets"));
      expect(mistaken.complained).toContain("--compare: expected a file that --record wrote");
      expect(leaks(mistaken.complained)).toEqual([]);
    } finally {
      await new Promise((resolve) => echo.close(resolve));
    }
  });
});
