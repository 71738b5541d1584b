#!/usr/bin/env bash
# Jest 30.5.2, sharp 0.35.5, Node 20.20, Linux with glibc.
# Expected: an optional `require` in a package, which fails and whose error is caught, costs a test file next to nothing.
# Seen: Jest searches the folder for files of a similar name, to name them in its message. For the first one it loads `glob` into the
# runner. sharp makes such a `require` whenever it is loaded, in a `try`, and Jest loads sharp anew for each test file.
# The `require` of a `Module` that a test makes is Node's own: sharp is loaded without a search, and once for all test files.
source "$(dirname "$0")/in-temporary-folder.sh"
seen='glob after the package is loaded by the test: loaded, the same decoder in the next file: false
glob after the package is loaded by a Module: not loaded, the same decoder in the next file: true'
try jest@30.5.2 sharp@0.35.5 <<'EOF'
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";

const test = (load) => `
  const { Module } = require("node:module");
  test("loads", () => {
    const decoder = ${load};
    const isLoaded = Object.keys(Module._cache).some((file) => file.includes("/node_modules/glob/"));
    const same = process.stdout.decoder === decoder;
    process.stdout.decoder = decoder;
    process.stdout.write("RESULT " + (isLoaded ? "loaded" : "not loaded") + " " + same + "\\n");
  });`;
const ways = {
  "the test": 'require("sharp")',
  "a Module": 'new Module(__filename).require(require.resolve("sharp"))',
};
for (const [way, load] of Object.entries(ways)) {
  for (const name of ["first", "second"]) writeFileSync(`${name}.test.cjs`, test(load));
  const args = ["node_modules/jest/bin/jest.js", "--runInBand", "--testMatch", "**/*.test.cjs"];
  const printed = execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const results = [...printed.matchAll(/RESULT (loaded|not loaded) (\w+)/g)];
  const [first, second] = results;
  console.log(`glob after the package is loaded by ${way}: ${first?.[1]}, the same decoder in the next file: ${second?.[2]}`);
}
EOF
