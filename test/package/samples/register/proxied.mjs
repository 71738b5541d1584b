// Prints the statuses that clients receive in a process whose environment names a proxy.
import https from "node:https";
import { MockCloudReco } from "mock-cloud-reco";

const statuses = [];
for (const intercept of ["nock", "sockets"]) {
  const mock = new MockCloudReco({ intercept });
  statuses.push((await fetch("https://vws.vuforia.com/summary")).status);
  statuses.push(
    await new Promise((resolve, reject) => {
      https
        .get("https://vws.vuforia.com/summary", (response) => resolve(response.resume().statusCode))
        .on("error", reject);
    }),
  );
  mock.stop();
}
console.log(JSON.stringify(statuses));
process.exit();
