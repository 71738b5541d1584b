import https from "node:https";
import tls from "node:tls";
import { MockCloudReco } from "mock-cloud-reco";
import { closedHosts } from "mock-cloud-reco/register";
import { expect, test } from "vitest";
import { failureOf, messagesOf } from "./failures.ts";

// Taken from the modules, because Vitest looks named imports up whenever they are used.
const { fetch: keptFetch } = globalThis;
const { get: keptGet } = https;
const { connect: keptConnect } = tls;
const LIST = "https://vws.vuforia.com/targets";
const REFUSED =
  /^connect to vws\.vuforia\.com:443 was refused: "mock-cloud-reco\/register" .* start a mock first/;

const get = (url: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    keptGet(url, { agent: false }, (response) => resolve(response.resume().statusCode)).on("error", reject);
  });

test("blocks the real service before and after a mock; a started mock answers", async () => {
  expect(closedHosts).toEqual(["vws.vuforia.com", "cloudreco.vuforia.com"]);
  for (const intercept of ["nock", "sockets"] as const) {
    expect(messagesOf(await failureOf(get(LIST))).join()).toMatch(REFUSED);
    const mock = new MockCloudReco({ intercept });
    expect(await get(LIST)).toBe(401);
    expect((await keptFetch(LIST)).status).toBe(401);
    expect(mock.requests).toHaveLength(2);
    mock.stop();
    expect(messagesOf(await failureOf(get(LIST))).join()).toMatch(/refused|stopped/);
  }
});

test("blocks a function of node:tls that was captured before", async () => {
  const connected = new Promise((resolve, reject) => {
    keptConnect(443, "cloudreco.vuforia.com").once("secureConnect", resolve).once("error", reject);
  });
  expect(messagesOf(await failureOf(connected)).join()).toMatch(
    /^connect to cloudreco\.vuforia\.com:443 was refused/,
  );
});
