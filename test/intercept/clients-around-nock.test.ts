import { once } from "node:events";
import http2 from "node:http2";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import { MockCloudReco } from "mock-cloud-reco";
import { describe, expect, onTestFinished, test } from "vitest";
import { failureOf, messagesOf } from "./failures.ts";

// Taken from the modules, because Vitest looks named imports up whenever they are used.
const { fetch: keptFetch } = globalThis;
const { get: keptGet, request: keptRequest } = https;
const { connect: keptNetConnect } = net;
const { connect: keptConnect } = tls;
const HOST = "vws.vuforia.com";
const URL_ = `https://${HOST}/summary`;

/** Emits `error`, or an event that says it is connected. */
type Emitter = Pick<NodeJS.EventEmitter, "once">;

const connected = (emitter: Emitter, event: string): Promise<unknown> =>
  new Promise((resolve, reject) => emitter.once("error", reject).once(event, resolve));

/** The message of a failed connection, and what the journal says about it. */
async function refusalOf(mock: MockCloudReco, open: () => Promise<unknown>) {
  const messages = messagesOf(await failureOf(open()));
  const [entry, ...more] = mock.requests;
  expect(more).toEqual([]);
  expect(entry).toMatchObject({ method: "CONNECT", path: `${HOST}:443`, refusedBy: "transport" });
  return { message: messages.join(), reason: entry?.reason };
}

describe.each(["nock", "sockets"] as const)("a client that goes around nock: %s", (intercept) => {
  const started = () => {
    const mock = new MockCloudReco({ intercept });
    onTestFinished(() => mock.stop());
    return mock;
  };

  test("with functions of https and fetch that it captured before is answered", async () => {
    const mock = started();
    const statusBy = (send: typeof https.request) =>
      new Promise((resolve, reject) => {
        send(URL_, (response) => resolve(response.resume().statusCode))
          .on("error", reject)
          .end();
      });
    expect(await statusBy(keptRequest)).toBe(401);
    expect(await statusBy(keptGet)).toBe(401);
    expect((await keptFetch(URL_)).status).toBe(401);
    expect(mock.requests).toHaveLength(3);
  });

  test("through an agent that keeps connections to an earlier mock is answered", async () => {
    const agent = new https.Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    for (const _round of [1, 2, 3]) {
      const mock = started();
      const status = await new Promise((resolve, reject) => {
        keptGet(URL_, { agent }, (response) => {
          response.resume().on("end", () => resolve(response.statusCode));
        }).on("error", reject);
      });
      expect([status, mock.requests.length]).toEqual([401, 1]);
      mock.stop();
    }
  });

  test("is disconnected when the mock stops", async () => {
    const mock = started();
    const agent = new https.Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    await new Promise((resolve, reject) => {
      keptGet(URL_, { agent }, (response) => response.resume().on("end", resolve)).on("error", reject);
    });
    const unused = tls.connect(443, HOST, { servername: HOST });
    await connected(unused, "secureConnect");
    const sockets = [unused, ...Object.values(agent.freeSockets).flatMap((free = []) => free)];
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false]);
    const closed = Promise.all(sockets.map((socket) => once(socket, "close")));
    mock.stop();
    await closed;
  });

  test("with tls.connect speaks HTTP to the mock", async () => {
    const mock = started();
    const socket = tls.connect(443, HOST, { servername: HOST });
    await connected(socket, "secureConnect");
    socket.write(`GET /summary HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`);
    let text = "";
    for await (const chunk of socket) text += String(chunk);
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
    expect(mock.requests).toHaveLength(1);
  });

  test("with a tls.connect that it captured before is refused", async () => {
    const mock = started();
    const { message, reason } = await refusalOf(mock, () =>
      connected(keptConnect(443, HOST, { servername: HOST }), "secureConnect"),
    );
    expect(message).toMatch(
      /^connect to vws\.vuforia\.com:443 bypassed the mock: .*captured before .*"mock-cloud-reco\/register"/,
    );
    expect(reason).toContain("captured");
  });

  test("with a net.connect that it captured before is refused", async () => {
    const mock = started();
    const { message } = await refusalOf(mock, () => connected(keptNetConnect(443, HOST), "connect"));
    expect(message).toMatch(/^connect to vws\.vuforia\.com:443 bypassed the mock/);
  });

  test("with HTTP/2 only is refused", async () => {
    const mock = started();
    const { message, reason } = await refusalOf(mock, () =>
      connected(http2.connect(`https://${HOST}`), "close"),
    );
    expect(message).toMatch(
      /^connect to vws\.vuforia\.com:443 bypassed the mock: .*only HTTP\/2.*let the client offer "http\/1\.1"/,
    );
    expect(reason).toContain("HTTP/2");
  });
});
