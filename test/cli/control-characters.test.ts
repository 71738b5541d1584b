import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { start } from "./command.ts";

/** They clear a terminal's screen, write a faked line, and end a C string. */
const CONTROLS = "\u001b[2J\u009b1m\r\u007f";
const ESCAPED = String.raw`\u001b[2J\u009b1m\r\u007f`;
const KEYS = {
  VUFORIA_SERVER_ACCESS_KEY: "my-key",
  VUFORIA_SERVER_SECRET_KEY: "my-secret",
  VUFORIA_CLIENT_ACCESS_KEY: "client-key",
  VUFORIA_CLIENT_SECRET_KEY: "c-secret",
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "controls-"));
});
afterEach(() => rm(folder, { recursive: true }));

test.each([[[]], [["--json"]]])(
  "serve %j escapes a database's name and the place of the state",
  async (more) => {
    const [seed, state] = [join(folder, "seed.json"), join(folder, `state${CONTROLS}.json`)];
    const database_name = `shop\nquery API ${CONTROLS}`;
    await writeFile(seed, JSON.stringify({ cloud_databases: [{ database_name }] }));
    const command = start(["serve", "--seed", seed, "--state", state, ...more], {
      MOCK_CLOUD_RECO_LOG_LEVEL: "silent",
    });
    const printed = await command.printed();
    expect(printed).toMatch(/^[\P{Cc}\n]+$/u);
    expect(printed).toContain(`shop\\nquery API ${ESCAPED}`);
    if (more.length > 0) expect(JSON.parse(printed).database.database_name).toBe(database_name);
    else expect(printed).toContain(`state${ESCAPED}.json.\n`);
    await command.stop();
  },
);

test.each([
  [[`serve${CONTROLS}`]],
  [["serve", CONTROLS]],
  [["serve", `--${CONTROLS}`]],
  [["serve", "--seed", `nowhere/${CONTROLS}`]],
  // A value with several lines could be a private key, and is not shown.
  [["serve", "--query-port", CONTROLS.replace("\r", "")]],
  [["sign", "GET", `/${CONTROLS}`]],
  [["sign", "GET", "/", "--keys", `nowhere/${CONTROLS}`]],
  [["sign", "GET", "/", "--date", `Sat${CONTROLS}`]],
  [["sign", "POST", "/", "--content-type", `text/${CONTROLS}`]],
])("an error of the command %j has one line, with control characters escaped", async (args) => {
  const { code, printed, complained } = await start(args, KEYS).finished;
  expect([code, printed]).toEqual([2, ""]);
  expect(complained).toMatch(/^mock-cloud-reco: \P{Cc}+\n(See: mock-cloud-reco --help\n)?$/u);
  expect(complained).toMatch(/\\u001b\[2J\\u009b1m(\\r)?\\u007f/);
});

test.each(["VUFORIA_SERVER_ACCESS_KEY", "VUFORIA_SERVER_SECRET_KEY"])(
  "sign refuses control characters in %s, and shows no secret",
  async (name) => {
    const { code, printed, complained } = await start(["sign", "GET", "/"], { ...KEYS, [name]: "my-key\r" })
      .finished;
    expect([code, printed]).toEqual([2, ""]);
    const got = name.includes("SECRET") ? "a value that is not shown" : String.raw`"my-key\r"`;
    expect(complained).toContain(
      `${name}: expected a key of 1 to 4096 visible ASCII characters without ":"; got ${got}\n`,
    );
  },
);

test.each([`VWS my-key:${CONTROLS}\n=`, `VWS ${CONTROLS}:c2lnbmF0dXJl`, `${CONTROLS} my-key\n`])(
  "sign --explain escapes control characters of %j",
  async (header) => {
    const args = ["sign", "GET", "/", "--date", "Sat, 21 Nov 2026 12:00:00 GMT", "--explain", header];
    const { code, printed } = await start(args, KEYS).finished;
    expect(code).toBe(1);
    expect(printed).toMatch(/^[\P{Cc}\n]+$/u);
  },
);
