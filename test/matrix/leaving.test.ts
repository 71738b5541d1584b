import { beforeAll, expect, it } from "vitest";
import { copySamples, runNode } from "../package/run.ts";

beforeAll(() => copySamples("leaving"));

it.concurrent.for(["nock", "sockets"])(
  "native clients leave, also from a started mock: %s",
  async (intercept) => {
    const { code, printed } = await runNode("leaving", ["leaving.mjs", intercept]);
    expect(code, printed).toBe(0);
    expect(JSON.parse(printed.split("\n").at(-1) ?? "")).toEqual({
      fetch: { status: 401, arrived: 0 },
      impit: { status: 200, arrived: 1 },
      "wreq-js": { status: 200, arrived: 1 },
    });
  },
);
