// What holds in every test file of a project whose setup file is "mock-cloud-reco/register".
const { createServer } = require("node:http");
const https = require("node:https");
const { fork } = require("node:child_process");
const { Worker } = require("node:worker_threads");

// Captured before any mock starts.
const { fetch } = globalThis;
const { get } = https;
const URL = "https://vws.vuforia.com/summary";

const viaFetch = async (url = URL) => (await fetch(url)).status;
const viaHttps = () =>
  new Promise((resolve, reject) => {
    get(URL, { agent: false }, (response) => resolve(response.resume().statusCode)).on("error", reject);
  });
const firstMessage = (other) =>
  new Promise((resolve, reject) => other.once("message", resolve).once("error", reject));
const OUTSIDE = `${__dirname}/outside.cjs`;
const failureOf = (sent) =>
  sent.then(
    () => "no failure",
    ({ cause = {}, code = cause.code, message }) => [code, cause.message ?? message].join(": "),
  );

/** Serves another host of this machine while a function runs. */
async function withOtherHost(run) {
  const server = createServer((_request, response) => response.setHeader("Connection", "close").end());
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await run(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.close();
  }
}

exports.checkBlocked = async (expect, { MockCloudReco }) => {
  const refused = expect.stringMatching(
    /^ECONNREFUSED: connect to vws\.vuforia\.com:443 was refused: "mock-cloud-reco\/register" .*start a mock first/,
  );
  const both = async () => [await failureOf(viaFetch()), await failureOf(viaHttps())];
  await withOtherHost(async (other) => {
    for (const intercept of ["nock", "sockets"]) {
      expect(await both()).toEqual([refused, refused]);
      expect(await viaFetch(other)).toBe(200);
      const mock = new MockCloudReco({ intercept, unhandledRequests: "error" });
      expect([await viaFetch(), await viaHttps()]).toEqual([401, 401]);
      expect(mock.requests).toHaveLength(2);
      expect(await failureOf(viaFetch(other))).toMatch(/no mock serves this host.*unhandledRequests/);
      mock.stop();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await both()).toEqual([refused, refused]);
    expect(await firstMessage(new Worker(OUTSIDE))).toMatch(/blocks the real service in this thread too/);
    expect(await firstMessage(fork(OUTSIDE))).toMatch(/blocks the real service in this thread too/);
    expect(await viaFetch(other)).toBe(200);
  });
};
