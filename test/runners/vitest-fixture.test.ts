import { MockCloudReco } from "mock-cloud-reco";
import { test } from "mock-cloud-reco/vitest";
import { afterAll, describe, expect, test as vitestTest } from "vitest";
import { ModelTargetClient } from "../../examples/model-targets/model-target-client.ts";

const before = globalThis.fetch;
const seen = new Set<MockCloudReco>();

async function trainAndDelete(name: string): Promise<void> {
  const client = await ModelTargetClient.login("client-id", "client-secret");
  const views = [{ name: "front" }];
  const uuid = await client.create(name, { name, cadDataUrl: "https://cad.example/a.glb", views });
  await client.status(uuid);
  await client.delete(uuid);
}

const summary = () => fetch("https://vws.vuforia.com/summary");

test("intercepts in a test that does not destructure the mock", async () => {
  expect((await summary()).status).toBe(401);
});

test.for([1, 2])("gives test %i a mock and an empty database of its own", async (_, { mock, database }) => {
  expect(mock).toBeInstanceOf(MockCloudReco);
  expect(mock.requests).toEqual([]);
  expect(database.targets).toEqual([]);
  await summary();
  seen.add(mock);
});

afterAll(() => {
  expect(seen.size).toBe(2);
  expect(globalThis.fetch).toBe(before);
});

describe("with options", () => {
  test.override({ mockOptions: { seed: 1, database: { databaseName: "pictures" } } });

  test("creates the mock and the database with them", ({ database }) => {
    using same = new MockCloudReco({ seed: 1 });
    expect(database.databaseName).toBe("pictures");
    expect(database.serverAccessKey).toBe(
      same.addCloudDatabase({ databaseName: "pictures" }).serverAccessKey,
    );
  });

  describe("of an inner block", () => {
    test.override({ mockOptions: { database: { databaseName: "inner" } } });

    test("overrides them", ({ database }) => expect(database.databaseName).toBe("inner"));
  });

  const extended = test.extend({ mockOptions: { targetUrl: "https://proxy.test/vws" } });

  extended("of an extended test, takes those", ({ mock }) => {
    expect(mock.urls.target).toBe("https://proxy.test/vws");
  });
});

describe("when tests run concurrently", () => {
  test.concurrent.for(["a", "b", "c", "d"])(
    "%s sees its own signed requests only",
    async (name, { mock, database }) => {
      const authorization = (key: string) => ({ headers: { Authorization: `VWS ${key}:signature` } });
      for (const key of [database.serverAccessKey, database.clientAccessKey]) {
        await fetch(`https://vws.vuforia.com/targets/${name}`, authorization(key));
      }
      expect(mock.requests.map(({ path }) => path)).toEqual([`/targets/${name}`, `/targets/${name}`]);
    },
  );

  const MODEL_TARGET_WORKFLOW = ["token", "createDataset", "datasetStatus", "deleteDataset"];
  const operationsOf = (mock: MockCloudReco) => mock.requests.map(({ operation }) => operation);

  test.concurrent.for(["a", "b", "c"])(
    "%s sees its own Model Target requests only",
    async (name, { mock }) => {
      await trainAndDelete(name);
      expect(operationsOf(mock)).toEqual(MODEL_TARGET_WORKFLOW);
    },
  );

  vitestTest.concurrent.for(["d", "e", "f"])("%s does too, with a mock that it creates", async (name) => {
    await using mock = new MockCloudReco();
    await trainAndDelete(name);
    expect(operationsOf(mock)).toEqual(MODEL_TARGET_WORKFLOW);
  });
});
