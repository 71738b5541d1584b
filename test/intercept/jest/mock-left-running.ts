import { createServer, get as httpGet } from "node:http";
import https from "node:https";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import nock from "nock";
import { intercept } from "../../../src/intercept/interception.ts";

const hosts = [
  {
    baseUrl: new URL("https://service.example"),
    handle: async () => ({ response: { status: 200, headers: [], body: Buffer.from("ours") } }),
  },
];
const start = () => intercept({ hosts, intercept: "nock" });

const textOf = (get: typeof httpGet, url: string) =>
  new Promise<string>((resolve, reject) => {
    const request = get(url, (response) => {
      response.setEncoding("utf8").on("data", resolve);
    });
    request.on("error", reject);
  });

// Importing nock activated it.
nock.restore();

/** Each file that calls this leaves a mock started for the next file of the same worker. */
export function testInterception(): void {
  describe("interception", () => {
    const server = createServer((_request, response) => response.end("real"));
    let real = "";

    beforeAll(async () => {
      await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
      const address = server.address();
      if (address !== null && typeof address === "object") real = `http://127.0.0.1:${address.port}`;
    });

    afterAll(() => {
      server.closeAllConnections();
      server.close();
    });

    test("with process.nextTick faked, a mock refuses to start", () => {
      jest.useFakeTimers();
      expect(start).toThrow('jest.useFakeTimers({ doNotFake: ["nextTick"] })');
      jest.useRealTimers();
    });

    test("works with all other timers faked", async () => {
      jest.useFakeTimers({ doNotFake: ["nextTick"] });
      const { stop } = start();
      expect(await textOf(https.get, "https://service.example")).toBe("ours");
      expect(await (await fetch("https://service.example")).text()).toBe("ours");
      jest.useRealTimers();
      stop();
    });

    test("works, and lets other requests pass", async () => {
      const before = { fetch, get: https.get };
      const { stop } = start();
      expect(https.get === before.get).toBe(false);
      expect(await textOf(https.get, "https://service.example")).toBe("ours");
      expect(await textOf(httpGet, real)).toBe("real");
      expect(await (await fetch("https://service.example")).text()).toBe("ours");
      stop();
      expect({ fetch: fetch === before.fetch, get: https.get === before.get }).toEqual({
        fetch: true,
        get: true,
      });
      expect(await textOf(httpGet, real)).toBe("real");
    });

    test("blocks the hosts that were closed outside of this file's realm", async () => {
      start().stop();
      const refused = expect.objectContaining({ message: expect.stringMatching("refused before all files") });
      await expect(textOf(https.get, "https://closed.example")).rejects.toEqual(refused);
    });

    test("leaves nock active that the test activated, and a mock started", async () => {
      nock.activate();
      start().stop();
      expect(nock.isActive()).toBe(true);
      nock.restore();
      start();
      expect(await textOf(https.get, "https://service.example")).toBe("ours");
    });
  });
}
