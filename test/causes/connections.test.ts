import type { CauseCode } from "mock-cloud-reco";
import { type Servers, startServers } from "mock-cloud-reco/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RawConnection } from "../servers/raw-connection.ts";

describe("bytes that arrive at servers", () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers();
  });
  afterAll(() => servers.stop());

  /** @param later - what the client sends after the first response; null: it ends its side before that. */
  async function send(
    to: "target" | "query" | "manager",
    text: string,
    later?: string | null,
  ): Promise<void> {
    const connection = await RawConnection.open(Number(new URL(servers.urls[to]).port));
    try {
      connection.write(text);
      if (later === null) connection.halfClose();
      await connection.response();
      if (typeof later !== "string") return;
      connection.write(later);
      await connection.response();
    } finally {
      connection.close();
    }
  }

  it.each<[CauseCode, Parameters<typeof send>[0], string, (string | null)?]>([
    ["http.malformed", "target", "nonsense\r\n\r\n"],
    ["http.unended", "target", "GET /targets HTTP/1.1\r\nHost: x\r\n", null],
    ["body.cut-off", "target", "POST /targets HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc", null],
    ["bytes.left-over", "query", "POST /v1/query HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc", "defghij"],
    ["host.untrusted", "manager", "GET /requests HTTP/1.1\r\nHost: example.com\r\n\r\n"],
    [
      "origin.untrusted",
      "manager",
      "GET /requests HTTP/1.1\r\nHost: localhost\r\nOrigin: https://example.com\r\n\r\n",
    ],
  ])("%s", async (cause, to, text, later) => {
    await send(to, text, later);
    const codes = servers.requests.flatMap(({ cause: why }) => [
      why?.code,
      ...(why?.also ?? []).map(({ code }) => code),
    ]);
    expect(codes).toContain(cause);
  });
});
