import { openApiDocument } from "mock-cloud-reco/openapi";
import { startServers } from "mock-cloud-reco/server";
import { expect, it } from "vitest";

it("the target manager serves the OpenAPI document, of either profile", async () => {
  await using servers = await startServers({ profile: "vuforia" });
  const url = `${servers.urls.manager}/internal/openapi.json`;
  const own = await fetch(url);
  expect([own.status, own.headers.get("content-type")]).toEqual([200, "application/json"]);
  expect(await own.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument({ profile: "vuforia" }))));
  const neutral = await fetch(`${url}?profile=neutral`);
  expect(await neutral.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  const unknown = await fetch(`${url}?profile=real`);
  expect([unknown.status, await unknown.text()]).toEqual([
    400,
    'profile: expected neutral or vuforia; got "real"',
  ]);
  expect((await fetch(url, { method: "POST" })).status).toBe(404);
});
