import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { flatPicture, samplePicture } from "mock-cloud-reco";
import { openApiDocument } from "mock-cloud-reco/openapi";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cert, key } from "../support/certificate.ts";
import { type Served, start, summary } from "./command.ts";

describe("the command itself", () => {
  test.each(["--help", "-h", "help"])("%s prints the help", async (word) => {
    const { code, printed } = await start([word]).finished;
    expect(code).toBe(0);
    for (const command of [
      "serve",
      "target-manager",
      "target-api",
      "query",
      "openapi",
      "picture",
      "sign",
      "healthcheck",
    ]) {
      expect(printed).toContain(`mock-cloud-reco ${command}`);
    }
  });

  test.each(["serve", "target-manager", "target-api", "query", "openapi", "picture", "sign", "healthcheck"])(
    "%s --help explains the command",
    async (command) => {
      const { code, printed } = await start([command, "--help"]).finished;
      expect(code).toBe(0);
      expect(printed).toMatch(new RegExp(`^mock-cloud-reco ${command}`));
    },
  );

  test.each(["serve", "target-manager", "target-api", "query"] as const)(
    "%s --help says of every setting what it is for, what is expected and the default",
    async (command) => {
      const { printed } = await start([command, "--help"]).finished;
      const [, ...settings] = printed.slice(printed.indexOf("Settings (")).split(/\n(?= {2}--)/);
      expect(settings.length).toBeGreaterThan(10);
      for (const setting of settings)
        expect(setting).toMatch(
          /^ {2}--[a-z-]+(?: \S+)?, (?:\[MOCK_CLOUD_RECO_\])?[A-Z_]+ {3}\(default: .+\)\n {6}\S.*: \S/,
        );
      expect(printed).toContain(
        'LOG_LEVEL   (default: info)\n      which requests are logged; warn: refused ones and failures: "silent", ',
      );
    },
  );

  test("help lists settings by what they are about", async () => {
    const { printed } = await start(["query", "--help"]).finished;
    const groups = printed.split(/^Settings \(option, environment variable\): /m).slice(1);
    expect(groups.map((group) => group.split("\n", 1)[0])).toEqual([
      "Address and access",
      "HTTPS",
      "State",
      "Log and memory",
      "Behaviour of the services",
    ]);
    expect(
      groups.map((group) => [...group.matchAll(/^ {2}--.*, ([A-Z_]+) {3}/gm)].map(([, name]) => name)),
    ).toEqual([
      expect.arrayContaining(["HOST", "PORT", "CORS_ALLOW_ORIGIN"]),
      expect.arrayContaining(["TLS_CERT_FILE", "TLS_GENERATE"]),
      expect.arrayContaining(["TARGET_MANAGER_BASE_URL"]),
      expect.arrayContaining(["LOG_LEVEL", "LOG_FORMAT", "IMAGE_CACHE_BYTES"]),
      expect.arrayContaining(["SERVICE_PROFILE", "QUERY_IMAGE_MATCHER"]),
    ]);
  });

  test("each command's help has its own settings", async () => {
    const helps = ["serve", "target-manager", "target-api", "query"].map(
      async (command) => (await start([command, "--help"]).finished).printed,
    );
    const having = async (setting: string) =>
      (await Promise.all(helps)).map((help) => new RegExp(`[ _\\]]${setting} {3}`).test(help));
    expect(await having("STATE_URL")).toEqual([true, true, false, false]);
    expect(await having("--port N, PORT")).toEqual([false, true, true, true]);
    expect(await having("SEED_FILE")).toEqual([true, true, false, false]);
    expect(await having("TARGET_MANAGER_BASE_URL")).toEqual([false, false, true, true]);
    expect(await having("QUERY_IMAGE_MATCHER")).toEqual([true, false, false, true]);
    expect(await having("PROCESSING_TIME_SECONDS")).toEqual([true, true, true, false]);
  });

  test("--version prints the release by date and the npm version", async () => {
    expect(await start(["--version"]).finished).toMatchObject({
      code: 0,
      printed: expect.stringMatching(/^20\d\d\.\d\d\.\d\d(\.\d+)? \(npm: 20\d\d\.\d{3,4}\.\d+\)\n$/),
    });
  });

  test.each<[readonly string[], () => Promise<Buffer>]>([
    [["2"], () => samplePicture(2)],
    [
      ["flat", "--format", "png", "--width", "200", "--height", "300"],
      () => flatPicture({ format: "PNG", width: 200, height: 300 }),
    ],
  ])("picture %j prints the picture's bytes", async (args, expected) => {
    const { code, printed } = await start(["picture", ...args]).finished;
    expect(code).toBe(0);
    expect(Buffer.from(printed, "latin1").equals(await expected())).toBe(true);
  });

  test("picture --output writes the file, and prints nothing", async () => {
    const folder = await mkdtemp(join(tmpdir(), "picture-"));
    try {
      const file = join(folder, "poster.jpg");
      const { code, printed } = await start(["picture", "1", "--output", file]).finished;
      expect([code, printed, (await readFile(file)).equals(await samplePicture(1))]).toEqual([0, "", true]);
      const unwritable = await start(["picture", "1", "--output", folder]).finished;
      expect([unwritable.code, unwritable.complained]).toEqual([
        2,
        expect.stringMatching(/--output: .*cannot be written/),
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test.each<[readonly string[], RegExp]>([
    [[], /^mock-cloud-reco: the Vuforia/],
    [["picture"], /^mock-cloud-reco: expected a number, or "flat"; got nothing/],
    [["picture", "one"], /^mock-cloud-reco: Invalid n: expected a whole number, 0 or more; got "one"/],
    [
      ["picture", "1", "--width", "9"],
      /^mock-cloud-reco: Invalid picture.width: expected a whole number from 192/,
    ],
    [["surf"], /^mock-cloud-reco: unknown command "surf"; expected serve, /],
    [["serve", "--colour"], /^mock-cloud-reco: Unknown option '--colour'/],
    [
      ["serve", "--tagret-port", "1"],
      /^mock-cloud-reco: Unknown option '--tagret-port'; did you mean --target-port\?$/m,
    ],
    [
      ["serve", "--port", "1"],
      /^mock-cloud-reco: Unknown option '--port'; did you mean --target-port, --query-port or --manager-port\?$/m,
    ],
    [
      ["serve", "--seed-file", "a"],
      /^mock-cloud-reco: Unknown option '--seed-file'; did you mean --seed\?$/m,
    ],
    [
      ["serve", "--state-file=a"],
      /^mock-cloud-reco: Unknown option '--state-file'; did you mean --state\?$/m,
    ],
    [["query", "-x"], /^mock-cloud-reco: Unknown option '-x'$/m],
    [["serve", "now"], /^mock-cloud-reco: .*'now'/],
    [
      ["serve", "--target-port", "x"],
      /^mock-cloud-reco: --target-port: expected a whole number from 0 to 65535; got "x"/,
    ],
    [["query", "--port", "65536"], /^mock-cloud-reco: --port: expected .*; got "65536"/],
    [["query", "--seed", "x"], /^mock-cloud-reco: --seed: not an option of query, only of target-manager$/m],
    [
      ["query", "--realism", "true"],
      /^mock-cloud-reco: --realism: not an option of query, only of target-manager$/m,
    ],
    [
      ["target-manager", "--realism", "x"],
      /^mock-cloud-reco: --realism: expected true, false, or .*; got "x"/,
    ],
    [
      ["serve", "--cloud-query-failure", "500"],
      /^mock-cloud-reco: --cloud-query-failure: available in process only, with new MockCloudReco\(\)/,
    ],
    [["openapi", "--profile", "x"], /^mock-cloud-reco: --profile: expected neutral or vuforia; got "x"/],
    [["openapi", "--target-url", "a"], /^mock-cloud-reco: Invalid URL "a": No scheme supplied/],
    [["openapi", "--query-url", "http://q.test?a"], /^mock-cloud-reco: .*--query-url.*: expected an http/],
    [["healthcheck", "a", "b"], /^mock-cloud-reco: unexpected "b"/],
    [["healthcheck", "localhost:5000"], /^mock-cloud-reco: Invalid URL "localhost:5000": No scheme supplied/],
  ])("exits with code 2 for %j, and says why", async (args, message) => {
    const { code, printed, complained } = await start(args).finished;
    expect(code).toBe(2);
    expect(printed).toBe("");
    expect(complained).toMatch(message);
  });

  test("openapi prints the document of a profile", async () => {
    const { code, printed } = await start(["openapi", "--profile", "vuforia"]).finished;
    expect(code).toBe(0);
    expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify(openApiDocument({ profile: "vuforia" }))));
  });

  test("openapi prints the document of one's own servers", async () => {
    const [target, query, manager] = ["http://t.test:1/vws", "http://q.test", "http://m.test"];
    const given = ["--target-url", `${target}/`, "--query-url", query, "--manager-url", manager];
    const urls = { target, query, manager, modelTarget: target };
    for (const args of [given, [...given, "--model-target-url", "http://mt.test"]]) {
      const { printed } = await start(["openapi", ...args]).finished;
      const expected = args === given ? urls : { ...urls, modelTarget: "http://mt.test" };
      expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify(openApiDocument({ urls: expected }))));
    }
  });

  test("prints one line for each invalid setting", async () => {
    const { code, complained } = await start(["target-api"], { PORT: "x", SERVICE_PROFILE: "y" }).finished;
    expect(code).toBe(2);
    expect(complained.split("\n")).toEqual([
      'mock-cloud-reco: PORT: expected a whole number from 0 to 65535; got "x"',
      expect.stringMatching(/^mock-cloud-reco: TARGET_MANAGER_BASE_URL: expected .*; not given$/),
      'mock-cloud-reco: SERVICE_PROFILE: expected "neutral" or "vuforia"; got "y"',
      "",
    ]);
  });
});

describe("the single servers", () => {
  test("work together when each runs as a command", async () => {
    const quiet = { LOG_LEVEL: "silent", PORT: "0" };
    const urlOf = (printed: string) => printed.trim().split(" ")[1] ?? "";
    const manager = start(["target-manager"], quiet);
    const managerUrl = urlOf(await manager.printed());
    const services = { ...quiet, TARGET_MANAGER_BASE_URL: managerUrl };
    const target = start(["target-api"], services);
    const query = start(["query", "--port", "0", "--host", "127.0.0.1"], services);
    const keys = { server_access_key: "a", server_secret_key: "b" };
    await fetch(`${managerUrl}/cloud_databases`, { method: "POST", body: JSON.stringify(keys) });
    expect((await summary(urlOf(await target.printed()), "a", "b")).status).toBe(200);
    expect((await fetch(`${urlOf(await query.printed())}/v1/query`, { method: "POST" })).status).toBe(401);
    for (const command of [target, query, manager]) expect((await command.stop()).code).toBe(0);
  });

  test("a manager alone processes the targets that are added to it for the time of its setting", async () => {
    const command = start(["target-manager", "--port", "0"], {
      LOG_LEVEL: "silent",
      PROCESSING_TIME_SECONDS: "7",
    });
    const databases = `${(await command.printed()).trim().split(" ")[1]}/cloud_databases`;
    const post = (path: string, body: object) =>
      fetch(databases + path, { method: "POST", body: JSON.stringify(body) });
    await post("", { database_name: "shop" });
    const image_base64 = Buffer.from(await samplePicture(1)).toString("base64");
    const added = await post("/shop/targets", { name: "poster", width: 1, image_base64 });
    expect(await added.json()).toMatchObject({ processing_time_seconds: 7 });
    await command.stop();
  });
});

describe("files that a command reads", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "command-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test("target-manager --seed loads the file, and exits with code 2 when it is invalid", async () => {
    const seed = join(folder, "seed.json");
    await writeFile(seed, JSON.stringify({ cloud_databases: [{ database_name: "shop" }] }));
    const environment = { LOG_LEVEL: "silent", PORT: "0", HOST: "0.0.0.0" };
    const command = start(["target-manager", "--seed", seed], environment);
    const url = (await command.printed()).trim().split(" ")[1] ?? "";
    // The address to connect to, not the one it listens on.
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await (await fetch(`${url}/cloud_databases`)).json()).toMatchObject([{ database_name: "shop" }]);
    await command.stop();
    await writeFile(seed, "[]");
    expect(await start(["target-manager", "--seed", seed], environment).finished).toMatchObject({
      code: 2,
      complained: expect.stringContaining("seed.json: expected an object; got an array of 0"),
    });
  });

  test("serve uses the certificate from the environment", async () => {
    const [certificate, privateKey] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    await Promise.all([writeFile(certificate, cert), writeFile(privateKey, key)]);
    const command = start(["serve", "--json"], {
      MOCK_CLOUD_RECO_TLS_CERT_FILE: certificate,
      MOCK_CLOUD_RECO_TLS_KEY_FILE: privateKey,
    });
    const printed: Served & { certificate: string } = JSON.parse(await command.printed());
    expect(printed.certificate).toBe(cert);
    const { manager } = printed.urls;
    expect((await start(["healthcheck", `${manager}/livez`]).finished).printed).toBe(
      `${manager}/livez is healthy: 200\n`,
    );
    expect(manager).toMatch(/^https:/);
    await command.stop();
  });
});
