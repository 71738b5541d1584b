// Prints what a mock without any interception answers through MSW's handlers.
import https from "node:https";
import { authorizationHeader, MockCloudReco, rfc1123Date } from "mock-cloud-reco";
import { handlers } from "mock-cloud-reco/msw";
import { setupServer } from "msw/node";

const [first] = process.argv.slice(2);
const server = setupServer();
const listen = () => server.listen({ onUnhandledRequest: "error", onUnhandledFrame: "error" });
if (first === "theirs") listen();
const mock = new MockCloudReco({ intercept: false });
const database = mock.addCloudDatabase({ databaseName: "pictures" });
server.use(...handlers(mock));
if (first === "ours") listen();

const signed = (method, path, accessKey, secretKey, body = "", contentType = "") => {
  const date = rfc1123Date();
  const authorization = authorizationHeader({ accessKey, secretKey, method, path, date, body, contentType });
  return { method, headers: { authorization, date, ...(contentType && { "content-type": contentType }) } };
};
const { serverAccessKey, serverSecretKey } = database;
const url = `${mock.urls.target}/summary`;
const summary = await fetch(url, signed("GET", "/summary", serverAccessKey, serverSecretKey));
const viaHttps = await new Promise((resolve, reject) => {
  https.get(url, (response) => resolve(response.resume().statusCode)).on("error", reject);
});
// Responses to queries are compressed, and clients decode them.
const query = await fetch(`${mock.urls.query}/v1/query`, { method: "POST", body: "x" });
mock.addFault({ operation: "databaseSummary", resetConnection: true });
const cut = await fetch(url).then(
  () => "answered",
  (error) => error.message,
);
if (first === "theirs") mock.stop();
server.close();
if (first === "ours") mock.stop();
const results = [(await summary.json()).name, viaHttps, query.status, (await query.text()).slice(0, 1), cut];
console.log(JSON.stringify([...results, mock.requests.length]));
process.exit();
