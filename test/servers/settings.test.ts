import { devNull } from "node:os";
import { describe, expect, test } from "vitest";
import type { Role } from "../../src/options/option.ts";
import type { Environment } from "../../src/options/setting-names.ts";
import { readSettings, readSharedSettings } from "../../src/options/settings.ts";
import { wrongLines } from "./wrong-lines.ts";

const MANAGER = { TARGET_MANAGER_BASE_URL: "http://manager:5000" };

const linesOf = (role: Role, environment: Environment) => wrongLines(() => readSettings(role, environment));

describe("settings of one server", () => {
  test("a URL's user and password are not shown", () => {
    expect(linesOf("query", { TARGET_MANAGER_BASE_URL: "http://ann:word@manager:5000" })).toEqual([
      expect.stringMatching(/^TARGET_MANAGER_BASE_URL: expected .*; got "http:\/\/…@manager:5000"$/),
    ]);
  });

  test("caches and journal have the limits of a mock in process", () => {
    const environment = { IMAGE_CACHE_BYTES: "0", JOURNAL_CAPACITY: "5", JOURNAL_BODY_BYTES: "1000" };
    expect(readSettings("target-manager", environment).options).toEqual({
      imageCacheBytes: 0,
      journalCapacity: 5,
      journalBodyBytes: 1000,
    });
    expect(readSettings("query", { ...MANAGER, ...environment }).options).toEqual({ imageCacheBytes: 0 });
    expect(linesOf("target-manager", { JOURNAL_CAPACITY: "0" })).toEqual([
      'JOURNAL_CAPACITY: expected a whole number, 1 or more; got "0"',
    ]);
  });

  test("the manager needs no settings", () => {
    expect(readSettings("target-manager", {})).toEqual({
      host: "127.0.0.1",
      port: 5000,
      managerUrl: undefined,
      managerCertificate: undefined,
      logLevel: "info",
      tls: undefined,
      corsOrigin: undefined,
      managerCorsOrigin: undefined,
      allowedHosts: undefined,
      ui: true,
      seedFile: undefined,
      warnings: [],
      options: {},
    });
  });

  test.each(["target-api", "query"] as const)("%s needs to know the manager", (role) => {
    expect(linesOf(role, {})).toEqual([
      "TARGET_MANAGER_BASE_URL: expected an http or https URL with its scheme and without query, such as http://target-manager:5000; not given",
    ]);
    expect(linesOf(role, { TARGET_MANAGER_BASE_URL: "manager:5000" })).toEqual([
      expect.stringMatching(/^TARGET_MANAGER_BASE_URL: expected an http or https URL .*; got "manager:5000"/),
    ]);
    expect(readSettings(role, MANAGER).managerUrl?.href).toBe("http://manager:5000/");
  });

  test("every setting arrives where it belongs", () => {
    const common = { HOST: "0.0.0.0", PORT: "0", LOG_LEVEL: "warn", CORS_ALLOW_ORIGIN: "*" };
    expect(
      readSettings("target-manager", {
        ...common,
        TARGET_RATER: "perfect",
        SEED_FILE: "seed.json",
        MANAGER_CORS_ALLOW_ORIGIN: "https://app.example",
        ALLOWED_HOSTS: "manager, .example.com",
        UI: "false",
      }),
    ).toMatchObject({
      managerCorsOrigin: "https://app.example",
      allowedHosts: ["manager", ".example.com"],
      ui: false,
      host: "0.0.0.0",
      port: 0,
      logLevel: "warn",
      corsOrigin: "*",
      seedFile: "seed.json",
      options: { targetRater: "perfect" },
    });
    const service = {
      ...MANAGER,
      SERVICE_PROFILE: "vuforia",
      QUERY_CONTENT_ENCODING: "identity",
      RESPONSE_DELAY_SECONDS: "0.25",
    };
    const shared = { profile: "vuforia", queryContentEncoding: "identity", responseDelaySeconds: 0.25 };
    expect(readSettings("query", { ...service, QUERY_IMAGE_MATCHER: "exact" }).options).toEqual({
      ...shared,
      queryMatcher: "exact",
    });
    const target = {
      ...service,
      DUPLICATES_IMAGE_MATCHER: "exact",
      PROCESSING_TIME_SECONDS: "0",
      MODEL_TARGET_TRAINING_ALLOWANCE_EXCEEDED: "YES",
      SERVICE_BASE_URL: "https://example.com/vws/",
      MODEL_TARGET_CLIENT_ID: "a",
      MODEL_TARGET_CLIENT_SECRET: "b",
      MODEL_TARGET_USERNAME: "c",
      MODEL_TARGET_PASSWORD: "d",
    };
    expect(readSettings("target-api", target).options).toEqual({
      ...shared,
      duplicatesMatcher: "exact",
      processingTimeSeconds: 0,
      modelTargetTrainingAllowanceExceeded: true,
      serviceBaseUrl: "https://example.com/vws",
      modelTargetClient: { id: "a", secret: "b" },
      modelTargetUser: { name: "c", password: "d" },
    });
  });

  test("realism is true, false or JSON, and the manager's", () => {
    const realism = (given: string) => readSettings("target-manager", { REALISM: given }).options.realism;
    expect(["true", "no", '{"looseLimits": 0.5}'].map(realism)).toEqual([true, false, { looseLimits: 0.5 }]);
    expect(readSharedSettings({ MOCK_CLOUD_RECO_REALISM: "1" }).options.realism).toBe(true);
    expect(readSettings("query", { ...MANAGER, REALISM: "wrong" }).options).toEqual({});
    for (const given of ["2", "{", '{"looseLimits": 2}', '{"lag": 1}']) {
      const words =
        "true, false, or an object with visibilityLagSeconds, deletionLagSeconds, summaryLagSeconds, ";
      expect(linesOf("target-manager", { REALISM: given })).toEqual([
        `REALISM: expected ${words}looseLimits, gatewayErrorRate, as JSON; got ${JSON.stringify(given)}`,
      ]);
    }
  });

  test.each([
    "https://app.example/",
    "https://a.example,https://b.example",
    "a.example",
    "*.example",
    "a\nb",
  ])("%j is no origin", (given) => {
    expect(linesOf("target-manager", { CORS_ALLOW_ORIGIN: given })).toEqual([
      expect.stringMatching(/^CORS_ALLOW_ORIGIN: expected an origin, such as https:\/\/app\.example, or \*/),
    ]);
  });

  test.each([
    "https://app.example",
    "http://[::1]:5173",
    "HTTP://LOCALHOST:1",
    "chrome-extension://abc",
    "null",
  ])("%s is an origin", (given) => {
    const environment = { CORS_ALLOW_ORIGIN: given, MANAGER_CORS_ALLOW_ORIGIN: given };
    expect(readSettings("target-manager", environment)).toMatchObject({
      corsOrigin: given,
      managerCorsOrigin: given,
    });
  });

  test("a name with a port is not a valid host name", () => {
    expect(linesOf("target-manager", { ALLOWED_HOSTS: "manager:5000" })).toEqual([
      expect.stringMatching(/^ALLOWED_HOSTS: expected host names without port, .*; got "manager:5000"/),
    ]);
  });

  test.each([
    ["true", true],
    ["TRUE", true],
    ["1", true],
    ["Yes", true],
    ["false", false],
    ["0", false],
    ["NO", false],
  ])("%s is a boolean", (text, value) => {
    const { options } = readSettings("target-api", {
      ...MANAGER,
      MODEL_TARGET_TRAINING_ALLOWANCE_EXCEEDED: text,
    });
    expect(options.modelTargetTrainingAllowanceExceeded).toBe(value);
  });

  test("every invalid setting has a line with its name, its value and what was expected", () => {
    const bad = {
      TARGET_MANAGER_BASE_URL: "ftp://x",
      PORT: "70000",
      PROCESSING_TIME_SECONDS: "-1",
      RESPONSE_DELAY_SECONDS: "soon",
      DUPLICATES_IMAGE_MATCHER: "blurry",
      SERVICE_PROFILE: "Neutral",
      QUERY_CONTENT_ENCODING: "br",
      MODEL_TARGET_TRAINING_ALLOWANCE_EXCEEDED: "perhaps",
      SERVICE_BASE_URL: "example.com",
      LOG_LEVEL: "loud",
      TLS_CERT_FILE: "/nowhere/cert.pem",
      TLS_GENERATE: "2",
    };
    const lines = linesOf("target-api", bad);
    expect(lines).toHaveLength(Object.keys(bad).length);
    for (const [name, value] of Object.entries(bad)) {
      expect(lines).toContainEqual(expect.stringMatching(`^${name}: expected .{4,}; got "${value}"`));
    }
  });

  test.each(["", "1e3s", "٣", "1.2.3", "Infinity", "0x10", "+1", " "])(
    "%j is not a valid number of seconds, unless it is empty",
    (text) => {
      const lines = linesOf("target-api", { ...MANAGER, PROCESSING_TIME_SECONDS: text });
      expect(lines).toHaveLength(text === "" ? 0 : 1);
    },
  );

  test("settings of the other servers are ignored", () => {
    expect(
      linesOf("target-manager", { QUERY_IMAGE_MATCHER: "blurry", DUPLICATES_IMAGE_MATCHER: "x" }),
    ).toEqual([]);
    expect(linesOf("query", { ...MANAGER, TARGET_RATER: "kind", DUPLICATES_IMAGE_MATCHER: "x" })).toEqual([]);
  });

  test("a certificate needs its key, and a key its certificate", () => {
    const file = new URL("../../package.json", import.meta.url).pathname;
    expect(linesOf("target-manager", { TLS_CERT_FILE: file })).toEqual([
      "TLS_KEY_FILE: expected the path of a file that can be read and is not empty; not given",
    ]);
    expect(linesOf("target-manager", { TLS_KEY_FILE: file })).toEqual([
      expect.stringMatching(/^TLS_CERT_FILE: expected .*; not given$/),
    ]);
  });

  test("an empty file is no certificate", () => {
    const names = ["STATE_CERT_FILE", "TLS_CERT_FILE", "TLS_KEY_FILE"];
    const lines = linesOf("target-manager", Object.fromEntries(names.map((name) => [name, devNull])));
    const wrong = `expected the path of a file that can be read and is not empty; got ${JSON.stringify(devNull)}`;
    expect([...lines].sort()).toEqual(names.map((name) => `${name}: ${wrong}`));
  });

  test("a key in place of the path of its file is not shown", () => {
    const TLS_KEY_FILE = "-----BEGIN PRIVATE KEY----- MIIE5ecret";
    expect(linesOf("target-manager", { TLS_KEY_FILE })).toContain(
      "TLS_KEY_FILE: expected the path of a file that can be read and is not empty; got a value that is not shown",
    );
    expect(linesOf("target-manager", { TLS_KEY_FILE: "/no/key.pem" }).join()).toContain('"/no/key.pem"');
  });

  test("a setting that works in process only is refused with a line that says so", () => {
    expect(linesOf("query", { ...MANAGER, CLOUD_QUERY_FAILURE: "500" })).toEqual([
      "CLOUD_QUERY_FAILURE: servers do not support this; it works in process only, with new MockCloudReco()",
    ]);
    for (const name of [
      "MODEL_TARGET_FAILURE",
      "MODEL_TARGET_GENERATION_FAILURE",
      "MODEL_TARGET_GENERATION_WARNING",
      "INSTANCE_GENERATION_FAILURE",
    ]) {
      expect(linesOf("target-api", { ...MANAGER, [name]: "x" })).toEqual([
        expect.stringMatching(`^${name}: servers do not support this`),
      ]);
    }
  });
});

describe("settings of all three in one process", () => {
  test("are those of each server, without ports and the manager's URL", () => {
    const settings = readSharedSettings({
      MOCK_CLOUD_RECO_TARGET_RATER: "random",
      MOCK_CLOUD_RECO_QUERY_IMAGE_MATCHER: "exact",
      MOCK_CLOUD_RECO_PROCESSING_TIME_SECONDS: "1.5",
    });
    expect(settings.options).toMatchObject({
      targetRater: "random",
      queryMatcher: "exact",
      processingTimeSeconds: 1.5,
    });
    expect(settings.options.serviceBaseUrl).toBeUndefined();
  });

  test("an invalid one has one line, however many servers read it", () => {
    expect(
      wrongLines(() =>
        readSharedSettings({ MOCK_CLOUD_RECO_SERVICE_PROFILE: "x", MOCK_CLOUD_RECO_TARGET_RATER: "y" }),
      ),
    ).toEqual([
      'MOCK_CLOUD_RECO_TARGET_RATER: expected "brisque", "features", "perfect" or "random"; got "y"',
      'MOCK_CLOUD_RECO_SERVICE_PROFILE: expected "neutral" or "vuforia"; got "x"',
    ]);
  });
});

test.each(["target-api", "query"] as const)("%s keeps no state: STATE_URL prevents its start", (role) => {
  const environment = { ...MANAGER, STATE_URL: "redis://user:hidden@state:6379" };
  expect(linesOf(role, environment)).toEqual([
    `STATE_URL: remove it; the ${role} server keeps no state: set STATE_URL of target-manager or, to replicate all servers, MOCK_CLOUD_RECO_STATE_URL of serve`,
  ]);
  expect(linesOf("target-manager", environment)).toEqual([]);
});
