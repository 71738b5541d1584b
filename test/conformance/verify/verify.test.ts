import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createSecureServer } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "junit2json";
import { startServers } from "mock-cloud-reco/server";
import { describe, expect, onTestFinished, test } from "vitest";
import type { DatabaseKeys } from "../../support/backends.ts";
import { authority, cert, key } from "../../support/certificate.ts";
import { nodeClient } from "../../support/clients.ts";
import { ALL } from "../../support/combinations.ts";
import { signedRequest } from "../../support/signed-request.ts";
import type { Received } from "../engine/fact.ts";
import { startProxy } from "../engine/proxy.ts";
import { readEvidence } from "./evidence.ts";

/*
 * `npm run verify` in a process of its own, at services that answer rightly or not. Each takes seconds: CI runs all of
 * them, and otherwise one runs that uses most of it.
 */

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const TIMEOUT = 120_000;

interface Verifying {
  readonly finished: Promise<{ readonly code: number | null; readonly printed: string }>;
  /** Sends SIGINT once something was printed. */
  stopAfter(text: string): void;
}

function verify(args: readonly string[], variables: Readonly<Record<string, string>> = {}): Verifying {
  const script = ["--import", "tsx", "test/conformance/verify/verify.ts", ...args];
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, ...variables };
  const child = spawn(process.execPath, script, { cwd: repository, env });
  let printed = "";
  let stopText: string | undefined;
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      printed += data.toString();
      if (stopText === undefined || !printed.includes(stopText)) return;
      stopText = undefined;
      child.kill("SIGINT");
    });
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    finished: new Promise((resolve) => child.on("close", (code) => resolve({ code, printed }))),
    stopAfter: (text) => {
      stopText = text;
    },
  };
}

const variablesOf = (keys: Omit<DatabaseKeys, "databaseName" | "databaseId">) => ({
  SERVER_ACCESS_KEY: keys.serverAccessKey,
  SERVER_SECRET_KEY: keys.serverSecretKey,
  CLIENT_ACCESS_KEY: keys.clientAccessKey,
  CLIENT_SECRET_KEY: keys.clientSecretKey,
});
/** What `npm run evidence` says to a file. */
const merge = (file: string): Promise<string> =>
  new Promise((resolve) => {
    const script = [
      "--import",
      "tsx",
      "test/conformance/verify/merge-evidence.ts",
      file,
      "--source",
      "a test",
    ];
    execFile(process.execPath, script, { cwd: repository }, (_error, out, complained) =>
      resolve(out + complained),
    );
  });

const KEYS = { SERVER_ACCESS_KEY: "access", SERVER_SECRET_KEY: "secret" };

async function targetsOf(baseUrl: string, keys: DatabaseKeys): Promise<unknown> {
  const { serverAccessKey: accessKey, serverSecretKey: secretKey } = keys;
  const request = { method: "GET", path: "/targets", baseUrl, accessKey, secretKey, now: new Date() };
  return JSON.parse((await nodeClient(signedRequest(request))).body.toString()).results;
}

const only = (...ids: readonly string[]) => ["--only", ids.join(",")];

describe("npm run verify", () => {
  test.runIf(ALL)(
    "reads, skips what it may not try, and reports for programs",
    {
      timeout: TIMEOUT,
    },
    async () => {
      await using servers = await startServers();
      const variables = variablesOf(servers.addCloudDatabase());
      const file = join(await mkdtemp(join(tmpdir(), "verify-")), "report.xml");
      const { target, query } = servers.urls;
      const urls = ["--target-url", target, "--query-url", query, "--profile", "neutral"];
      const ids = only("target-3-*", "query-3-*", "target-add", "model-target-token-an-unknown-client");
      const report = ["--reporter", "junit", "--output-file", file];
      const { code, printed } = await verify([...urls, ...ids, ...report], variables).finished;
      expect(code, printed).toBe(0);
      const { tests, failures, testsuite } = Object(await parse(await readFile(file, "utf8")));
      expect({ tests, failures, skipped: testsuite[0].skipped }).toEqual({
        tests: 4,
        failures: 0,
        skipped: 2,
      });
    },
  );

  test.runIf(ALL)(
    "reads URLs and keys as serve --env writes them, URLs only if none is given",
    {
      timeout: TIMEOUT,
    },
    async () => {
      await using servers = await startServers();
      const keys = Object.entries(variablesOf(servers.addCloudDatabase()));
      const { target, query, manager } = servers.urls;
      const variables = {
        ...Object.fromEntries(keys.map(([name, value]) => [`VUFORIA_${name}`, value])),
        VUFORIA_TARGET_URL: target,
        VUFORIA_QUERY_URL: query,
        VUFORIA_MANAGER_URL: manager,
      };
      const rows = only("target-3-no-authorization", "target-11-an-unknown-target-get");
      const args = ["--profile", "neutral", ...rows];
      const { code, printed } = await verify(args, variables).finished;
      expect([code, printed]).toEqual([0, expect.stringMatching(/Tests .*2 passed \(2\)/)]);
      const urls = { ...variables, VUFORIA_TARGET_URL: "http://127.0.0.1:1" };
      expect((await verify([...args, "--target-url", target], urls).finished).code).toBe(0);
    },
  );

  test.runIf(ALL)(
    "names what differs, and hides secrets that a service sends back",
    {
      timeout: TIMEOUT,
    },
    async () => {
      await using servers = await startServers();
      const variables = variablesOf(servers.addCloudDatabase());
      await using proxy = await startProxy(servers.urls.target, async (_request, forward) => {
        const response = await forward();
        const headers = [...response.headers, ["X-Echo", variables.SERVER_SECRET_KEY] as const];
        return { ...response, headers };
      });
      const args = ["--target-url", proxy.url, "--profile", "neutral", ...only("target-3-*")];
      const { code, printed } = await verify(args, variables).finished;
      expect(code).toBe(1);
      expect(printed).toContain("header X-Echo");
      expect(printed).toContain("‹hidden›");
      expect(printed).not.toContain(variables.SERVER_SECRET_KEY);
    },
  );

  test("prints and writes what a service answered, and three planted differences exactly", {
    timeout: TIMEOUT,
  }, async () => {
    await using servers = await startServers({ profile: "vuforia" });
    const variables = variablesOf(servers.addCloudDatabase());
    const secret = variables.SERVER_SECRET_KEY;
    const planted: Readonly<Record<string, (response: Received) => Received>> = {
      "GET /targets/unknown": (response) => ({ ...response, status: 410 }),
      "PATCH /targets": (response) => ({ ...response, headers: [...response.headers, ["X-Echo", secret]] }),
      "PATCH /summary": (response) => ({
        ...response,
        headers: response.headers.filter(([name]) => name !== "Content-Type"),
      }),
    };
    await using proxy = await startProxy(servers.urls.target, async ({ method, path }, forward) => {
      const response = await forward();
      return planted[`${method} ${path}`]?.(response) ?? response;
    });
    const file = join(await mkdtemp(join(tmpdir(), "verify-")), "evidence.json");
    const ids = only("target-3-*", "target-4-*", "target-11-*", "target-unserved-*");
    const args = ["--target-url", proxy.url, ...ids, "--evidence", file];
    const { code, printed } = await verify(args, variables).finished;
    expect(code).toBe(1);
    expect(printed).toContain("header X-Echo");
    expect(printed).toContain("‹hidden›");
    expect(printed).not.toContain(secret);
    const content = await readFile(file, "utf8");
    expect(content).not.toContain(secret);
    const { rows, profile } = readEvidence(content);
    expect(profile).toBe("vuforia");
    expect(
      rows.filter(({ holds }) => !holds).map(({ id, differences: [first] }) => [id, first?.what]),
    ).toEqual([
      ["target-unserved-targets", "header X-Echo"],
      ["target-unserved-summary", "header Content-Type"],
      ["target-11-an-unknown-target-get", "status"],
    ]);
    expect(rows.find(({ id }) => id === "target-3-no-authorization")).toMatchObject({
      holds: true,
      response: { status: 401, body: expect.stringContaining("AuthenticationFailure") },
    });
    expect(await merge(file)).toMatch(/127\.0\.0\.1 is not the real service/);
  });

  test.runIf(ALL)("removes what it added after Ctrl+C, and ends with 1", { timeout: TIMEOUT }, async () => {
    await using servers = await startServers({ processingTimeSeconds: 0 });
    const database = servers.addCloudDatabase();
    const { target } = servers.urls;
    const args = ["--target-url", target, "--profile", "neutral", "--write", "--api", "target"];
    const run = verify(args, variablesOf(database));
    run.stopAfter("target-accepts-null-flag");
    const { code, printed } = await run.finished;
    expect(code, printed).toBe(1);
    expect(printed).toMatch(/\d+ skipped/);
    const summaries = servers.requests.map(({ operation }) => operation);
    expect(summaries).toContain("addTarget");
    expect(await targetsOf(target, database)).toEqual([]);
  });

  test.runIf(ALL)(
    "skips everything that needs what it lacks, and says so",
    { timeout: TIMEOUT },
    async () => {
      const args = ["--target-url", "http://127.0.0.1:1", ...only("target-3-*", "target-add")];
      const { code, printed } = await verify(args).finished;
      expect(code).toBe(1);
      expect(printed).toMatch(/nothing can be tried: .*no keys: set SERVER_ACCESS_KEY and SERVER_SECRET_KEY/);
    },
  );

  test.runIf(ALL)(
    "says that a service is away, and does not go on asking",
    { timeout: TIMEOUT },
    async () => {
      const args = [
        "--target-url",
        "http://127.0.0.1:1",
        "--profile",
        "neutral",
        ...only("target-3-*", "target-4-*"),
      ];
      const { code, printed } = await verify(args, KEYS).finished;
      expect(code).toBe(1);
      expect(printed).toMatch(/not tried: no response: .*ECONNREFUSED/);
      expect(printed).toMatch(/not tried: the service never answered: .*ECONNREFUSED/);
    },
  );

  test.runIf(ALL)("names the other profile if a service answers by it", { timeout: TIMEOUT }, async () => {
    await using servers = await startServers({ profile: "neutral" });
    const variables = variablesOf(servers.addCloudDatabase());
    const args = ["--target-url", servers.urls.target, ...only("target-3-*")];
    const { code, printed } = await verify(args, variables).finished;
    expect(code).toBe(1);
    expect(printed).toContain("The service answers as the profile neutral says");
    expect(printed).toContain("add --profile neutral");
  });
});

describe.runIf(ALL)("npm run verify over TLS", () => {
  const http2 = ["--profile", "neutral", ...only("target-http-2")];

  async function trusting(certificate: string): Promise<Readonly<Record<string, string>>> {
    const file = join(await mkdtemp(join(tmpdir(), "verify-")), "ca.pem");
    await writeFile(file, certificate);
    return { NODE_EXTRA_CA_CERTS: file };
  }

  test("sees that the servers choose HTTP/1.1 when HTTP/2 is offered too", { timeout: TIMEOUT }, async () => {
    await using servers = await startServers({ tls: "generated" });
    const variables = variablesOf(servers.addCloudDatabase());
    const trust = await trusting(servers.certificate ?? "");
    const args = ["--target-url", servers.urls.target, ...http2];
    const { code, printed } = await verify(args, { ...variables, ...trust }).finished;
    expect(code, printed).toBe(0);
    expect(printed).toMatch(/Tests +1 passed/);
  });

  test("sees that a service chooses HTTP/2", { timeout: TIMEOUT }, async () => {
    const server = createSecureServer({ cert, key, allowHTTP1: true }, (_request, response) =>
      response.end(),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const args = ["--target-url", `https://127.0.0.1:${Object(server.address()).port}`, ...http2];
    const { code, printed } = await verify(args, { ...KEYS, ...(await trusting(authority)) }).finished;
    expect(code).toBe(1);
    expect(printed).toMatch(/protocol\n +expected "http\/1\.1"\n +got +"h2"/);
  });
});
