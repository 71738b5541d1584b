/** @jest-environment jsdom */
const https = require("node:https");
const { readFileSync } = require("node:fs");
const { authorizationHeader, MockCloudReco, rfc1123Date } = require("mock-cloud-reco");

const { get } = https;

test("nock needs globals that this environment lacks, and the error says what to do", () => {
  expect(() => new MockCloudReco()).toThrow(
    'nock cannot be loaded in this environment (Request is not defined); set the option intercept to "sockets"',
  );
});

test("a captured function is answered", async () => {
  const mock = new MockCloudReco({ intercept: "sockets", clock: { now: () => new Date() } });
  try {
    const database = mock.addCloudDatabase();
    const image = Uint8Array.from(readFileSync("../examples/demo/images/poster.jpg"));
    await mock.addTarget(database, { name: "bytes", image });
    const date = rfc1123Date();
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = database;
    const authorization = authorizationHeader({
      accessKey,
      secretKey,
      method: "GET",
      path: "/targets",
      date,
    });
    const status = await new Promise((resolve, reject) => {
      get(`${mock.urls.target}/targets`, { headers: { authorization, date } }, (response) =>
        resolve(response.resume().statusCode),
      ).on("error", reject);
    });
    expect([typeof document, status, mock.requests.length]).toEqual(["object", 200, 1]);
  } finally {
    mock.stop();
  }
});
