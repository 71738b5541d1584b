import { beforeAll, expect, it } from "vitest";
import { copySamples, runNode } from "../package/run.ts";

beforeAll(() => copySamples("clients"));

it.each(["nock", "sockets"])(
  "every client is answered, although it took its functions before the mock started: %s",
  async (intercept) => {
    const { code, printed } = await runNode("clients", ["clients.mjs", intercept]);
    expect(code, printed).toBe(0);
    const results: Record<string, unknown> = JSON.parse(printed.split("\n").at(-1) ?? "");
    expect(Object.entries(results).filter(([, status]) => status !== 401)).toEqual([]);
    const [major = 0] = process.versions.node.split(".").map(Number);
    expect(Object.keys(results)).toHaveLength(major >= 22 ? 13 : 10);
  },
);
