import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { serversBackend } from "../../support/backends.ts";
import { ALL } from "../../support/combinations.ts";
import { FACTS } from "../facts.ts";
import { textOf } from "./differences.ts";
import { factRun } from "./emulator-run.ts";
import type { Received } from "./fact.ts";
import { startProxy } from "./proxy.ts";
import type { Outcome } from "./run.ts";

type Change = (response: Received) => Received;

const status =
  (code: number): Change =>
  (response) => ({ ...response, status: code });
const body =
  (change: (text: string) => string): Change =>
  (response) => {
    const isEncoded = response.headers.some(([name]) => name === "Content-Encoding");
    const changed = Buffer.from(change(textOf(response)));
    const bytes = isEncoded ? gzipSync(changed) : changed;
    const headers = response.headers.map(([name, value]): [string, string] => [
      name,
      name === "Content-Length" ? String(bytes.length) : value,
    ]);
    return { ...response, headers, body: bytes };
  };
const replaced = (from: string | RegExp, to: string): Change => body((text) => text.replace(from, to));
const header =
  (name: string, change: (value: string) => [string, string][]): Change =>
  (response) => ({
    ...response,
    headers: response.headers.flatMap(([own, value]) => (own === name ? change(value) : [[own, value]])),
  });
const withHeader =
  (name: string, value: string): Change =>
  (response) => ({ ...response, headers: [...response.headers, [name, value]] });
const both =
  (...changes: readonly Change[]): Change =>
  (response) =>
    changes.reduce((changed, change) => change(changed), response);

/** By fact: what its response is changed to, and where the difference must be reported. */
const PLANTED: Readonly<Record<string, readonly [what: readonly string[], change: Change]>> = {
  "target-database-summary": [["body"], replaced('"request_usage":0,', "")],
  "target-list": [["header x-content-type-options"], header("x-content-type-options", () => [])],
  "target-query-string": [
    ["header strict-transport-security"],
    header("strict-transport-security", () => [["strict-transport-security", "max-age=1"]]),
  ],
  "target-add": [["status"], status(200)],
  "target-accepts-null-flag": [["header X-Powered-By"], withHeader("X-Powered-By", "hidden")],
  "target-record": [["body"], replaced('"reco_rating":""', '"reco_rating":"5"')],
  // Processing takes no time.
  "target-record-processing": [["body"], replaced('"status":"processing"', '"status":"success"')],
  "target-delete": [
    ["body"],
    replaced(/^\{("transaction_id":"\w+"),("result_code":"Success")\}$/, "{$2,$1}"),
  ],
  "target-update-failed": [["status"], status(403)],
  "target-unserved-targets": [["body"], replaced("<h1>Not Found", "<h1>Not found")],
  "target-1-a-header-line-of-8191-bytes": [["body"], replaced("</html>\r\n", "</html>\n")],
  "target-4-two-colons-in-authorization": [
    ["status", "body"],
    both(status(401), replaced('"Fail"', '"AuthenticationFailure"')),
  ],
  "target-12-a-body": [["header Content-Type"], withHeader("Content-Type", "text/plain")],
  "target-22-a-taken-name-add": [["body"], replaced("TargetNameExist", "TargetNameExists")],
  "target-6-a-wrong-signature": [["header server"], header("server", (value) => [["Server", value]])],
  // The Date is read before the Authorization.
  "target-order-3-13": [["status", "body"], both(status(400), replaced("AuthenticationFailure", "Fail"))],
  // The name is read before the image.
  "target-order-20-22": [["status", "body"], both(status(403), replaced('"Fail"', '"TargetNameExist"'))],
  "query-3-no-authorization": [
    ["header WWW-Authenticate"],
    header("WWW-Authenticate", () => [["WWW-Authenticate", "VWS"]]),
  ],
  "query-8-no-date": [["body"], replaced("required.", "required")],
  "query-17-a-gif": [["body"], replaced('"transaction_id": ', '"transaction_id":')],
  "query-11-no-content-type": [["body"], replaced("12.0.20", "12.0.21")],
  "query-order-8-11": [["status", "body"], both(status(415), replaced(/^.*$/, ""))],
  "query-gzip": [
    ["header Content-Encoding"],
    (response) => {
      const plain = Buffer.from(textOf(response));
      const headers = response.headers.flatMap(([name, value]): [string, string][] =>
        name === "Content-Encoding" ? [] : [[name, name === "Content-Length" ? String(plain.length) : value]],
      );
      return { ...response, headers, body: plain };
    },
  ],
  "model-target-bearer-alg-none": [["status"], status(403)],
  "model-target-validation-an-empty-object": [
    ["body"],
    body((text) => {
      const { error } = JSON.parse(text);
      return JSON.stringify({ error: { ...error, details: error.details.toReversed() } });
    }),
  ],
};

/** Of the rows that nothing is planted in, a selection has some. */
const EVERY = ALL ? 1 : 10;

/** Facts about bytes that an HTTP proxy does not pass on. */
const passesProxy = (id: string): boolean =>
  !/content-length|-order-0-|target-order-24|query-order-[12]-|target-http-2/.test(id);

describe("a service that differs", () => {
  test("in 25 points: each is found and named, and nothing else", async () => {
    await using service = await serversBackend.open({ processingTimeSeconds: 2 });
    let current = "";
    const meddled = async (forward: () => Promise<Received>) => {
      const response = await forward();
      const change = PLANTED[current]?.[1];
      return change === undefined ? response : change(response);
    };
    const meddle = (_request: object, forward: () => Promise<Received>) => meddled(forward);
    await using target = await startProxy(service.urls.target, meddle);
    await using query = await startProxy(service.urls.query, meddle);
    const urls = { ...service.urls, target: target.url, query: query.url, modelTarget: target.url };
    const run = await factRun(service, { profile: "neutral", urls });
    const outcomes: Outcome[] = [];
    const facts = FACTS.filter(({ id }) => passesProxy(id));
    for (const fact of facts.filter(({ id }, index) => id in PLANTED || index % EVERY === 0)) {
      current = fact.id;
      outcomes.push(await run.try(fact));
    }
    current = "";
    const found = outcomes.flatMap((outcome) => {
      if (outcome.result === "holds") return [];
      if (outcome.result === "notTried") return [[outcome.fact.id, outcome.why]];
      return [[outcome.fact.id, outcome.differences.map(({ what }) => what)]];
    });
    const planted = Object.entries(PLANTED).map(([id, [what]]) => [id, what]);
    expect(planted).toHaveLength(25);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(planted));
    expect(await run.close()).toEqual([]);
  }, 240_000);
});
