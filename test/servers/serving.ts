import { afterEach } from "vitest";
import type { Result, WireRequest, WireResponse } from "../../src/core/emulator/message.ts";
import { HttpServer } from "../../src/core/http/http-server.ts";
import type { HttpServerOptions } from "../../src/core/http/http-server-options.ts";
import { RawConnection } from "./raw-connection.ts";

const NEVER_IDLE = 60_000;
export const text = (body: string, headers: [string, string][] = []): WireResponse => ({
  status: 200,
  headers: [...headers, ["Content-Length", String(Buffer.byteLength(body))]],
  body: Buffer.from(body),
});
/** Answers with the parsed request. */
export const echo = async ({ method, path, query, body }: WireRequest): Promise<Result> => ({
  response: text(`${method} ${path} ${query} ${body.toString("latin1")}`),
});

let endings: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of endings) await end();
  endings = [];
});

/**
 * Starts a server that stops with the test.
 * @param wanted - port; 0 for any.
 */
export async function serve(
  answer: (request: WireRequest) => Promise<Result>,
  options: HttpServerOptions = {},
  wanted = 0,
) {
  const seen: WireRequest[] = [];
  const server = new HttpServer(
    {
      answer: (request) => {
        seen.push(request);
        return answer(request);
      },
      answerMalformed: async (why, head) => ({
        response: text([why, head.method || "?", head.path || "?", head.leftOverOf ?? ""].join(" ").trim()),
      }),
    },
    { ...options, limits: { idleMilliseconds: NEVER_IDLE, ...options.limits } },
  );
  const port = await server.listen(wanted, "127.0.0.1");
  endings.unshift(() => server.kill());
  const open = async () => {
    const connection = await RawConnection.open(port);
    endings.unshift(() => connection.close());
    return connection;
  };
  return { server, port, seen, open };
}
