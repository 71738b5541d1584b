import { writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { firstOf } from "../support/combinations.ts";
import { inConsumer, inModules, runNode } from "./run.ts";

const entries = [
  "mock-cloud-reco",
  ...["assert", "node-test", "openapi", "server"].map((name) => `mock-cloud-reco/${name}`),
];

it.each(firstOf(["typescript-7", "typescript"], 1))(
  "%s checks the declarations themselves beside those of the DOM",
  async (compiler) => {
    const code = entries.map((entry, index) => `export * as entry${index} from "${entry}";\n`).join("");
    await writeFile(inConsumer("beside-dom.ts"), code);
    const { printed } = await runNode(".", [
      inModules(`${compiler}/bin/tsc`),
      ...["--noEmit", "--strict", "--target", "es2022", "--lib", "ES2022,DOM", "--skipLibCheck", "false"],
      ...["--module", "node16", "--moduleResolution", "node16"],
      ...["--types", "node", "--typeRoots", inModules("@types"), "beside-dom.ts"],
    ]);
    expect(printed).toBe("");
  },
);
