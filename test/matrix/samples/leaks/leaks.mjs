// Loads the package and starts a mock in a hook, as the runner looks for globals that hooks and tests add.
import assert from "node:assert";

const { after, before, it } = globalThis;
let mock;

before(async () => {
  const { MockCloudReco } = await import("mock-cloud-reco");
  mock = new MockCloudReco();
});

it("is answered", async () => {
  assert.equal((await fetch(`${mock.urls.target}/summary`)).status, 401);
});

after(() => mock.stop());
