// Prints how servers and the page of a mock start, and that the process goes on.
import { MockCloudReco } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";

const outcome = (start) =>
  start().then(
    () => "started",
    ({ name, message }) => `${name}: ${message}`,
  );
const mock = new MockCloudReco({ intercept: false });
const results = [
  await outcome(() => startServers({ logLevel: "silent" })),
  await outcome(() => mock.page.serve()),
];
// An error that nobody caught would end the process here.
await new Promise(setImmediate);
console.log(JSON.stringify(results));
process.exit();
