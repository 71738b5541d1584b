import { gunzipSync } from "node:zlib";
import type { ProfileName } from "mock-cloud-reco";
import { type Servers, startServers } from "mock-cloud-reco/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RawConnection } from "./raw-connection.ts";

/** What the protocol says in bytes, on raw sockets: clients would change some of them. */
describe.each<ProfileName>(["neutral", "vuforia"])("on the wire, profile %s", (profile) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers({ profile });
  });
  afterAll(() => servers.stop());

  const raw = async (server: "target" | "query", text: string) => {
    const connection = await RawConnection.open(Number(new URL(servers.urls[server]).port));
    try {
      return await connection.write(text).response();
    } finally {
      connection.close();
    }
  };
  const upstream = { neutral: "x-proxy-upstream-service-time", vuforia: "x-envoy-upstream-service-time" };

  /** A header line of that many bytes; every character of its value is one byte on the wire, and two in UTF-8. */
  const line = (bytes: number) => `X: ${"\u00e9".repeat(bytes - "X: ".length)}`;

  it.each([
    ["target", "GET /summary"],
    ["target", "PATCH /summary"],
    ["target", "GET /unserved"],
    ["query", "POST /v1/query"],
    ["query", "GET /v1/query"],
    ["query", "GET /unserved"],
  ] as const)(
    "%s, %s: a header line has at most 8190 bytes, one for each character",
    async (server, what) => {
      const send = (bytes: number) => raw(server, `${what} HTTP/1.1\r\nHost: x\r\n${line(bytes)}\r\n\r\n`);
      expect(await send(8191)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nConnection: keep-alive\r\n/);
      expect(await send(8190)).not.toMatch(/^HTTP\/1\.1 400/);
    },
  );

  it.each([
    ["", profile === "vuforia"],
    ["Accept-Encoding: gzip\r\n", true],
    ["Accept-Encoding: identity\r\n", profile === "vuforia"],
    ["Accept-Encoding: gzip;q=0\r\n", profile === "vuforia"],
  ])("the 404 page with %j is gzip: %s", async (header, isGzip) => {
    const got = await raw("target", `PUT /summary?x HTTP/1.1\r\nHost: x\r\n${header}\r\n`);
    const [head = "", ...rest] = got.split("\r\n\r\n");
    const body = Buffer.from(rest.join("\r\n\r\n"), "latin1");
    expect(head.split("\r\n")).toEqual([
      "HTTP/1.1 404 Not Found",
      "Content-Type: text/html; charset=UTF-8",
      ...(isGzip ? ["Content-Encoding: gzip"] : []),
      `${upstream[profile]}: 5`,
      `Content-Length: ${body.length}`,
    ]);
    expect((isGzip ? gunzipSync(body) : body).toString()).toContain("For request 'PUT /summary'");
  });

  it("the journal keeps the first 8 kB of a path and of a reason", async () => {
    const path = `/${"a".repeat(200_000)}`;
    await raw("target", `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const entry = servers.requests.at(-1);
    expect(entry?.path).toBe(`${path.slice(0, 8192)}… (200001 characters)`);
    expect(entry?.reason).toMatch(/^correct the path: nothing is served at GET \/a+… \(8\d{3} characters\)$/);
    expect(entry?.reason?.length).toBeLessThan(8300);
  });

  it("other paths get no page", async () => {
    expect(await raw("target", "GET /other HTTP/1.1\r\nHost: x\r\n\r\n")).toBe(
      "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    );
  });
});
