import { describe, expect, test } from "vitest";
import { settingsOf } from "../../src/options/command-settings.ts";
import type { Environment } from "../../src/options/setting-names.ts";
import { type Flags, readSharedSettings } from "../../src/options/settings.ts";
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

/** What `serve` reads, as text; undefined if it is refused. */
function read(environment: Environment, flags: Flags = {}): string | undefined {
  try {
    return JSON.stringify(readSharedSettings(environment, flags));
  } catch {
    return undefined;
  }
}

test.each(SETTINGS)("$variable is $flag.usage too, and the option wins", ({ variable, flag }) => {
  const values = flag.switchesTo === undefined ? [...VALUES, ...LONGER_VALUES] : [flag.switchesTo];
  const tried = BESIDE.flatMap((beside) =>
    values.map((value) => ({ beside, value, result: read({ ...beside, [variable]: value }) })),
  );
  const found = tried.find(({ beside, result }) => result !== undefined && result !== read(beside));
  if (found === undefined) throw new Error(`no value changes ${variable}`);
  const { beside, value, result } = found;
  const given = { [flag.name]: flag.switchesTo === undefined ? value : true };
  expect(read(beside, given)).toBe(result);
  expect(read({ ...beside, [variable]: "\n?" }, given)).toBe(result);
});

describe("the prefix of serve and exec", () => {
  const unprefixed = Object.fromEntries(
    SETTINGS.map(({ setting }) => [setting, "not for this program"]).concat([["PORT", "http"]]),
  );

  test("exec reads no setting without it, serve only its three ports", () => {
    const ports = ["TARGET_PORT", "QUERY_PORT", "MANAGER_PORT"];
    expect(readSharedSettings(unprefixed, {}, "exec")).toEqual(readSharedSettings({}, {}, "exec"));
    expect(wrongLines(() => readSharedSettings(unprefixed, {}, "serve"))).toEqual(
      ports.map((name) => expect.stringMatching(`^${name}: expected a whole number`)),
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
