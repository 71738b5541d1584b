import { expect, it } from "vitest";
import { isInCore } from "../../tsdown.config.ts";

it.each(["/home/me/mock-cloud-reco/", "/usr/src/app/", "/src/"])(
  "a package built in %s has the same modules in its main file",
  (checkout) => {
    const modules = [
      "src/mock/emulator-control.ts",
      "src/core/images/cache-limit.ts",
      "node_modules/zod/v4/core/parse.js",
      "src/testing/jest.ts",
      "src/core/images/engine.ts",
      "node_modules/zod/v4/core/json-schema.js",
      "node_modules/nock/index.js",
    ];
    expect(modules.filter((path) => isInCore(checkout + path, checkout))).toEqual(modules.slice(0, 3));
  },
);
