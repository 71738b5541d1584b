import { describe, expect, test } from "vitest";
import { settingsOf } from "../../src/options/command-settings.ts";
import type { Environment } from "../../src/options/setting-names.ts";
import { type Flags, readSettings, readSharedSettings } from "../../src/options/settings.ts";
import { wrongLines } from "./wrong-lines.ts";

const SETTINGS = settingsOf("serve");
const FILE = new URL("../../package.json", import.meta.url).pathname;
const OTHER_FILE = new URL("../../tsconfig.json", import.meta.url).pathname;
/** Some settings mean nothing without others. */
const BESIDE: readonly Environment[] = [
  {},
  { MOCK_CLOUD_RECO_TLS_CERT_FILE: FILE, MOCK_CLOUD_RECO_TLS_KEY_FILE: FILE },
  { MOCK_CLOUD_RECO_STATE_URL: "redis://state:6379" },
];
const VALUES = ["1", "exact", "identity", "vuforia", "random", "true", "false", "error", "json"];
const LONGER_VALUES = ["redis://other:6379", "http://api.example", OTHER_FILE, "manager.example"];

/** What a command reads, as text; undefined if it is refused. */
function read(
  environment: Environment,
  flags: Flags = {},
  command: "serve" | "exec" = "serve",
): string | undefined {
  try {
    const { warnings: _warnings, ...settings } = readSharedSettings(environment, flags, command);
    return JSON.stringify(settings);
  } catch {
    return undefined;
  }
}

/** A value of a setting that has an effect, with the settings that it needs beside it. */
function effective({ variables: [variable], flag }: (typeof SETTINGS)[number]) {
  const values = flag.switchesTo === undefined ? [...VALUES, ...LONGER_VALUES] : [flag.switchesTo];
  for (const beside of BESIDE) {
    const without = read(beside);
    for (const value of values) {
      const result = read({ ...beside, [variable]: value });
      if (result !== undefined && result !== without) return { beside, value, result };
    }
  }
  throw new Error(`no value changes ${variable}`);
}

test.each(SETTINGS)("$variables.0 is $flag.usage too, and the option wins", (setting) => {
  const { beside, value, result } = effective(setting);
  const [variable] = setting.variables;
  const given = { [setting.flag.name]: setting.flag.switchesTo === undefined ? value : true };
  expect(read(beside, given)).toBe(result);
  expect(read({ ...beside, [variable]: "\n?" }, given)).toBe(result);
});

/** The names that `serve` reads as the three servers do. */
const WITHOUT_PREFIX = [
  "TARGET_PORT",
  "QUERY_PORT",
  "MANAGER_PORT",
  "PROCESSING_TIME_SECONDS",
  "RESPONSE_DELAY_SECONDS",
  "TARGET_RATER",
  "QUERY_IMAGE_MATCHER",
  "DUPLICATES_IMAGE_MATCHER",
  "MODEL_TARGET_TRAINING_ALLOWANCE_EXCEEDED",
  "MODEL_TARGET_CLIENT_ID",
  "MODEL_TARGET_CLIENT_SECRET",
  "MODEL_TARGET_USERNAME",
  "MODEL_TARGET_PASSWORD",
  "SERVICE_PROFILE",
  "QUERY_CONTENT_ENCODING",
  "SERVICE_BASE_URL",
  "ALLOWED_HOSTS",
  "CORS_ALLOW_ORIGIN",
  "MANAGER_CORS_ALLOW_ORIGIN",
];
/** Any program may have them: nobody is told that they are not read. */
const COMMON = ["HOST", "PORT", "LOG_LEVEL", "UI"];
const PREFIX = "MOCK_CLOUD_RECO_";

/** What a command says of variables that it ignores. */
const warningsOf = (environment: Environment, command: "serve" | "exec" = "serve") =>
  readSharedSettings(environment, {}, command).warnings;

describe("the prefix of serve and exec", () => {
  test.each(SETTINGS)("$setting without it", (settings) => {
    const { setting } = settings;
    const { beside, value, result } = effective(settings);
    const bare = { ...beside, [setting]: value };
    const isRead = WITHOUT_PREFIX.includes(setting);
    expect(read(bare)).toBe(isRead ? result : read(beside));
    expect(read(bare, {}, "exec")).toBe(read(beside, {}, "exec"));
    // The prefix wins, and the other value is not even checked.
    expect(read({ ...beside, [setting]: "\n?", [PREFIX + setting]: value })).toBe(result);
    const named = `${setting} (it reads ${PREFIX}${setting})`;
    const isSaid = !COMMON.includes(setting);
    expect(warningsOf(bare)).toEqual(isRead || !isSaid ? [] : [`serve does not read ${named}`]);
    expect(warningsOf(bare, "exec")).toEqual(isSaid ? [`exec does not read ${named}`] : []);
  });

  test("one line names all variables that are set and not read", () => {
    const environment = {
      ...{ HOST: "a", PORT: "http", LOG_LEVEL: "loud", UI: "x", [`${PREFIX}LOG_LEVEL`]: "info" },
      ...{ TLS_GENERATE: "true", STATE_URL: "redis://:hidden@state", SEED_FILE: "", TARGET_RATER: "random" },
      TARGET_MANAGER_BASE_URL: "http://manager",
      JOURNAL_CAPACITY: "tcp://10.0.0.1:1",
    };
    const unread = [
      `STATE_URL (it reads ${PREFIX}STATE_URL)`,
      `TLS_GENERATE (it reads ${PREFIX}TLS_GENERATE)`,
    ];
    const alone = "TARGET_MANAGER_BASE_URL (only target-api and query read it)";
    expect(warningsOf(environment)).toEqual([`serve does not read ${[...unread, alone].join(", ")}`]);
    const rater = `TARGET_RATER (it reads ${PREFIX}TARGET_RATER)`;
    expect(warningsOf(environment, "exec")).toEqual([
      `exec does not read ${[rater, ...unread, alone].join(", ")}`,
    ]);
  });

  test("a server of its own reads no name with it, and says so", () => {
    const environment = {
      [`${PREFIX}TARGET_RATER`]: "random",
      [`${PREFIX}QUERY_IMAGE_MATCHER`]: "exact",
      [`${PREFIX}HOST`]: "0.0.0.0",
      // Servers of their own may share an environment.
      QUERY_CONTENT_ENCODING: "identity",
    };
    const { options, warnings } = readSettings("target-manager", environment);
    expect(options).toEqual({});
    expect(warnings).toEqual([
      `target-manager does not read ${PREFIX}TARGET_RATER (it reads TARGET_RATER), ` +
        `${PREFIX}QUERY_IMAGE_MATCHER (only serve and exec read it)`,
    ]);
  });

  test.each(WITHOUT_PREFIX)("a wrong %s without it is a warning, except of a port", (setting) => {
    for (const value of ["https://ann:hidden@\n", "https://ann:hidden@/ x", "?\u0000"]) {
      const given = { [setting]: value };
      const [line] = wrongLines(() => readSharedSettings({ [PREFIX + setting]: value }));
      if (setting.endsWith("_PORT")) {
        expect([line]).toEqual(wrongLines(() => readSharedSettings(given)).map((each) => PREFIX + each));
        expect(line).toContain("expected a whole number");
        continue;
      }
      // Names and passwords of the Model Target API may be any text.
      expect(line === undefined).toBe(/_(ID|SECRET|USERNAME|PASSWORD)$/.test(setting));
      if (line === undefined) continue;
      expect(read(given)).toBe(read({}));
      expect(warningsOf(given)).toEqual([`${line.slice(PREFIX.length)}; ignored: the default counts`]);
      expect(line).not.toContain("hidden");
    }
  });

  test("an option of mocks without it is a warning", () => {
    for (const command of ["serve", "exec"] as const)
      expect(warningsOf({ MODEL_TARGET_FAILURE: "x", CLOUD_QUERY_FAILURE: "500" }, command)).toEqual(
        ["CLOUD_QUERY_FAILURE", "MODEL_TARGET_FAILURE"].map((name) =>
          expect.stringMatching(`^${name}: servers do not support this`),
        ),
      );
  });

  test("a wrong value is named as it was given", () => {
    const expected = 'expected "silent", "error", "warn" or "info"; got "loud"';
    expect(wrongLines(() => readSharedSettings({ MOCK_CLOUD_RECO_LOG_LEVEL: "loud" }))).toEqual([
      `MOCK_CLOUD_RECO_LOG_LEVEL: ${expected}`,
    ]);
    expect(wrongLines(() => readSharedSettings({}, { "log-level": "loud" }))).toEqual([
      `--log-level: ${expected}`,
    ]);
    const secret = { MOCK_CLOUD_RECO_STATE_URL: "hidden" };
    expect(wrongLines(() => readSharedSettings(secret)).join()).toContain("a value that is not shown");
  });

  test("an unknown name is refused with the nearest one", () => {
    const lines = wrongLines(() =>
      readSharedSettings({
        MOCK_CLOUD_RECO_LOG_LEVLE: "warn",
        MOCK_CLOUD_RECO_ZZZZZZ: "1",
        MOCK_CLOUD_RECO_CLOUD_QUERY_FAILURE: "500",
        MOCK_CLOUD_RECO_EMPTY: "",
        MOCK_CLOUD_RECO_PAUSE: "1",
      }),
    );
    expect(lines).toEqual([
      "MOCK_CLOUD_RECO_CLOUD_QUERY_FAILURE: servers do not support this; it works in process only, with new MockCloudReco()",
      "MOCK_CLOUD_RECO_LOG_LEVLE: unknown setting; did you mean MOCK_CLOUD_RECO_LOG_LEVEL?",
      "MOCK_CLOUD_RECO_ZZZZZZ: unknown setting",
    ]);
  });

  test("what Kubernetes says of a service named mock-cloud-reco or mock-cloud-reco-query is no setting", () => {
    const links = {
      MOCK_CLOUD_RECO_SERVICE_HOST: "10.0.0.1",
      MOCK_CLOUD_RECO_SERVICE_PORT: "5000",
      MOCK_CLOUD_RECO_SERVICE_PORT_HTTP: "5000",
      MOCK_CLOUD_RECO_PORT: "tcp://10.0.0.1:5000",
      MOCK_CLOUD_RECO_PORT_5000_TCP: "tcp://10.0.0.1:5000",
      MOCK_CLOUD_RECO_PORT_5000_TCP_PORT: "5000",
      MOCK_CLOUD_RECO_QUERY_SERVICE_HOST: "10.0.0.2",
      MOCK_CLOUD_RECO_QUERY_PORT: "tcp://10.0.0.2:5001",
    };
    const warnings = [expect.stringContaining(": MOCK_CLOUD_RECO_QUERY_PORT;")];
    // Where Kubernetes sets links, clients need the ports of the image.
    expect(readSharedSettings(links)).toEqual({ ...readSharedSettings({}), queryPort: 5001, warnings });
    expect(readSharedSettings(links, {}, "exec")).toEqual({
      ...readSharedSettings({}, {}, "exec"),
      warnings,
    });
  });
});
