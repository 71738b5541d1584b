import { createRequire } from "node:module";
import { MockCloudReco } from "mock-cloud-reco";
import type * as undici7 from "undici";
import type { Dispatcher } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { MockSession } from "../support/mock-session.ts";
import { makePng } from "../support/png.ts";
import { REAL, RealService } from "./kept-service.ts";
import { undiciPaths } from "./undici-versions.ts";

const require = createRequire(import.meta.url);

/** A copy of undici that no mock has seen. */
function copyOf(path: string): typeof undici7 {
  for (const file of Object.keys(require.cache)) if (file.includes("undici")) delete require.cache[file];
  return require(path);
}

const COUNT = 6;

describe.each(["nock", "sockets"] as const)("%s", (intercept) => {
  describe.each(undiciPaths)("%s", (_name, path) => {
    test.each([
      [
        "a pool",
        ({ Pool }: typeof undici7, origin: string): Dispatcher => new Pool(origin, { connections: 1 }),
      ],
      ["an agent", ({ Agent }: typeof undici7): Dispatcher => new Agent({ connections: 1 })],
    ])("%s that was used before the first mock keeps isolated calls apart", async (_kind, make) => {
      const { origin } = await RealService.start("http");
      const dispatcher = make(copyOf(path), origin);
      onTestFinished(() => dispatcher.destroy());
      const send = async (given: Omit<Dispatcher.RequestOptions, "origin">) => {
        const { statusCode, body } = await dispatcher.request({ origin, ...given });
        await body.dump();
        return statusCode;
      };
      expect(await send({ path: "/", method: "GET" })).toBe(REAL);
      await new Promise(setImmediate);
      const mock = new MockCloudReco({ intercept, targetUrl: origin });
      onTestFinished(() => mock.stop());
      const database = mock.addCloudDatabase();
      const session = new MockSession(mock, database);
      const content = { name: "x", width: 1, image: makePng().toString("base64") };
      const add = () => {
        const { headers, body } = session.signedTarget({ method: "POST", path: "/targets", body: content });
        return send({ path: "/targets", method: "POST", headers, body: body ?? null });
      };
      const isolated = async () => [await add(), mock.requests.length];
      const all = await Promise.all(Array.from({ length: COUNT }, () => mock.isolate(isolated)));
      expect(all).toEqual(Array(COUNT).fill([201, 1]));
      expect([database.targets, mock.requests.length]).toEqual([[], COUNT]);
    });
  });
});
