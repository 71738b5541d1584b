import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { authorizationHeader } from "mock-cloud-reco";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeBlocks } from "../support/code-blocks.ts";
import { start } from "./command.ts";

const load = createRequire(import.meta.url);

const KEYS = {
  VUFORIA_SERVER_ACCESS_KEY: "my-key",
  VUFORIA_SERVER_SECRET_KEY: "my-secret",
  VUFORIA_CLIENT_ACCESS_KEY: "client-key",
  VUFORIA_CLIENT_SECRET_KEY: "c-secret",
};
const DATE = "Sat, 21 Nov 2026 12:00:00 GMT";
const TARGET = '{"name":"Käfer","width":1}';
const QUERY = '--b\r\nContent-Disposition: form-data; name="image"\r\n\r\nx\r\n--b--\r\n';
/** Made with `openssl dgst -sha1 -hmac`. */
const KNOWN = {
  summary: "VWS my-key:rtpOo07PFz0s4yBR7Yg0mXll2vY=",
  target: "VWS my-key:CeDzadBpPyByhHljO08roWZKHW8=",
  targetWithoutType: "VWS my-key:ENIQxgDUWAE5kepeZ42UzU6h2uY=",
  query: "VWS client-key:VJpc90bDT16AtTBqRtxkZsHjNxA=",
};

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sign-"));
  await writeFile(join(folder, "target.json"), TARGET);
  await writeFile(join(folder, "query"), QUERY);
  const lines = Object.entries(KEYS).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(folder, "keys.env"), lines.join(""));
});
afterAll(() => rm(folder, { recursive: true }));

/** Signs with the keys in the environment; words that name a file of the folder become its path. */
async function sign(args: readonly string[], environment: Readonly<Record<string, string>> = KEYS) {
  const files = ["target.json", "query", "keys.env"];
  const words = args.map((word) => (files.includes(word) ? join(folder, word) : word));
  const finished = await start(["sign", ...words], environment).finished;
  // As keys can be part of ids, only secrets are looked for.
  for (const secret of [KEYS.VUFORIA_SERVER_SECRET_KEY, KEYS.VUFORIA_CLIENT_SECRET_KEY])
    expect(finished.printed + finished.complained).not.toContain(secret);
  return { ...finished, lines: finished.printed.split("\n") };
}

const authorizationIn = (lines: readonly string[]): string | undefined =>
  lines.find((line) => line.startsWith("Authorization: "))?.slice("Authorization: ".length);

describe("the command sign", () => {
  test("prints the five parts, the string to sign and the headers", async () => {
    const { code, printed } = await sign(["post", "/targets?a=1", "--body", "target.json", "--date", DATE]);
    expect(code).toBe(0);
    expect(printed).toBe(
      `1 method        POST
2 MD5 of body   e6114e0146aa0a513796bae4dd5080ac
3 content type  application/json
4 date          ${DATE}
5 path          /targets

String to sign, as JSON:
"POST\\ne6114e0146aa0a513796bae4dd5080ac\\napplication/json\\n${DATE}\\n/targets"

Headers to send:
Date: ${DATE}
Content-Type: application/json
Authorization: ${KNOWN.target}
`,
    );
  });

  test.each([
    [["GET", "/summary"], KNOWN.summary],
    [["POST", "/targets", "--body", "target.json", "--content-type", ""], KNOWN.targetWithoutType],
    [
      ["POST", "/v1/query", "--body", "query", "--content-type", "multipart/form-data; boundary=b"],
      KNOWN.query,
    ],
    [["POST", "/v1/query", "--body", "query", "--keys", "keys.env"], KNOWN.query],
  ])("signs %j as openssl does", async (args, expected) => {
    const environment = args.includes("--keys") ? {} : KEYS;
    const { lines } = await sign([...args, "--date", DATE], environment);
    expect(authorizationIn(lines)).toBe(expected);
  });

  test("signs as the client vuforia-api does", async () => {
    const { createAuthorization } = load("vuforia-api/lib/util.js")();
    const request = {
      method: "POST",
      body: TARGET,
      type: "application/json",
      timestamp: DATE,
      path: "/targets",
    };
    const keys = { accessKey: "my-key", secretKey: "my-secret" };
    expect(createAuthorization({ ...request, ...keys })).toBe(KNOWN.target);
  });

  test("dates a request with the present time", async () => {
    const before = Date.now() - 1000;
    const date = (await sign(["GET", "/summary"])).lines.find((line) => line.startsWith("Date: "));
    expect(Date.parse(date?.slice("Date: ".length) ?? "")).toBeGreaterThanOrEqual(before);
  });
});

describe("sign --explain", () => {
  const target = ["POST", "/targets", "--body", "target.json", "--date", DATE, "--explain"];
  const signed = (parts: Partial<Parameters<typeof authorizationHeader>[0]>) =>
    authorizationHeader({
      accessKey: "my-key",
      secretKey: "my-secret",
      method: "POST",
      path: "/targets",
      body: TARGET,
      contentType: "application/json",
      date: DATE,
      ...parts,
    });

  test.each([KNOWN.target, `Authorization: ${KNOWN.target}`])("accepts %s", async (header) => {
    expect(await sign([...target, header])).toMatchObject({
      code: 0,
      printed: "The Authorization header is right.\n",
    });
  });

  test.each([
    ["1 method", signed({ method: "PUT" }), '"POST"', '"PUT"'],
    ["2 MD5 of body", signed({ body: "" }), '"e6114e', '"d41d8c'],
    ["3 content type", KNOWN.targetWithoutType, '"application/json"', '""'],
    ["4 date", signed({ date: "Sat, 21 Nov 2026 12:00:01 GMT" }), "12:00:00", "12:00:01"],
    ["5 path", signed({ path: "/targets/" }), '"/targets"', '"/targets/"'],
  ])("says that part %s differs", async (part, header, expected, wrong) => {
    const { code, lines } = await sign([...target, header]);
    expect(code).toBe(1);
    const at = lines.indexOf(`${part} differs`);
    expect(lines[0]).toMatch(/; the signature does not match/);
    expect(lines[at + 1]).toMatch(/^ {2}expected {6}/);
    expect(lines[at + 1]).toContain(expected);
    expect(lines[at + 2]).toContain(wrong);
    expect(lines.filter((line) => line.endsWith(" differs"))).toHaveLength(1);
  });

  test.each([
    [
      "the other pair's secret",
      signed({ secretKey: "c-secret" }),
      "made with the database's client secret key",
    ],
    ["another scheme", KNOWN.target.replace("VWS", "vws"), 'as exactly "VWS"'],
    [
      "another secret",
      signed({ secretKey: "unknown" }),
      "check the secret key, and that exactly this is signed",
    ],
    [
      "the other pair's key",
      signed({ accessKey: "client-key" }),
      '"client-key": /targets needs the server access key, "my-key"',
    ],
    [
      "an unknown key",
      signed({ accessKey: "elsewhere" }),
      'the access key "el…" (9 characters): /targets needs the server',
    ],
    ["swapped keys", signed({ accessKey: "my-secret", secretKey: "my-key" }), "swap them"],
    ["no colon", "VWS my-key", "there is no colon between access key and signature"],
  ])("explains %s", async (_name, header, reason) => {
    const { code, printed } = await sign([...target, header]);
    expect(code).toBe(1);
    expect(printed).toContain(reason);
  });

  test("says only that the key is wrong if the signature is right", async () => {
    const { printed } = await sign([...target, signed({ accessKey: "client-key" })]);
    expect(printed.split("\n")).toEqual([expect.stringContaining("the other pair's access key"), ""]);
  });
});

test.each<[readonly string[], Readonly<Record<string, string>>, RegExp]>([
  [[], KEYS, /^mock-cloud-reco: sign: expected a method and a path/],
  [["GET", "https://vws.vuforia.com/summary"], KEYS, /^mock-cloud-reco: sign: expected a method and a path/],
  [["GET", "/summary", "more"], KEYS, /^mock-cloud-reco: unexpected "more"/],
  [["GET", "/summary"], {}, /^mock-cloud-reco: VUFORIA_SERVER_ACCESS_KEY is not set: set it in/],
  [
    ["POST", "/v1/query"],
    { VUFORIA_CLIENT_ACCESS_KEY: "a" },
    /^mock-cloud-reco: VUFORIA_CLIENT_SECRET_KEY is not set/,
  ],
  [["GET", "/summary", "--explain", "VWS a:b"], KEYS, /^mock-cloud-reco: --explain: add --date/],
  [
    ["POST", "/targets", "--body", "/missing/file"],
    KEYS,
    /^mock-cloud-reco: --body: "\/missing\/file" cannot be read: there is no/,
  ],
  [
    ["GET", "/summary", "--keys", "/missing/file"],
    KEYS,
    /^mock-cloud-reco: --keys: "\/missing\/file" cannot be read: there is no/,
  ],
])("sign %j with %j is a mistake of the user", async (args, environment, message) => {
  const { code, printed, complained } = await sign(args, environment);
  expect({ code, printed }).toEqual({ code: 2, printed: "" });
  expect(complained).toMatch(message);
});

describe("files as Windows writes them", () => {
  const lines = Object.entries(KEYS)
    .map(([name, value]) => `${name}=${value}\r\n`)
    .join("");
  test.each([
    ["UTF-8 with a byte-order mark", Buffer.from(`\ufeff${lines}`)],
    ["UTF-16", Buffer.from(`\ufeff${lines}`, "utf16le")],
  ])("keys in %s are read", async (_encoding, bytes) => {
    const file = join(folder, "windows.env");
    await writeFile(file, bytes);
    const { code, lines: printed } = await sign(["GET", "/summary", "--keys", file, "--date", DATE], {});
    expect([code, authorizationIn(printed)]).toEqual([0, KNOWN.summary]);
  });

  test("keys in Latin-1 are refused with the place, and a body's byte-order mark is told", async () => {
    const file = join(folder, "windows.env");
    await writeFile(file, Buffer.from("# K\xe4fer\nA=b", "latin1"));
    const { code, complained } = await start(["sign", "GET", "/summary", "--keys", file]).finished;
    expect(code).toBe(2);
    expect(complained).toMatch(/it is not UTF-8, .* the byte e4 at line 1, column 4; save it as UTF-8/);
    await writeFile(file, `\ufeff${TARGET}`);
    const signed = await start(["sign", "POST", "/targets", "--body", file], KEYS).finished;
    expect([signed.code, signed.complained]).toEqual([
      0,
      expect.stringContaining("begins with a byte-order mark (utf-8)"),
    ]);
  });
});

describe("the guide to signing", async () => {
  const guide = new URL("../../examples/signing/README.md", import.meta.url);
  const blocks = codeBlocks(await readFile(guide, "utf8"));
  const textOf = (language: string) =>
    blocks.filter((block) => block.language === language).map(({ text }) => text);

  test("has commands that print what it shows", async () => {
    const [first = "", second = ""] = textOf("sh");
    const wordsOf = (line: string) =>
      [...line.matchAll(/"([^"]*)"|[^\s"\\]+/g)].map(([word, quoted]) => quoted ?? word).slice(2);
    const [, plain = ""] = first.split("\n");
    const [word, ...args] = wordsOf(plain);
    expect(word).toBe("sign");
    expect((await sign(args, {})).code).toBe(0);
    expect((await sign(wordsOf(second).slice(1), {})).printed).toContain(textOf("text")[0]);
  });

  test.each([
    ["GET", "/summary", undefined],
    ["POST", "/targets", TARGET],
  ])("has a script that signs %s %s in Postman", (method, path, raw) => {
    const sent = new Map<string, string>();
    const updates: unknown[] = [];
    const pm = {
      request: {
        method,
        url: { getPath: () => path.replace("targets", "{{folder}}") },
        body: raw === undefined ? undefined : { raw, update: (to: unknown) => updates.push(to) },
        headers: { upsert: ({ key, value }: Record<"key" | "value", string>) => sent.set(key, value) },
      },
      variables: { replaceIn: (text: string) => text.replace("{{folder}}", "targets") },
      environment: { get: (name: keyof typeof KEYS) => KEYS[name] },
    };
    runInNewContext(textOf("js")[0] ?? "", { require: load, pm });
    const { Authorization, Date: date = "", ...others } = Object.fromEntries(sent);
    const contentType = raw && "application/json";
    const [accessKey, secretKey] = ["my-key", "my-secret"];
    expect(Authorization).toBe(
      authorizationHeader({ accessKey, secretKey, method, path, body: raw, contentType, date }),
    );
    expect(others).toEqual(raw === undefined ? {} : { "Content-Type": contentType });
    expect(updates).toEqual(raw === undefined ? [] : [{ mode: "raw", raw }]);
  });
});
