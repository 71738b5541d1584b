import { request } from "node:https";
import { MockCloudReco } from "mock-cloud-reco";
import nock from "nock";
import { expect, it } from "vitest";

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
