import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { type Environment, start } from "./command.ts";

describe("healthcheck", () => {
  const withServer = async (status: number, act: (url: string) => Promise<void>) => {
    const server = createServer((_request, response) => {
      response.statusCode = status;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address: AddressInfo | string | null = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    await act(`http://127.0.0.1:${port}`);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };

  test.each([
    [200, 0],
    [299, 0],
    [401, 0],
    [403, 0],
    [404, 0],
    [301, 1],
    [400, 1],
    [429, 1],
    [502, 1],
  ])("turns the status %i into exit code %i", async (status, expected) => {
    await withServer(status, async (url) => {
      const { code, printed } = await start(["healthcheck", url]).finished;
      expect(code).toBe(expected);
      expect(printed).toBe(`${url}/ ${expected === 0 ? "is healthy" : "is not healthy"}: ${status}\n`);
    });
  });

  test("exits with code 1 when nothing listens", async () => {
    expect(await start(["healthcheck", "http://127.0.0.1:1"]).finished).toMatchObject({
      code: 1,
      printed: "http://127.0.0.1:1/ is not healthy: ECONNREFUSED\n",
    });
  });

  test("checks the server of the same environment when no URL is given", async () => {
    await withServer(200, async (url) => {
      const environment = { HOST: "0.0.0.0", PORT: new URL(url).port };
      expect((await start(["healthcheck"], environment).finished).code).toBe(0);
    });
    await withServer(200, async (url) => {
      for (const name of ["TARGET_PORT", "MOCK_CLOUD_RECO_TARGET_PORT"]) {
        const environment = { HOST: "127.0.0.2", PORT: "2", [name]: new URL(url).port };
        const { printed } = await start(["healthcheck"], environment).finished;
        expect(printed).toBe(`${url}/ is healthy: 200\n`);
      }
    });
    const { printed } = await start(["healthcheck"], { HOST: "127.0.0.1", PORT: "2" }).finished;
    expect(printed).toMatch(/^http:\/\/127\.0\.0\.1:2\/ /);
  });

  test.each<[Environment, string]>([
    [{ HOST: "::1", PORT: "1" }, "http://[::1]:1/"],
    [{ HOST: "::", PORT: "1", TLS_GENERATE: "yes" }, "https://127.0.0.1:1/"],
    [{ HOST: "127.0.0.1", PORT: "1", TLS_CERT_FILE: "/cert.pem" }, "https://127.0.0.1:1/"],
    // Whether something listens on the default port depends on the machine.
    [{}, "http://127.0.0.1:5000/"],
  ])("checks the server of the environment %j: %s", async (environment, url) => {
    const { printed } = await start(["healthcheck"], environment).finished;
    expect(printed.startsWith(`${url} is `)).toBe(true);
  });

  test("exits with code 0 for a server with a self-signed certificate", async () => {
    const environment = { LOG_LEVEL: "silent", PORT: "0", TLS_GENERATE: "true" };
    const manager = start(["target-manager"], environment);
    const url = (await manager.printed()).trim().split(" ")[1] ?? "";
    expect(url).toMatch(/^https:/);
    expect((await start(["healthcheck", `${url}/livez`]).finished).printed).toBe(
      `${url}/livez is healthy: 200\n`,
    );
    await manager.stop();
  });
});
