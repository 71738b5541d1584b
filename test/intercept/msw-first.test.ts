import http from "node:http";
import https from "node:https";
import { MockCloudReco } from "mock-cloud-reco";
import { setupServer } from "msw/node";
import { expect, test } from "vitest";

const patchable = () => ({
  http: { ...http, ClientRequest: http.ClientRequest },
  https: { ...https },
  globals: [fetch, Headers, Request, Response],
});

// Twice, as MSW and nock share what they patch with, and each would put back what it found of the other.
test("an MSW server that listens before a mock and closes within it leaves nothing patched", async () => {
  const before = patchable();
  // Loads nock, which fails to patch fetch if MSW has done so already.
  new MockCloudReco().stop();
  for (let round = 0; round < 2; round += 1) {
    const server = setupServer();
    server.listen({ onUnhandledRequest: "bypass" });
    const mock = new MockCloudReco();
    server.close();
    mock.stop();
    for (const [name, owner] of Object.entries(patchable()))
      for (const [key, value] of Object.entries(owner))
        expect(Object.is(value, Object(Reflect.get(before, name))[key]), `${name}.${key}`).toBe(true);
    await using next = new MockCloudReco();
    expect((await fetch(`${next.urls.target}/summary`)).status).toBe(401);
  }
});
