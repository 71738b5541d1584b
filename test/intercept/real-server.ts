import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/**
 * A real server that answers "real".
 *
 * @param onRequest - called for each request.
 */
export async function realServer(onRequest = () => {}): Promise<string> {
  const listener: RequestListener = (_request, response) => {
    onRequest();
    response.setHeader("Connection", "close").end("real");
  };
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}
