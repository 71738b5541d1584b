import { createServer, type RequestListener } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { differences } from "./differences.ts";
import { wireClient } from "./wire-client.ts";

test("a service that answers without 100 Continue differs in that", async () => {
  const server = createServer((_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = Object(server.address());
    const found = async () => {
      const request = {
        method: "POST",
        path: "/",
        headers: { Expect: "100-continue" },
        body: Buffer.from("x"),
      };
      const response = await wireClient(10)(`http://127.0.0.1:${port}`, request);
      return differences({ status: 200, body: "", continued: true }, response);
    };
    expect(await found()).toEqual([]);
    server.on("checkContinue", (_request, response) => response.end());
    expect(await found()).toEqual([{ what: "100 Continue", expected: "sent", got: "(none)" }]);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** What a request that expects 100 gets from a service, which moves the client's timers. */
async function expectingContinue(listener: RequestListener) {
  const server = createServer().on("checkContinue", listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
    server.close();
  });
  const request = { method: "POST", path: "/", headers: { Expect: "100-continue" }, body: Buffer.from("x") };
  return wireClient(30)(`http://127.0.0.1:${Object(server.address()).port}`, request);
}

test("a service may take longer for 100 Continue than a client waits for it", async () => {
  const response = await expectingContinue((request, response) => {
    request.once("data", () => {
      response.writeContinue();
      response.end("late");
    });
    vi.advanceTimersByTime(2000);
  });
  expect(response).toMatchObject({ status: 200, continued: true });
});

test("what arrived while this process was stalled is read before it is given up", async () => {
  const response = await expectingContinue((_request, response) => {
    response.writeContinue();
    // All times are over before the client reads it: timers run after this turn of the event loop, and before data is read.
    response.end("whole", () => setImmediate(() => vi.advanceTimersByTime(30_000)));
  });
  expect(response).toMatchObject({ status: 200, continued: true, body: Buffer.from("whole") });
});
