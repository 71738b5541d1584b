import { MockCloudReco } from "mock-cloud-reco";
import { describe, expect, it } from "vitest";
import { realServer } from "./real-server.ts";
import { start } from "./started.ts";
import { POST, SUMMARY } from "./unusual-requests.ts";

describe("fetch in the default mode, as at the sockets,", () => {
  const refused = async (init: RequestInit, url = SUMMARY): Promise<unknown> => {
    const error: unknown = await fetch(url, init).catch((reason: unknown) => reason);
    if (!(error instanceof Error) || !(error.cause instanceof Error)) return "sent";
    return [error.constructor.name, error.message, Reflect.get(error.cause, "code"), error.cause.message];
  };

  it.each<RequestInit>([
    { headers: { Expect: "100-continue" } },
    { ...POST, body: "{}", headers: { "Content-Length": "3" } },
    { ...POST, body: "{}", headers: { "Content-Length": "abc" } },
    { headers: { "Transfer-Encoding": "chunked" } },
    { headers: { Connection: "upgrade" } },
    { headers: { "Keep-Alive": "5" } },
  ])("refuses %j as without a mock", async (init) => {
    const isSent = (await refused(init, await realServer())) === "sent";
    const results = [];
    for (const intercept of ["nock", "sockets"] as const) {
      using mock = new MockCloudReco({ intercept });
      results.push([await refused(init), mock.requests.length]);
    }
    const failure = ["TypeError", "fetch failed", expect.any(String), expect.any(String)];
    // Node 24 leaves out a header `Connection` that it refused before.
    expect(results[0]).toEqual(isSent ? ["sent", 1] : [failure, 0]);
    expect(results[0]).toEqual(results[1]);
  });

  it("refuses a Content-Length that is too small", async () => {
    const mock = start();
    expect(await refused({ ...POST, body: "{}", headers: { "Content-Length": "1" } })).toEqual([
      "TypeError",
      "fetch failed",
      "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
      "Request body length does not match content-length header",
    ]);
    expect(mock.requests).toEqual([]);
  });

  it("nests the error of a connection", async () => {
    const results = [];
    for (const intercept of ["nock", "sockets"] as const) {
      using mock = new MockCloudReco({ intercept });
      mock.addFault({ api: "target", resetConnection: true });
      results.push(await refused({}));
    }
    expect(results[0]).toEqual(["TypeError", "fetch failed", "ECONNRESET", expect.any(String)]);
    expect(results[0]).toEqual(results[1]);
  });

  it("lets nobody change the headers of a response", async () => {
    start();
    const { headers } = await fetch(SUMMARY);
    expect(() => headers.set("x", "y")).toThrow("immutable");
    expect(new Headers(headers).get("content-type")).toBe("application/json");
  });

  it("gives copies of responses what it gives responses", async () => {
    start();
    const copy = (await fetch(SUMMARY)).clone().clone();
    expect(copy).toMatchObject({ status: 401, type: "basic", url: SUMMARY });
    expect(await copy.text()).toContain("AuthenticationFailure");
  });
});

it("fetch's own headers arrive, and its response is as that of a server", async () => {
  const mock = start();
  const response = await fetch(`${SUMMARY}#part`);
  expect(response).toMatchObject({ status: 401, type: "basic", redirected: false, url: SUMMARY });
  const headers = mock.requests[0]?.request.headers;
  expect(Object.keys(headers ?? {})).toEqual(
    expect.arrayContaining(["host", "user-agent", "accept", "accept-encoding"]),
  );
});

it("a method that no server reads is refused by fetch as by node:http", async () => {
  const mock = start();
  const { status } = await fetch(SUMMARY, { method: "FOO" });
  expect([status, mock.requests.length]).toEqual([400, 1]);
});
