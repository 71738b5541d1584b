// Prints what a client finds at a mock in the process, or why not.
import { MockCloudReco, samplePicture } from "mock-cloud-reco";
import { VuforiaClient } from "mock-cloud-reco/examples/client";

const results = {};
for (const intercept of ["nock", "sockets"]) {
  const mock = new MockCloudReco({ intercept, processingTimeSeconds: 0, unhandledRequests: "error" });
  const client = new VuforiaClient(mock.addCloudDatabase());
  const { result_code: code } = await client.summary();
  const find = async () => {
    const picture = await samplePicture(1, { format: process.argv[2] ?? "JPEG" });
    await client.addTarget("poster", picture);
    return (await client.find(picture)).length;
  };
  results[intercept] = [code, await find().catch(({ message }) => message)];
  mock.stop();
}
console.log(JSON.stringify(results));
process.exit();
