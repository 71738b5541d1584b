import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { version } from "../../package.json";
import { releaseName } from "../../src/cli/release.ts";

it.each([
  ["2026.1121.0", "2026.11.21"],
  ["2026.1121.2", "2026.11.21.2"],
  ["2027.103.0", "2027.01.03"],
  ["2027.1231.10", "2027.12.31.10"],
])("npm's %s is the release %s", (npmVersion, release) => {
  expect(releaseName(npmVersion)).toBe(release);
});

it("the newest release of the CHANGELOG is the package's", () => {
  const changelog = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
  expect(/^## (\d[\d.]*)$/m.exec(changelog)?.[1]).toBe(releaseName(version));
});
