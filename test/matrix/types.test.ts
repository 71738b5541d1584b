import { cp } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { createProject, inConsumer, inModules, runNode } from "../package/run.ts";

beforeAll(async () => {
  await cp(fileURLToPath(new URL("types", import.meta.url)), inConsumer("types"), { recursive: true });
});

const common = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2023,esnext.disposable"];
const node = ["--types", "node", "--typeRoots", inModules("@types")];

const ROWS = [
  // This one also checks the declarations themselves.
  ["CommonJS as Node resolves it", "node16", "node16", ["core.ts", "--skipDefaultLibCheck"]],
  ["modules as Node resolves them", "node16", "node16", ["runners.mts", "--skipLibCheck"]],
  ["what a bundler resolves", "esnext", "bundler", ["core.ts", "runners.mts", "--skipLibCheck"]],
  ["what older settings resolve", "commonjs", "node10", ["core.ts", "jest.ts", "--skipLibCheck"]],
] as const;

async function compile(compiler: string, folder: string, ...args: readonly string[]): Promise<void> {
  const { code, printed } = await runNode(folder, [
    inModules(`${compiler}/bin/tsc`),
    ...common,
    ...node,
    ...args,
  ]);
  expect(printed).toBe("");
  expect(code).toBe(0);
}

describe.each(["typescript-5.4", "typescript-7"])("%s compiles", (compiler) => {
  // TypeScript 7 no longer has the older settings.
  const rows = compiler === "typescript-7" ? ROWS.slice(0, 3) : ROWS;
  it.each(rows)("%s", (_, module, moduleResolution, files) =>
    compile(compiler, "types", "--module", module, "--moduleResolution", moduleResolution, ...files),
  );
});

it("typescript-7 compiles tests of Vitest 5", async () => {
  await createProject("types-vitest-5", { vitest: "vitest-5" });
  await cp(inConsumer("types/runners.mts"), inConsumer("types-vitest-5/runners.mts"));
  await compile("typescript-7", "types-vitest-5", "--module", "node16", "--skipLibCheck", "runners.mts");
});
