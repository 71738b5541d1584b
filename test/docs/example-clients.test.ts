import { createRequire } from "node:module";
import { MockCloudReco } from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";
import { expect, it } from "vitest";
import { ModelTargetClient } from "../../examples/model-targets/model-target-client.ts";

const { PictureShelf } = createRequire(import.meta.url)("../../examples/jest/picture-shelf.js");
const picture = Buffer.from("a picture");

it.each([
  ["an empty body", { status: 503 }],
  ["a gateway's page", { status: 502, body: "<html><h1>Bad Gateway</h1></html>" }],
])("the clients of the examples report an outage with %s by its status", async (_what, response) => {
  await using mock = new MockCloudReco();
  const database = mock.addCloudDatabase();
  const modelTargets = await ModelTargetClient.login("client-id", "client-secret");
  mock.addFault({ response });
  const client = new VuforiaClient(database);
  const requests = [
    client.summary(),
    client.addTarget("poster", picture),
    client.find(picture),
    new PictureShelf(database).add("poster", picture),
    modelTargets.status("0".repeat(32)),
    ModelTargetClient.login("client-id", "client-secret"),
  ];
  for (const request of requests) await expect(request).rejects.toThrow(String(response.status));
});

it("the example client asks for keys where it is made, as in a test without the fixture", () => {
  const database: unknown = undefined;
  expect(() => Reflect.construct(VuforiaClient, [database])).toThrow(
    /^expected the keys of a database; got undefined/,
  );
});

it("the example client reports a refusal by its result code", async () => {
  await using mock = new MockCloudReco();
  const client = new VuforiaClient(mock.addCloudDatabase({ stateName: "PROJECT_SUSPENDED" }));
  await expect(client.summary()).rejects.toThrow(/^GET \/summary: 403 ProjectSuspended$/);
});
