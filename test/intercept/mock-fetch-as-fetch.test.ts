import { once } from "node:events";
import { createServer } from "node:http";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { MockCloudReco } from "mock-cloud-reco";
import { expect, onTestFinished, test } from "vitest";

/** What a server answers at /summary. At /targets, it answers with "there". */
interface Answer {
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;
interface Seen {
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
}

const TEXT = gzipSync("text ".repeat(100));
const coded = (coding: string, body: Buffer | string): Answer => ({
  headers: { "Content-Encoding": coding },
  body,
});
const moved = (status: number, location?: string): Answer => ({
  status,
  headers: location === undefined ? {} : { Location: location },
  body: "moved",
});
const POST = { method: "POST", body: "sent", headers: { Authorization: "me", "Content-Language": "en" } };
const manual = { redirect: "manual" } as const;
const refusing = { redirect: "error" } as const;

type Case = [name: string, answer: Answer, init: RequestInit];

const CASES: readonly (readonly [name: string, answer: Answer, init?: RequestInit])[] = [
  ["gzip that is none", coded("gzip", "plain")],
  ["gzip and nothing", coded("gzip", "")],
  ["gzip that ends early", coded("gzip", TEXT.subarray(0, -9))],
  ["gzip in upper case", coded("GZIP", TEXT)],
  ["x-gzip", coded("x-gzip", TEXT)],
  ["deflate", coded("deflate", deflateSync("text"))],
  ["raw deflate", coded("deflate", deflateRawSync("text"))],
  ["br", coded("br", brotliCompressSync("text"))],
  ["br that is none", coded("br", "plain")],
  ["two codings", coded("deflate, gzip", gzipSync(deflateSync("text")))],
  ["an unknown coding", coded("snappy", "plain")],
  ["an unknown coding and gzip", coded("snappy, gzip", TEXT)],
  ["gzip that is none, for HEAD", coded("gzip", "plain"), { method: "HEAD" }],
  ["300", moved(300, "/targets")],
  ["302 without a location", moved(302)],
  ...[301, 302, 303, 307, 308].flatMap((status) => [
    [`${status}`, moved(status, "/targets")] as const,
    [`${status}, for HEAD`, moved(status, "targets?a=1#b"), { method: "HEAD" }] as const,
    [`${status}, for POST`, moved(status, "/targets"), POST] as const,
    [`${status}, for PUT`, moved(status, "/targets"), { ...POST, method: "PUT" }] as const,
    [`${status}, followed by hand`, moved(status, "/targets"), manual] as const,
    [`${status}, as an error`, moved(status, "/targets"), refusing] as const,
  ]),
  ["302 to itself", moved(302, "/summary")],
  ["302 to no URL", moved(302, "http://[")],
  ["302 to another scheme", moved(302, "ftp://files.example/x")],
  ["302 with a password", moved(302, "http://me:secret@files.example/x")],
  ["302 as an error, without a location", moved(302), refusing],
];

/** What a client sees: of errors, their names and messages. */
async function outcome(fetch: Fetch, url: string, init: RequestInit = {}): Promise<unknown> {
  const failure = (error: unknown): unknown =>
    error instanceof Error ? [error.name, error.message, failure(error.cause)] : error;
  try {
    const response = await fetch(`${url}/summary`, init);
    const { status, redirected, type } = response;
    const path = response.url.slice(url.length);
    const copy = response.clone();
    const body = await response.text().catch(failure);
    return { status, redirected, type, path, body, copied: [copy.url.slice(url.length), copy.redirected] };
  } catch (error) {
    return failure(error);
  }
}

/** The parts of requests that redirections change. */
const shown = (requests: readonly Seen[]): unknown =>
  requests.map(({ method, path, headers }) => [
    method,
    path,
    "authorization" in headers,
    ["content-language", "content-type", "content-length"].map((name) => headers[name]),
  ]);

async function real({ status = 200, headers, body }: Answer) {
  const received: Seen[] = [];
  const server = createServer(({ method, url = "", headers: sent }, response) => {
    const [path = ""] = url.split("?");
    received.push({ method, path, headers: sent });
    if (path === "/summary") response.writeHead(status, headers).end(body);
    else response.end("there");
  });
  server.listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return { received, url: `http://127.0.0.1:${Reflect.get(Object(server.address()), "port")}` };
}

const WAYS: readonly (readonly [string, "nock" | "sockets" | false])[] = [
  ["fetch, by nock", "nock"],
  ["fetch, by sockets", "sockets"],
  ["mock.fetch", false],
];

/** As most servers send it. */
const withLength = (answer: Answer): Answer => {
  const length = Buffer.byteLength(answer.body ?? "");
  return { ...answer, headers: { ...answer.headers, "Content-Length": `${length}` } };
};

test.each(CASES.map(([name, answer, init = {}]): Case => [name, withLength(answer), init]))(
  "%s is as `fetch` sees it",
  async (_, answer, init) => {
    const { received, url } = await real(answer);
    const wanted = await outcome(fetch, url, init);
    for (const [name, intercept] of WAYS) {
      await using mock = new MockCloudReco({ intercept, targetUrl: "http://service.example" });
      mock.addFault({ api: "target", response: { status: 200, body: "there" } });
      const when = ({ path }: { readonly path: string }) => path === "/summary";
      mock.addFault({ when, response: { status: 200, ...answer } });
      const way: Fetch = intercept === false ? mock.fetch : fetch;
      expect([name, await outcome(way, mock.urls.target, init)]).toEqual([name, wanted]);
      const requests = mock.requests.map(({ method, path, request }) => {
        return { method, path, headers: request.headers };
      });
      expect([name, shown(requests)]).toEqual([name, shown(received)]);
    }
  },
);

test("a redirection leads to another host, without the credentials; mock.fetch reaches only mocks", async () => {
  const { received, url } = await real({ headers: {}, body: "outside" });
  for (const intercept of ["nock", "sockets", false] as const) {
    await using mock = new MockCloudReco({ intercept });
    mock.addFault({ response: { status: 307, headers: { Location: `${url}/summary` } } });
    const way: Fetch = intercept === false ? mock.fetch : fetch;
    const sent = way(mock.urls.target, { headers: { Authorization: "me", "X-Own": "kept" } });
    if (intercept === false) await expect(sent).rejects.toThrow("fetch failed");
    else {
      const response = await sent;
      expect([response.redirected, response.url]).toEqual([true, `${url}/summary`]);
      expect(await response.text()).toBe("outside");
      const [{ headers } = { headers: {} }, ...more] = received.splice(0);
      expect(headers).toMatchObject({ "x-own": "kept" });
      expect(["authorization" in headers, more]).toEqual([false, []]);
    }
  }
});
