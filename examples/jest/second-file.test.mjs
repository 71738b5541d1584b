import https from "node:https";
import { MockCloudReco } from "mock-cloud-reco";
import { useMockCloudReco } from "mock-cloud-reco/jest";

const recognition = useMockCloudReco();

test("clients on node:https are answered too", async () => {
  const status = await new Promise((resolve, reject) => {
    https
      .get("https://vws.vuforia.com/summary", (response) => resolve(response.statusCode))
      .on("error", reject);
  });
  expect(status).toBe(401);
  expect(recognition.mock).toBeInstanceOf(MockCloudReco);
  expect(recognition.mock).toHaveReceived({ operation: "databaseSummary", status: 401 }, { times: 1 });
});
