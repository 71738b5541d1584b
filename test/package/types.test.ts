import { cp } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { inConsumer, inModules, runNode } from "./run.ts";

beforeAll(async () => {
  await cp(fileURLToPath(new URL("types", import.meta.url)), inConsumer("types"), { recursive: true });
});

const common = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2023,esnext.disposable"];
const node = ["--types", "node", "--typeRoots", inModules("@types")];

describe("TypeScript 5.4, the oldest that is supported, compiles", () => {
  it.each([
    // This one also checks the declarations themselves.
    ["CommonJS as Node resolves it", "node16", "node16", ["core.ts", "--skipDefaultLibCheck"]],
    ["modules as Node resolves them", "node16", "node16", ["runners.mts", "--skipLibCheck"]],
    ["what a bundler resolves", "esnext", "bundler", ["core.ts", "runners.mts", "--skipLibCheck"]],
    ["what older settings resolve", "commonjs", "node10", ["core.ts", "jest.ts", "--skipLibCheck"]],
  ])("%s", async (_, module, moduleResolution, files) => {
    const tsc = inModules("typescript-5.4/bin/tsc");
    const resolution = ["--module", module, "--moduleResolution", moduleResolution];
    const { code, printed } = await runNode("types", [tsc, ...common, ...node, ...resolution, ...files]);
    expect(printed).toBe("");
    expect(code).toBe(0);
  });
});
