import https from "node:https";
import { gzipSync } from "node:zlib";
import axios from "axios";
import { describe, expect, test } from "vitest";
import { header } from "../support/values.ts";
import { codesOf, failureOf, messagesOf } from "./failures.ts";
import { CLIENTS, HOST, mock, reply, type Way } from "./mocks.ts";

/** Tests that the mock receives complete requests from every client, and the client receives the exact response. */
export function testEveryClient(options: Way): void {
  describe.each(Object.entries(CLIENTS))("%s", (name, client) => {
    test.each(["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])(
      "%s reaches the handler",
      async (method) => {
        const { requests } = mock({ ...options, handle: async () => reply("answer", 201) });
        const { status, body } = await client(`${HOST}/targets/1%20%2F?a=1&b=%20`, { method });
        expect(status).toBe(201);
        expect(String(body)).toBe(method === "HEAD" ? "" : "answer");
        expect(requests).toMatchObject([{ method, path: "/targets/1%20%2F", query: "a=1&b=%20" }]);
      },
    );

    test("body bytes arrive unchanged with any content type", async () => {
      const bodies = [
        Buffer.from('{"cut": '),
        Buffer.from([0xff, 0xfe, 0x00, 0x80]),
        Buffer.from('{ "spaced" :1}'),
        Buffer.alloc(2_000_000, "é"),
      ];
      const { requests } = mock(options);
      for (const body of bodies) {
        for (const encoding of ["identity", "gzip"]) {
          const headers = { "Content-Type": "application/json", "Content-Encoding": encoding };
          await client(`${HOST}/`, { method: "POST", headers, body });
        }
      }
      const wanted = bodies.flatMap((body) => [body, body]);
      expect(requests.map(({ body }, index) => wanted[index]?.equals(body))).toEqual(wanted.map(() => true));
    });

    test("headers arrive", async () => {
      const { requests } = mock(options);
      const headers = {
        Authorization: "VWS key:signature",
        Date: "Sat, 21 Nov 2026 12:00:00 GMT",
        "X-Own": "é",
      };
      await client(`${HOST}/`, { method: "POST", body: Buffer.from("1"), headers });
      const [request] = requests;
      if (request === undefined) throw new Error("no request arrived");
      expect(header(request, "authorization")).toBe(headers.Authorization);
      expect(header(request, "date")).toBe(headers.Date);
      expect(header(request, "x-own")).toBe("é");
    });

    test("response headers arrive unchanged, and none is added", async () => {
      const headers = [
        ["Content-Type", "application/json"],
        ["server", "envoy"],
        ["X-Aws-Region", "us-east-2, us-west-2"],
        ["Content-Length", "2"],
      ] as const;
      mock({ ...options, handle: async () => reply("{}", 200, headers) });
      const received = await client(`${HOST}/`);
      expect(received.headers).toEqual(lowerCased(headers));
      expect(received.rawHeaders ?? headers).toEqual(headers);
      if (name === "node:http(s)" || name === "got") expect(received.rawHeaders).toBeDefined();
    });

    test.each([
      { status: 204, headers: [] },
      { status: 429, headers: [["Content-Length", "0"]] as const },
    ])("an empty $status stays empty", async ({ status, headers }) => {
      mock({ ...options, handle: async () => reply("", status, headers) });
      const received = await client(`${HOST}/`);
      expect(received.status).toBe(status);
      expect(received.headers).toEqual(lowerCased(headers));
      expect(received.body).toHaveLength(0);
    });

    test("a gzip body is sent unchanged", async () => {
      const packed = gzipSync("a text");
      const headers = [
        ["Content-Encoding", "gzip"],
        ["Content-Length", String(packed.length)],
      ] as const;
      mock({ ...options, handle: async () => reply(packed, 200, headers) });
      const { body } = await client(`${HOST}/`);
      if (name === "node:http(s)") expect(body).toEqual(packed);
      else expect(String(body)).toBe("a text");
    });

    test("5 MB arrive", async () => {
      const large = Buffer.alloc(5_000_000, "0123456789");
      mock({ ...options, handle: async () => reply(large) });
      expect((await client(`${HOST}/`)).body.equals(large)).toBe(true);
    });

    test.each([
      { kind: "refused", code: "ECONNREFUSED" },
      { kind: "reset", code: "ECONNRESET" },
    ] as const)("a connection that is $kind gives the client's own error", async ({ kind, code }) => {
      mock({ ...options, handle: async () => ({ connectionError: { kind, message: "nothing at GET /x" } }) });
      const error = await failureOf(client(`${HOST}/x`));
      expect(messagesOf(error)).toContain("nothing at GET /x");
      expect(codesOf(error)).toContain(code);
    });

    test.each([
      { what: "an error", thrown: new RangeError("the matcher's own"), message: "the matcher's own" },
      { what: "a text", thrown: "only words", message: "only words" },
    ])("$what that the handler throws fails the request", async ({ thrown, message }) => {
      mock({ ...options, handle: () => Promise.reject(thrown) });
      expect(messagesOf(await failureOf(client(`${HOST}/`)))).toContain(message);
    });
  });

  test("agents that keep connections alive", async () => {
    const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
    mock({
      ...options,
      handle: async ({ path }) => reply(path, 200, [["Connection", "keep-alive"]]),
    });
    const get = async (path: string) => (await axios.get(HOST + path, { httpsAgent: agent })).data;
    for (const path of ["/1", "/2", "/3"]) expect(await get(path)).toBe(path);
    expect(await Promise.all(["/4", "/5", "/6"].map(get))).toEqual(["/4", "/5", "/6"]);
    agent.destroy();
  });

  test("node:https: a client that waits for 100 Continue sends its body", async () => {
    const { requests } = mock(options);
    const headers = { Expect: "100-continue", "Content-Length": 3 };
    const received = new Promise((resolve, reject) => {
      const request = https.request(HOST, { method: "POST", headers }, (response) =>
        response.resume().on("end", () => resolve(response.statusCode)),
      );
      request.on("continue", () => request.end("abc")).on("error", reject);
      request.flushHeaders();
    });
    expect(await received).toBe(200);
    expect(requests.map(({ body }) => String(body))).toEqual(["abc"]);
  });

  test("node:https: a header given as a list arrives as one header", async () => {
    const { requests } = mock(options);
    await new Promise((resolve, reject) => {
      https
        .get(HOST, { headers: { "X-Own": ["a", "b"] } }, (response) => response.resume().on("end", resolve))
        .on("error", reject);
    });
    expect(header({ headers: requests[0]?.headers ?? [] }, "x-own")).toBe("a, b");
  });
}

function lowerCased(headers: readonly (readonly [string, string])[]): Record<string, string> {
  return Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
}
