import type { ProfileName } from "mock-cloud-reco";
import { type Servers, startServers } from "mock-cloud-reco/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RawConnection } from "../servers/raw-connection.ts";

// What the parts in front of the real service answer, to the byte.

const NOW = new Date("2026-11-21T10:42:00Z");
const DATE = "Sat, 21 Nov 2026 10:42:00 GMT";
const LONG = `X-Long: ${"x".repeat(8183)}`;
const ENVOY: Readonly<Record<ProfileName, string>> = {
  neutral: "x-proxy-upstream-service-time: 5",
  vuforia: "x-envoy-upstream-service-time: 5",
};
const REGION: Readonly<Record<ProfileName, string>> = { neutral: "x-cloud-region", vuforia: "x-aws-region" };
const RATE_LIMITED: Readonly<Record<ProfileName, string>> = {
  neutral: "x-proxy-ratelimited",
  vuforia: "x-envoy-ratelimited",
};

const head = (status: string, ...lines: readonly string[]): string =>
  `HTTP/1.1 ${status}\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`;
const page = (title: string, ...rest: readonly string[]): string =>
  [
    "<html>",
    `<head><title>${title}</title></head>`,
    "<body>",
    "<center><h1>400 Bad Request</h1></center>",
    ...rest,
    "</body>",
    "</html>",
    "",
  ].join("\r\n");
const BAD_LENGTH = page("400 Bad Request");
const TOO_LARGE = page(
  "400 Request Header Or Cookie Too Large",
  "<center>Request Header Or Cookie Too Large</center>",
  "<hr><center>nginx</center>",
);

describe.each(["neutral", "vuforia"] as const)("in front of the service (%s)", (profile) => {
  let servers: Servers;
  let database: ReturnType<Servers["addCloudDatabase"]>;
  beforeAll(async () => {
    servers = await startServers({ profile, queryContentEncoding: "identity", clock: { now: () => NOW } });
    database = servers.addCloudDatabase({ requestsPerSecondLimit: 0 });
  });
  afterAll(() => servers[Symbol.asyncDispose]());
  const open = (api: "target" | "query") => RawConnection.open(Number(new URL(servers.urls[api]).port));

  const region = profile === "neutral" ? [`${REGION.neutral}: us-east-2, us-west-2`] : [];
  const common = [
    "strict-transport-security: max-age=31536000",
    `${REGION[profile]}: us-east-2, us-west-2`,
    "x-content-type-options: nosniff",
    `Date: ${DATE}`,
  ];
  const longOn = {
    target: head(
      "400 Bad Request",
      "Connection: keep-alive",
      "Content-Type: text/html",
      "server: envoy",
      ENVOY[profile],
      ...common,
      `Content-Length: ${TOO_LARGE.length}`,
    ),
    query: head(
      "400 Bad Request",
      "Connection: keep-alive",
      "Server: nginx",
      `Date: ${DATE}`,
      "Content-Type: text/html",
      ...region,
      `Content-Length: ${TOO_LARGE.length}`,
    ),
  };
  const badLengthOn = {
    target: head(
      "400 Bad Request",
      "Server: awselb/2.0",
      "Content-Type: text/html",
      "Connection: close",
      `Date: ${DATE}`,
      `Content-Length: ${BAD_LENGTH.length}`,
    ),
    query: head("400 Bad Request", "Connection: Close", ...region, "Content-Length: 0"),
  };

  test.each(["target", "query"] as const)(
    "%s: a long header line; the connection stays usable",
    async (api) => {
      const connection = await open(api);
      const paths = { target: ["/summary", "/unserved"], query: ["/v1/query", "/unserved"] }[api];
      for (const path of paths) {
        connection.write(`POST ${path} HTTP/1.1\r\n${LONG}\r\nContent-Length: 0\r\n\r\n`);
        expect(await connection.response()).toBe(longOn[api] + TOO_LARGE);
      }
      // One byte less reaches the next check.
      connection.write(`POST /unserved HTTP/1.1\r\n${LONG.slice(0, -1)}\r\nContent-Length: 0\r\n\r\n`);
      expect(await connection.response()).toMatch(/^HTTP\/1.1 404 /);
      connection.close();
    },
  );

  test.each(["target", "query"] as const)(
    "%s: a Content-Length that is no integer comes before a long header line",
    async (api) => {
      for (const path of ["/targets", "/v1/query", "/unserved"]) {
        const connection = await open(api);
        connection.write(`POST ${path} HTTP/1.1\r\n${LONG}\r\nContent-Length: many\r\n\r\nabc`);
        expect(await connection.rest()).toBe(badLengthOn[api] + (api === "target" ? BAD_LENGTH : ""));
        connection.close();
      }
    },
  );

  test("a request over a rate limit", async () => {
    const connection = await open("target");
    connection.write(`GET /summary HTTP/1.1\r\nAuthorization: VWS ${database.serverAccessKey}:x\r\n\r\n`);
    expect(await connection.response()).toBe(
      head(
        "429 Too Many Requests",
        "Connection: keep-alive",
        "server: envoy",
        `${RATE_LIMITED[profile]}: true`,
        ENVOY[profile],
        ...common,
        "Content-Length: 0",
      ),
    );
    connection.close();
  });
});
