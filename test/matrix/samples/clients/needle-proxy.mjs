// Prints the error of needle, which sends whole URLs to proxies, with a proxy from its options or from the environment.
import { MockCloudReco } from "mock-cloud-reco";
import needle from "needle";

const [intercept, proxy] = process.argv.slice(2);
const mock = new MockCloudReco({ intercept });
const options = proxy === undefined ? {} : { proxy };
const message = await needle("get", `${mock.urls.target}/summary`, null, options).catch(
  (error) => error.message,
);
await new Promise(setImmediate);
console.log(JSON.stringify([message, ...mock.requests.map(({ reason }) => reason)]));
process.exit();
