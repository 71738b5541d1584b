import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PROFILE_NAMES, profiles } from "../../src/emulator/profiles.ts";

const guide = readFileSync(new URL("../../examples/behaviour/README.md", import.meta.url), "utf8");
const [, table = ""] = guide.split("<!-- profiles -->\n");
const rows = table
  .trim()
  .split("\n")
  .slice(2)
  .map((row) => row.split("|").map((cell) => cell.trim()));

test("the table of profiles has a line for each difference", () => {
  const { name: _, ...differences } = profiles.neutral;
  expect(rows).toHaveLength(Object.keys(differences).length);
  for (const [, , neutral, vuforia] of rows) expect(neutral).not.toBe(vuforia);
});

test.each(PROFILE_NAMES.map((name, index) => [name, index] as const))(
  "the table of profiles has every name and list of %s",
  (name, index) => {
    const column = rows.map((cells) => cells[2 + index] ?? "");
    const { cadDataFormats, notFoundPagePrefixes, ...others } = profiles[name];
    const quoted = (names: readonly string[]) => names.map((one) => `\`${one}\``).join(", ");
    for (const header of [others.regionHeader, others.upstreamTimeHeader, others.rateLimitedHeader])
      expect(column).toContain(`\`${header}\``);
    expect(column).toContain(`\`${others.reportParameterPrefix}…\``);
    expect(column).toContain(`\`${others.reportAlgorithm}\``);
    expect(column).toContain(`\`${others.reportCredentialScope}\``);
    expect(column).toContain(quoted(notFoundPagePrefixes));
    if (cadDataFormats !== null) expect(column).toContain(quoted(cadDataFormats));
  },
);
