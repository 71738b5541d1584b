// What every runner and environment must pass: a client's whole way, and bytes and a clock of the realm of the test.
import { readFileSync } from "node:fs";
import { authorizationHeader, MockCloudReco, rfc1123Date } from "mock-cloud-reco";

export async function checkRealm(expect, send, intercept) {
  const mock = new MockCloudReco({ intercept, seed: 1, clock: { now: () => new Date() } });
  try {
    const database = mock.addCloudDatabase({ databaseName: "pictures" });
    await mock.addTarget(database, {
      name: "bytes",
      image: PICTURE,
      applicationMetadata: new Uint8Array([1, 2]),
    });
    const [method, path] = ["GET", "/targets"];
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = database;
    const date = rfc1123Date();
    const authorization = authorizationHeader({ accessKey, secretKey, method, path, date });
    const answer = await send(mock.urls.target + path, { authorization, date });
    expect(answer.results).toHaveLength(1);
    expect(mock.requests.map(({ operation, status }) => `${operation} ${status}`)).toEqual([
      "listTargets 200",
    ]);
  } finally {
    mock.stop();
  }
}

/** Bytes of the realm of the test. */
const PICTURE = Uint8Array.from(readFileSync("../examples/demo/images/poster.jpg"));

export function viaHttps(https) {
  return (url, headers) =>
    new Promise((resolve, reject) => {
      https
        .get(url, { headers }, (response) => {
          let text = "";
          response.on("data", (data) => {
            text += data;
          });
          response.on("end", () => resolve(JSON.parse(text)));
        })
        .on("error", reject);
    });
}
