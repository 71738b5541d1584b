import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import net from "node:net";
import { MockCloudReco } from "mock-cloud-reco";
import nock from "nock";
import { describe, expect, onTestFinished, test } from "vitest";
import { failureOf, messagesOf } from "./failures.ts";

const HOST = "vws.vuforia.com";

function started(options?: ConstructorParameters<typeof MockCloudReco>[0]): MockCloudReco {
  const mock = new MockCloudReco(options);
  onTestFinished(() => mock.stop());
  return mock;
}

async function statusOf(request: http.ClientRequest): Promise<number | undefined> {
  const [response]: http.IncomingMessage[] = await once(request, "response");
  return response?.resume().statusCode;
}

test.each(["nock", "sockets"] as const)(
  "a connection of net.createConnection is answered: %s",
  async (intercept) => {
    started({ intercept, targetUrl: "http://service.example:8080" });
    const createConnection = () => net.createConnection(8080, "service.example");
    expect(await statusOf(http.get("http://service.example:8080/summary", { createConnection }))).toBe(401);
  },
);

test.each(["nock", "sockets"] as const)(
  "a request in the turn of a mock's stop is refused, also if another mock was stopped before it: %s",
  async (intercept) => {
    const [, first, second] = ["other", "first", "second"].map((name) =>
      started({ intercept, targetUrl: `https://${name}.example`, queryUrl: `https://${name}.example` }),
    );
    setImmediate(() => second?.stop());
    first?.stop();
    await new Promise((resolve) => setImmediate(resolve));
    const url = "https://second.example/summary";
    const failures = [failureOf(statusOf(https.get(url, { agent: false }))), failureOf(fetch(url))];
    for (const failure of await Promise.all(failures))
      expect(messagesOf(failure).join()).toContain("was stopped");
  },
);

describe("while the user's nock answers another path of the service", () => {
  const mocked = () => {
    nock(`https://${HOST}`).get("/other").reply(204);
    onTestFinished(() => nock.cleanAll());
  };

  test("requests are answered after nock.cleanAll()", async () => {
    started({ intercept: "nock" });
    nock.cleanAll();
    await Promise.resolve();
    mocked();
    expect(await statusOf(https.get(`https://${HOST}/summary`))).toBe(401);
    expect(await statusOf(https.get(`https://${HOST}/other`))).toBe(204);
  });

  test("malformed JSON reaches the mock", async () => {
    const mock = started({ intercept: "nock" });
    mocked();
    const headers = { "Content-Type": "application/json", "Content-Length": 1 };
    const request = https.request(`https://${HOST}/targets`, { method: "POST", headers });
    const answered = statusOf(request);
    request.end("{");
    expect(await answered).toBe(401);
    expect(mock.requests).toMatchObject([{ method: "POST", cause: { code: "authorization.missing" } }]);
  });

  test("a client that waits for 100 Continue is answered", async () => {
    started({ intercept: "nock" });
    mocked();
    const headers = { Expect: "100-continue", "Content-Length": 2 };
    const request = https.request(`https://${HOST}/targets`, { method: "POST", headers });
    const answered = statusOf(request);
    await once(
      request.on("error", () => {}),
      "continue",
    );
    request.end("{}");
    expect(await answered).toBe(401);
  });
});
