import { once } from "node:events";
import { request } from "node:http";
import { setTimeout } from "node:timers/promises";
import { authorizationHeader } from "../../../src/index.ts";
import { makePng } from "../../support/png.ts";

/**
 * Run as a process of its own, whose work does not count as the servers': sends them bodies that take long to read, one after
 * the other, and says before and after each which one it is.
 */
const [target = "", query = "", manager = "", keysText = "", only] = process.argv.slice(2);
/** Undefined: all. */
const wanted: readonly string[] | undefined = only === undefined ? undefined : JSON.parse(only);
const keys: Readonly<Record<string, string>> = JSON.parse(keysText);
const BYTES = 63 * 2 ** 20;
const JSON_BYTES = 63 * 2 ** 20;

const filled = (pattern: string, { bytes = JSON_BYTES, before = "", after = "" } = {}) =>
  Buffer.concat([Buffer.from(before), Buffer.alloc(bytes, pattern), Buffer.from(after)]);
const many = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join();

const utf8Damaged = () => Buffer.concat([filled("A", { before: '{"name":"' }), Buffer.from([0xff])]);
const names = () => Buffer.from(`{${many(1_000_000, (at) => `"n${at}":1`)}}`);

/** As servers send text to each other: its length first. */
const packed = (text: Buffer) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text]);
};

/** What may be slow to read as JSON. */
const JSONS: Readonly<Record<string, () => Buffer>> = {
  "brackets beyond the limit of JSON": () => filled("[", { bytes: BYTES }),
  "a long string": () => filled("A", { before: '{"image":"', after: '"}' }),
  "a long name": () => filled("A", { before: '{"', after: '":1}' }),
  "a string of escapes": () => filled("\\u0041", { before: '{"image":"', after: '"}' }),
  "a string of quotation marks": () => filled('\\"', { before: '{"name":"', after: '"}' }),
  "a string of backslashes": () => filled("\\", { before: '{"name":"', after: '"}' }),
  "white space": () => filled(" ", { before: "{", after: "}" }),
  digits: () => filled("1", { before: '{"width":', after: "}" }),
  numbers: () => filled("1,", { before: '{"image":[', after: "1]}" }),
  "numbers in arrays": () => filled(`[${"1,".repeat(9_999)}1],`, { before: '{"image":[', after: "[]]}" }),
  "many strings": () => filled(`"${"A".repeat(4_000)}",`, { before: '{"image":[', after: '""]}' }),
  "many long strings": () => filled(`"${"A".repeat(5_000)}",`, { before: '{"image":[', after: '""]}' }),
  arrays: () => filled("[],", { before: "[", after: "[]]" }),
  "a million names": names,
  "not UTF-8": utf8Damaged,
};

const model = (fields: object) =>
  Buffer.from(
    JSON.stringify({ name: "x", targetSdk: "10", models: [{ name: "a", cadDataUrl: "u", ...fields }] }),
  );
const states = (count: number) => Array.from({ length: count }, (_, at) => `state ${at}`);
const configuration = (of: readonly string[]) =>
  JSON.stringify({ states: Object.fromEntries(of.map((state) => [state, 1])) });
const guideViewPosition = { rotation: [], translation: [] };

const DATASETS: Readonly<Record<string, () => Buffer>> = {
  "not UTF-8": utf8Damaged,
  "many models": () => Buffer.from(JSON.stringify({ name: "x", targetSdk: "10", models: states(9_900) })),
  "many states that are not declared": () =>
    model({
      stateBasedConfigurationJsonString: configuration(states(19_000)),
      views: [{ name: "v", guideViewPosition, states: states(9_900).map((state) => `not ${state}`) }],
    }),
  "a configuration of brackets": () => model({ stateBasedConfigurationJsonString: "[".repeat(JSON_BYTES) }),
  "a configuration of many states": () =>
    model({ stateBasedConfigurationJsonString: configuration(states(500_000)) }),
  "a large blob": () => model({ cadDataUrl: undefined, cadDataBlob: "A".repeat(JSON_BYTES) }),
};

const part = (rest: string) => `--b\r\nContent-Disposition: form-data; ${rest}\r\n\r\n`;
const image = Buffer.concat([
  Buffer.from(part('name="image"; filename="f"')),
  makePng(),
  Buffer.from("\r\n"),
]);
const form = (pattern: string, around: { before?: string; after?: string } = {}) =>
  Buffer.concat([image, filled(pattern, { bytes: BYTES, ...around })]);

const FORMS: Readonly<Record<string, () => Buffer>> = {
  boundaries: () => form("--b\r\n"),
  "parts whose headers are broken": () => form("--b\r\nno header at all\r\n\r\nx\r\n"),
  parts: () => form(`${part("name=image")}x\r\n`),
  dashes: () => form("\r\n--"),
  "a file name of escaped quotation marks": () =>
    form('\\"', {
      before: '--b\r\nContent-Disposition: form-data; name="a"; filename="',
      after: '"\r\n\r\nx\r\n--b--',
    }),
  "file names of escaped quotation marks": () =>
    Buffer.concat([
      ...Array.from({ length: 100 }, () =>
        filled('\\"', {
          bytes: 15_000,
          before: `--b\r\nContent-Disposition: form-data; name="`,
          after: "\r\n\r\nx\r\n",
        }),
      ),
      Buffer.from("--b--"),
    ]),
  "a long image": () => form("A", { before: part('name="image"; filename="f"'), after: "\r\n--b--" }),
  "a long number": () => form("1", { before: part('name="max_num_results"'), after: "\r\n--b--" }),
  "a long word": () => form("a", { before: part('name="include_target_data"'), after: "\r\n--b--" }),
};

const jwt = ['{"alg":"mock"}', '{"scope":"modeltargets.all"}', "s"].map((text) =>
  Buffer.from(text).toString("base64url"),
);
const bearer = { Authorization: `Bearer ${jwt.join(".")}`, "Content-Type": "application/json" };

function signed(side: "server" | "client", path: string, body: Buffer, contentType: string) {
  const [accessKey = "", secretKey = ""] = [keys[`${side}AccessKey`], keys[`${side}SecretKey`]];
  const date = new Date().toUTCString();
  const authorization = authorizationHeader({
    accessKey,
    secretKey,
    method: "POST",
    path,
    body,
    contentType,
    date,
  });
  return { Authorization: authorization, Date: date, "Content-Type": contentType };
}

const routes = [
  {
    url: `${target}/targets`,
    cases: JSONS,
    headers: (body: Buffer) => signed("server", "/targets", body, "application/json"),
  },
  { url: `${target}/modeltargets/advancedDatasets`, cases: DATASETS, headers: () => bearer },
  {
    url: `${query}/v1/query`,
    cases: FORMS,
    headers: (body: Buffer) => signed("client", "/v1/query", body, "multipart/form-data; boundary=b"),
  },
  {
    url: `${manager}/internal/create`,
    cases: {
      "a million names": () => packed(names()),
      "a long string": () => packed(filled("A", { before: '{"a":"', after: '"}' })),
    },
    headers: () => ({}),
  },
  { url: `${manager}/cloud_databases`, cases: { "a million names": names }, headers: () => ({}) },
  {
    url: `${target}/${"targets/".repeat(30_000)}`,
    cases: { "a long path": () => Buffer.alloc(0) },
    headers: () => ({}),
  },
  { url: `${target}/oauth2/token`, cases: { fields: () => filled("a&") }, headers: () => ({}) },
];

async function send(url: string, headers: Readonly<Record<string, string>>, body: Buffer): Promise<number> {
  const outgoing = request(url, { method: "POST", headers: { ...headers, "Content-Length": body.length } });
  outgoing.end(body);
  const [incoming] = await once(outgoing, "response");
  incoming.resume();
  await once(incoming, "end");
  return incoming.statusCode;
}

for (const { url, cases, headers } of routes) {
  for (const [what, make] of Object.entries(cases)) {
    const name = `${new URL(url).pathname.slice(0, 40)}: ${what}`;
    if (wanted?.includes(name) === false) continue;
    const body = make();
    const head = headers(body);
    process.send?.({ name });
    const status = await send(url, head, body);
    process.send?.({ name, status });
    // What follows the response, such as the journal's work, counts too.
    await setTimeout(20);
  }
}
process.disconnect();
