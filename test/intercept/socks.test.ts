import { once } from "node:events";
import http from "node:http";
import { request } from "node:https";
import net, { createServer, type Socket } from "node:net";
import tls from "node:tls";
import { MockCloudReco } from "mock-cloud-reco";
import { expect, onTestFinished, test } from "vitest";
import { failureOf, messagesOf } from "./failures.ts";

const SUMMARY = "https://vws.vuforia.com/summary";
const bytes = (...list: readonly (number | string)[]): Buffer =>
  Buffer.concat(list.map((one) => (typeof one === "string" ? Buffer.from(one) : Buffer.from([one]))));
const named = (host: string, port: number): Buffer =>
  bytes(5, 1, 0, 3, host.length, host, port >> 8, port & 255);

/** A proxy that sends a reply to each message, then what it got in a tunnel, and the messages that it received. */
async function proxy(replies: readonly Buffer[] = []) {
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    const left = [...replies];
    socket.on("data", (message) => {
      received.push(message);
      socket.write(left.shift() ?? Buffer.concat([Buffer.from("echo "), message]));
    });
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return { received, port: Number(Reflect.get(Object(server.address()), "port")) };
}

/** Sends each message to a proxy once the one before is answered. Returns the connection, and the answers. */
async function shake(port: number, messages: readonly Buffer[], open = () => new net.Socket()) {
  const socket: Socket = open();
  onTestFinished(() => void socket.destroy());
  socket.connect(port, "127.0.0.1");
  await once(socket, "connect");
  const answers: Buffer[] = [];
  for (const message of messages) {
    socket.write(message);
    const [answer] = await once(socket, "data");
    answers.push(answer);
  }
  return { socket, answers };
}

const statusThrough = (socket: Socket) =>
  new Promise<number | undefined>((resolve, reject) => {
    const createConnection = () => tls.connect({ socket, servername: "vws.vuforia.com" });
    request(SUMMARY, { createConnection }, (response) => resolve(response.resume().statusCode))
      .on("error", reject)
      .end();
  });

const OPENED = bytes(5, 0, 0, 1, 0, 0, 0, 0, 0, 0);
const WITH_PASSWORD = bytes(1, 2, "me", 3, "key");

test.each([
  ["5", [bytes(5, 1, 0), named("vws.vuforia.com", 443)], [bytes(5, 0), OPENED]],
  [
    "5 with a password",
    [bytes(5, 2, 0, 2), WITH_PASSWORD, named("vws.vuforia.com", 443)],
    [bytes(5, 2), bytes(1, 0), OPENED],
  ],
  [
    "4a",
    [bytes(4, 1, 1, 187, 0, 0, 0, 1, "me", 0, "vws.vuforia.com", 0)],
    [bytes(0, 0x5a, 0, 0, 0, 0, 0, 0)],
  ],
])("a silent proxy is not asked for a served host, with SOCKS %s", async (_, messages, expected) => {
  for (const intercept of ["nock", "sockets"] as const) {
    const { received, port } = await proxy();
    await using mock = new MockCloudReco({ intercept });
    const { socket, answers } = await shake(port, messages);
    expect(answers).toEqual(expected);
    expect(await statusThrough(socket)).toBe(401);
    expect(mock.requests).toHaveLength(1);
    expect(received).toEqual([]);
  }
});

test("a client that writes piece by piece is understood", async () => {
  const { received, port } = await proxy();
  await using _mock = new MockCloudReco({ intercept: "sockets" });
  const { socket } = await shake(port, [bytes(5, 1, 0)]);
  for (const byte of named("vws.vuforia.com", 443)) socket.write(bytes(byte));
  const [answer] = await once(socket, "data");
  expect(answer).toEqual(OPENED);
  expect(received).toEqual([]);
});

test.each([
  ["without a password", bytes(5, 1, 0), [], [bytes(5, 0)]],
  ["with the password that it wants", bytes(5, 2, 0, 2), [WITH_PASSWORD], [bytes(5, 2), bytes(1, 0)]],
  ["without the password that it does not want", bytes(5, 2, 0, 2), [WITH_PASSWORD], [bytes(5, 0)]],
])("a proxy opens a tunnel to another host %s", async (_, greeting, passwords, replies) => {
  const { received, port } = await proxy([...replies, OPENED]);
  await using mock = new MockCloudReco({ intercept: "sockets" });
  const asked = [greeting, ...passwords, named("shop.example", 80)];
  const { socket, answers } = await shake(port, asked);
  expect(answers.at(-1)).toEqual(OPENED);
  socket.write("hello");
  expect(String(await once(socket, "data"))).toBe("echo hello");
  const told = replies.length === 2 || passwords.length === 0 ? asked : [greeting, asked.at(-1)];
  expect(received).toEqual([...told, Buffer.from("hello")]);
  expect(mock.requests).toEqual([]);
});

test("a proxy that refuses the client fails the request of a tunnel", async () => {
  const { port } = await proxy([bytes(5, 255)]);
  await using _mock = new MockCloudReco({ intercept: "sockets" });
  const { answers } = await shake(port, [bytes(5, 1, 0), named("shop.example", 80)]);
  expect(answers.at(-1)).toEqual(bytes(5, 1, 0, 1, 0, 0, 0, 0, 0, 0));
});

test("a tunnel to an address, and one of SOCKS 4, are opened by the proxy", async () => {
  const { received, port } = await proxy([bytes(5, 0), OPENED]);
  await using _mock = new MockCloudReco({ intercept: "sockets" });
  for (const address of [bytes(1, 10, 0, 0, 1), bytes(4, ...Array(16).fill(7))]) {
    await shake(port, [bytes(5, 1, 0), Buffer.concat([bytes(5, 1, 0), address, bytes(0, 80)])]);
    expect(received.splice(0)).toHaveLength(2);
  }
  const four = bytes(4, 1, 0, 80, 10, 0, 0, 1, 0);
  await shake(port, [four]);
  expect(received).toEqual([four]);
});

test("in a tunnel to the address of the service, https is answered and http refused", async () => {
  for (const intercept of ["nock", "sockets"] as const) {
    await using mock = new MockCloudReco({ intercept });
    const { received, port } = await proxy([bytes(5, 0), OPENED, bytes(5, 0), OPENED]);
    const tunnel = [bytes(5, 1, 0), Buffer.concat([bytes(5, 1, 0, 1, 192, 0, 2, 1), bytes(1, 187)])];
    const { socket } = await shake(port, tunnel);
    expect(await statusThrough(socket)).toBe(401);
    const plain = await shake(port, [
      bytes(5, 1, 0),
      Buffer.concat([bytes(5, 1, 0, 1, 192, 0, 2, 1), bytes(0, 80)]),
    ]);
    const sent = new Promise((resolve, reject) => {
      const options = { host: "vws.vuforia.com", path: "/summary", createConnection: () => plain.socket };
      http.get(options, resolve).on("error", reject);
    });
    expect(messagesOf(await failureOf(sent)).join()).toMatch(
      /^connect to vws\.vuforia\.com:80 bypassed the mock: the mock serves only https:/,
    );
    expect(mock.requests).toHaveLength(2);
    expect(received).toHaveLength(4);
  }
});

test("a tunnel to another port of the service fails with the reason", async () => {
  const { received, port } = await proxy();
  await using mock = new MockCloudReco({ intercept: "sockets" });
  const shaking = shake(port, [bytes(5, 1, 0), named("vws.vuforia.com", 8443)]);
  expect(messagesOf(await failureOf(shaking)).join()).toMatch(/bypassed the mock: .*send the request there/);
  expect(mock.requests).toMatchObject([{ refusedBy: "transport", cause: { code: "connection.refused" } }]);
  expect(received).toEqual([]);
});

test("a protocol that begins otherwise stays as it is", async () => {
  await using _mock = new MockCloudReco({ intercept: "sockets" });
  for (const first of [bytes(5, 0), bytes(4, 0, 0, 0, 1), bytes(5, 1, 9), bytes("hello")]) {
    const { received, port } = await proxy();
    const { answers } = await shake(port, [first]);
    expect(received).toEqual([first]);
    expect(answers).toEqual([Buffer.concat([bytes("echo "), first])]);
  }
});
