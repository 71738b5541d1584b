import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  authorizationHeader,
  type JournalEntry,
  type MockCloudDatabase,
  MockCloudReco,
} from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { Client } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { makePng } from "../support/png.ts";

const NOW = new Date("2026-11-21T10:42:00Z");

interface Service extends AsyncDisposable {
  readonly urls: Readonly<Record<"target" | "query", string>>;
  readonly requests: readonly JournalEntry[];
  addCloudDatabase(): MockCloudDatabase;
}

const options = { clock: { now: () => NOW }, profile: "vuforia" } as const;
const urls = { targetUrl: "http://vws.test", queryUrl: "http://vwq.test" };
const SERVICES: readonly (readonly [string, () => Service | Promise<Service>])[] = [
  ["on servers", () => startServers(options)],
  ["in process, by sockets", () => new MockCloudReco({ ...options, ...urls, intercept: "sockets" })],
  ["in process, by default", () => new MockCloudReco({ ...options, ...urls })],
];

type Send = (request: {
  readonly path: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}) => Promise<readonly [status: number | undefined, connection: unknown]>;

/** Clients that keep their only connection while they may. */
const CLIENTS: Readonly<Record<string, (origin: string) => Send>> = {
  "node:http": (origin) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    return ({ path, body, headers }) =>
      new Promise((resolve, reject) => {
        const sent = request(origin + path, { method: "POST", agent, headers });
        sent.on("error", reject).on("response", (response: IncomingMessage) => {
          response.resume().on("end", () => resolve([response.statusCode, response.headers.connection]));
        });
        // Node refuses to end a body before its announced length.
        sent.flushHeaders();
        sent.write(body);
        sent.end();
      });
  },
  undici: (origin) => {
    const client = new Client(origin, { strictContentLength: false });
    // Of the wrong length.
    const warning = vi.spyOn(process, "emitWarning").mockReturnValue();
    onTestFinished(async () => {
      warning.mockRestore();
      await client.close();
    });
    return async ({ path, body: bytes, headers }) => {
      const body = Readable.from([bytes]);
      const response = await client.request({ method: "POST", path, headers, body });
      await response.body.dump();
      return [response.statusCode, response.headers.connection];
    };
  },
};

const CASES = [
  ["target", -1, [401, "keep-alive"], [201, "keep-alive"]],
  ["target", 1, [408, "close"], [201, "keep-alive"]],
  ["query", -1, [401, "keep-alive"], [415, "keep-alive"]],
  ["query", 1, [504, "keep-alive"], [415, "keep-alive"]],
] as const;

const ANNOUNCE = "announce the whole body, and send it without a pause";
const remark = (request: string, length: number) =>
  `malformed HTTP/1.1 request; ${ANNOUNCE}: the bytes are the rest of ${request}, whose Content-Length is ${length}`;

describe.each(SERVICES)("%s", (_, open) => {
  it("late bytes of a query's body that was given up are refused, and the connection ends", async () => {
    await using service = await open();
    const { hostname: host, port } = new URL(service.urls.query);
    const socket = connect({ host, port: Number(port || 80) });
    socket.write("POST /v1/query HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc");
    const [response] = await once(socket, "data");
    expect(String(response)).toBe(
      "HTTP/1.1 504 Gateway Timeout\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
    );
    socket.write("defghij");
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*Connection: close\r\n/is);
    expect(service.requests.at(-1)?.reason).toBe(
      `malformed HTTP/1.1 request; ${ANNOUNCE}: the bytes are the rest of POST /v1/query, whose body was given up after 3 of 10 bytes`,
    );
  });

  it.each(Object.entries(CLIENTS))(
    "after a wrong Content-Length, %s gets its next response",
    async (_, client) => {
      await using service = await open();
      const keys = service.addCloudDatabase();
      const image = makePng().toString("base64");
      for (const [api, more, wrong, right] of CASES) {
        const send = client(service.urls[api]);
        const isQuery = api === "query";
        const signed = {
          accessKey: isQuery ? keys.clientAccessKey : keys.serverAccessKey,
          secretKey: isQuery ? keys.clientSecretKey : keys.serverSecretKey,
          method: "POST",
          path: isQuery ? "/v1/query" : "/targets",
          body: Buffer.from(JSON.stringify({ name: `announces ${more} more`, width: 1, image })),
          contentType: "application/json",
          date: NOW.toUTCString(),
        };
        const announcing = (length: number) =>
          send({
            ...signed,
            headers: {
              Authorization: authorizationHeader(signed),
              Date: signed.date,
              "Content-Type": signed.contentType,
              "Content-Length": String(length),
            },
          });
        const { length } = signed.body;
        expect([api, more, await announcing(length + more)]).toEqual([api, more, wrong]);
        expect([api, more, await announcing(length)]).toEqual([api, more, right]);
        const reasons = service.requests.map(({ reason }) => reason);
        if (more < 0) expect(reasons).toContain(remark(`POST ${signed.path}`, length + more));
      }
      // Each wrong and each right one, and two leftovers.
      expect(service.requests).toHaveLength(10);
    },
  );
});
