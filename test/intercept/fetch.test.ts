import { gzipSync } from "node:zlib";
import { authorizationHeader, MockCloudReco, rfc1123Date } from "mock-cloud-reco";
import { Request as OtherRequest } from "undici";
import { expect, test } from "vitest";
import type { RequestHandler } from "../../src/core/emulator/message.ts";
import { fetchFrom } from "../../src/intercept/fetch/fetch-transport.ts";
import { HostTable } from "../../src/intercept/host-table.ts";
import { failureOf, messagesOf } from "./failures.ts";
import { HOST, reply } from "./mocks.ts";

const serving = (handle: RequestHandler) => {
  const hosts = new HostTable();
  hosts.add([{ baseUrl: new URL(HOST), handle }]);
  return (init?: RequestInit, path = "/x?a=1") => fetchFrom(hosts, new Request(HOST + path, init));
};

test("mock.fetch answers a signed request, and patches nothing", async () => {
  const { fetch } = globalThis;
  const mock = new MockCloudReco({ intercept: false });
  expect(globalThis.fetch).toBe(fetch);
  const { serverAccessKey: accessKey, serverSecretKey: secretKey } = mock.addCloudDatabase();
  const date = rfc1123Date();
  const authorization = authorizationHeader({ accessKey, secretKey, method: "GET", path: "/targets", date });
  const { fetch: injected } = mock;
  const response = await injected(`${mock.urls.target}/targets`, { headers: { authorization, date } });
  expect(await response.json()).toMatchObject({ result_code: "Success" });
  expect(mock.requests).toMatchObject([{ operation: "listTargets", status: 200 }]);
});

test("mock.fetch sends bytes as they are when it is called, also a part of others, but none with GET", async () => {
  const mock = new MockCloudReco({ intercept: false });
  const url = `${mock.urls.target}/targets`;
  const bytes = new TextEncoder().encode("what is sent");
  const bodies = [bytes, new DataView(bytes.buffer, 5, 2), new Uint16Array(bytes.buffer), bytes.buffer];
  const sent = bodies.map((body) => mock.fetch(url, { method: "POST", body }));
  bytes.fill(0);
  await Promise.all(sent);
  const texts = mock.requests.map(({ request }) => [
    String(request.body.bytes),
    request.headers["content-length"],
  ]);
  expect(texts).toEqual([
    ["what is sent", "12"],
    ["is", "2"],
    ["what is sent", "12"],
    ["what is sent", "12"],
  ]);
  expect(mock.requests[0]?.request.headers).not.toHaveProperty("content-type");
  expect(() => mock.fetch(url, { body: bytes })).toThrow(TypeError);
});

test("mock.fetch takes a Request of another class", async () => {
  const mock = new MockCloudReco({ intercept: false });
  const url = `${mock.urls.target}/targets`;
  const controller = new AbortController();
  const given = { method: "POST", body: "sent", headers: { "X-Own": "a" }, signal: controller.signal };
  const request: Request = Reflect.construct(OtherRequest, [url, given]);
  expect(request).not.toBeInstanceOf(Request);
  expect((await mock.fetch(request)).status).toBe(401);
  expect((await mock.fetch(Reflect.construct(OtherRequest, [url]), { method: "HEAD" })).status).toBe(404);
  const [posted, changed] = mock.requests;
  expect([posted?.method, posted?.request.headers["x-own"], String(posted?.request.body.bytes)]).toEqual([
    "POST",
    "a",
    "sent",
  ]);
  expect(changed?.method).toBe("HEAD");
  controller.abort(new Error("enough"));
  const late: Request = Reflect.construct(OtherRequest, [url, given]);
  expect(messagesOf(await failureOf(mock.fetch(late)))).toContain("enough");
});

test("a request arrives complete, with the headers that fetch adds", async () => {
  const seen: unknown[] = [];
  const send = serving(async (request) => {
    seen.push(request);
    return reply("ours", 201, [["X-Own", "a"]]);
  });
  const response = await send({ method: "POST", body: new Uint8Array([0xff, 0]), headers: { "X-Own": "b" } });
  expect([response.status, response.headers.get("x-own"), await response.text()]).toEqual([201, "a", "ours"]);
  expect(response.url).toBe(`${HOST}/x?a=1`);
  const headers = expect.arrayContaining([
    ["x-own", "b"],
    ["host", "service.example"],
    ["content-length", "2"],
  ]);
  expect(seen).toMatchObject([
    { method: "POST", path: "/x", query: "a=1", headers, body: Buffer.from([0xff, 0]) },
  ]);
});

test("a gzip body is decoded, and a 204 and a response to HEAD have no body", async () => {
  const gzip = serving(async () => reply(gzipSync("text"), 200, [["Content-Encoding", "gzip"]]));
  expect(await (await gzip()).text()).toBe("text");
  const empty = await serving(async () => reply("", 204))();
  expect([empty.status, empty.body]).toEqual([204, null]);
  expect(await (await gzip({ method: "HEAD" })).text()).toBe("");
});

test("connection errors, errors of the handler and unserved hosts reject as fetch does", async () => {
  const cut = serving(async () => ({ connectionError: { kind: "reset", message: "cut" } }));
  expect(await failureOf(cut())).toMatchObject({ message: "fetch failed", cause: { code: "ECONNRESET" } });
  const throwing = serving(() => Promise.reject(new RangeError("own")));
  expect(messagesOf(await failureOf(throwing()))).toEqual(["fetch failed", "own"]);
  const telling = serving(() => Promise.reject("text"));
  expect(await failureOf(telling())).toMatchObject({ message: "fetch failed", cause: new Error("text") });
  const mock = new MockCloudReco({ intercept: false });
  const other = await failureOf(mock.fetch("https://other.example/x"));
  expect(messagesOf(other).join()).toContain("No mock serves GET https://other.example/x");
});

test("an abort rejects with its reason, before and during the response", async () => {
  const controller = new AbortController();
  const never = serving(() => new Promise(() => {}));
  const waiting = failureOf(never({ signal: controller.signal }));
  controller.abort(new Error("enough"));
  expect(messagesOf(await waiting)).toEqual(["enough"]);
  expect(messagesOf(await failureOf(never({ signal: controller.signal })))).toEqual(["enough"]);
});

const streamOf = (start: (controller: ReadableStreamDefaultController<Uint8Array>) => void) => {
  const duplex: RequestInit & { duplex: "half" } = {
    method: "POST",
    body: new ReadableStream({ start }),
    duplex: "half",
  };
  return duplex;
};

test("a body that is streamed arrives complete, and so does a response that is read as a stream", async () => {
  const send = serving(async ({ body }) => reply(Buffer.from(body)));
  const sent = streamOf((controller) => {
    for (const text of ["one, ", "two"]) controller.enqueue(Buffer.from(text));
    controller.close();
  });
  const response = await send(sent);
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body ?? []) pieces.push(piece);
  expect(String(Buffer.concat(pieces))).toBe("one, two");
});

test("a streamed body that fails, or that never ends when its request is aborted, rejects as fetch does", async () => {
  const send = serving(async () => reply("ours"));
  const failing = streamOf((controller) => controller.error(new RangeError("cannot be read")));
  expect(messagesOf(await failureOf(send(failing)))).toEqual(["fetch failed", "cannot be read"]);
  const controller = new AbortController();
  const endless = failureOf(send({ ...streamOf(() => {}), signal: controller.signal }));
  controller.abort(new Error("enough"));
  expect(messagesOf(await endless)).toEqual(["enough"]);
});
