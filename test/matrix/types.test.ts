import { cp, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { createProject, inConsumer, inModules, runNode } from "../package/run.ts";

beforeAll(async () => {
  await cp(fileURLToPath(new URL("types", import.meta.url)), inConsumer("types"), { recursive: true });
});

const common = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2023,esnext.disposable"];
/** A later one of these replaces an earlier one. */
const types = (roots = inModules("@types")) => ["--types", "node", "--typeRoots", roots];

const ROWS = [
  // This one also checks the declarations themselves.
  ["CommonJS as Node resolves it", "node16", "node16", ["core.ts", "--skipDefaultLibCheck"]],
  ["modules as Node resolves them", "node16", "node16", ["runners.mts", "vitest.mts", "--skipLibCheck"]],
  [
    "what a bundler resolves",
    "esnext",
    "bundler",
    ["core.ts", "runners.mts", "vitest.mts", "--skipLibCheck"],
  ],
  ["what older settings resolve", "commonjs", "node10", ["core.ts", "jest.ts", "--skipLibCheck"]],
] as const;

async function compile(compiler: string, folder: string, ...args: readonly string[]): Promise<void> {
  const { code, printed } = await runNode(folder, [
    inModules(`${compiler}/bin/tsc`),
    ...common,
    ...types(),
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

/** Of other versions of Node; those of 20 are compiled above, except by TypeScript 6. */
describe.each(["20", "22", "24", "26"])("@types/node %s", (version) => {
  const roots = inConsumer(`types-of-node-${version}`);
  beforeAll(async () => {
    await mkdir(roots);
    const name = version === "20" ? "@types/node" : `types-node-${version}`;
    await symlink(inModules(name), join(roots, "node"));
  });

  const compilers = version === "20" ? ["typescript-6"] : ["typescript-5.4", "typescript-6", "typescript-7"];
  it.each(compilers)("are enough for the declarations in %s", (compiler) => {
    // Those of Node 26 do not compile themselves before TypeScript 5.6.
    const skips =
      compiler === "typescript-5.4" && version === "26" ? "--skipLibCheck" : "--skipDefaultLibCheck";
    const resolution = ["--module", "node16", "--moduleResolution", "node16"];
    return compile(compiler, "types", ...types(roots), ...resolution, skips, "core.ts");
  });
});

describe.each(["vitest", "vitest-5"])("the declarations for %s", (vitest) => {
  const project = `types-${vitest}`;
  beforeAll(async () => {
    await createProject(project, { vitest });
    await cp(inConsumer("types/vitest.mts"), inConsumer(project, "vitest.mts"));
  });

  it.each(["typescript-5.4", "typescript-7"])("hold together with its own, in %s", (compiler) => {
    const resolution = ["--module", "node16", "--moduleResolution", "node16"];
    return compile(compiler, project, ...resolution, "--skipDefaultLibCheck", "vitest.mts");
  });
});
