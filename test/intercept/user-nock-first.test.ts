import { request } from "node:https";
import { MockCloudReco } from "mock-cloud-reco";
import nock from "nock";
import { describe, expect, it, onTestFinished } from "vitest";
import { POST, SUMMARY, send, UNUSUAL_REQUESTS } from "./unusual-requests.ts";

/** The status that a client with a named import of node:https receives. */
const statusOf = (url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });

it("a named import of node:https is intercepted although the user's nock was loaded first", async () => {
  expect(nock.isActive()).toBe(true);
  for (const _time of ["first", "second"]) {
    await using mock = new MockCloudReco();
    expect(await statusOf(`${mock.urls.target}/summary`)).toBe(401);
  }
  expect(nock.isActive()).toBe(true);
});

describe("while nock has a mock of the user for another path of the host", () => {
  it.each(UNUSUAL_REQUESTS.filter(([name]) => /headers? of|Content-Length/.test(name)))(
    "an unusual request is answered as by a server: %s",
    async (_name, ask, expected) => {
      nock("https://vws.vuforia.com").get("/other").reply(200, "the user's");
      onTestFinished(nock.cleanAll);
      using mock = new MockCloudReco();
      expect(await ask()).toMatch(expected);
      expect(mock.requests).toHaveLength(1);
      expect(await send("https://vws.vuforia.com/other")).toBe("200 the user's");
      expect(await send(SUMMARY)).toMatch(/^401 /);
    },
  );

  it("a body that is shorter than announced ends as at a server", async () => {
    nock("https://vws.vuforia.com").get("/other").reply(200);
    onTestFinished(nock.cleanAll);
    using mock = new MockCloudReco();
    const short = { ...POST, headers: { "Content-Length": "9" } };
    const answered = await send(SUMMARY, short, "{}");
    nock.cleanAll();
    expect(answered).toBe(await send(SUMMARY, short, "{}"));
    expect(mock.requests).toHaveLength(2);
  });
});
