import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Received } from "./fact.ts";
import { wireClient } from "./wire-client.ts";

/** What a proxy does with one request: changes the response, cuts the connection, or never answers. */
export type Meddle = (
  request: { readonly method: string; readonly path: string },
  forward: () => Promise<Received>,
) => Promise<Received | "cut" | "silence">;

export interface Proxy extends AsyncDisposable {
  readonly url: string;
}

/** An HTTP server in front of another one. */
export async function startProxy(behind: string, meddle: Meddle): Promise<Proxy> {
  const send = wireClient(30);
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "", url: path = "" } = request;
    const headers = Object.fromEntries(
      request.rawHeaders.flatMap((name, index, all) =>
        index % 2 === 0 && !/^(host|connection|content-length)$/i.test(name)
          ? [[name, all[index + 1] ?? ""]]
          : [],
      ),
    );
    const body = chunks.length === 0 ? undefined : Buffer.concat(chunks);
    const answer = await meddle({ method, path }, () => send(behind, { method, path, headers, body }));
    if (answer === "silence") return;
    if (answer === "cut") {
      response.destroy();
      return;
    }
    // Node would add headers of its own.
    response.sendDate = false;
    response.removeHeader("Connection");
    response.writeHead(answer.status, answer.headers.flat());
    response.end(answer.body);
  };
  const server = createServer({ maxHeaderSize: 100_000 }, (request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
