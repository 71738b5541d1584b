import { readFileSync } from "node:fs";
import * as api from "mock-cloud-reco";
import { expect, it } from "vitest";
import type { Option } from "../../src/mock/option.ts";
import { OPTIONS } from "../../src/mock/option-table.ts";
import { REALISM_PRESET } from "../../src/schema/realism.ts";

const { common, mock, servers, startServers, fixture } = OPTIONS;

/** Where options can be given, in the order of the table. */
const PLACES: readonly [string, Readonly<Record<string, Option>>][] = [
  ["mocks, servers", common],
  ["mocks", mock],
  ["servers", servers],
  ["`startServers`", startServers],
  ["fixtures", fixture],
];

/** A default in words: a value that the package exports by its name there. */
function defaultOf({ default: value, defaultWords }: Option): string {
  if (defaultWords !== undefined) return defaultWords;
  if (value === undefined || value === null) return "none";
  const exported = Object.entries(api).find(([, one]) => one === value);
  return `\`${exported?.[0] ?? JSON.stringify(value)}\``;
}

const rows = PLACES.flatMap(([place, options]) =>
  Object.entries(options).map(([name, option]) => {
    const setting = option.setting === undefined ? "" : `\`${option.setting}\``;
    return `| \`${name}\` | ${place} | ${defaultOf(option)} | ${setting} | ${option.says} |\n`;
  }),
);

it("the guide's table has every option as it is", () => {
  const guide = readFileSync(new URL("../../examples/reference/README.md", import.meta.url), "utf8");
  const [, table] = /<!-- options -->\n([\s\S]*?)<!-- \/options -->/.exec(guide) ?? [];
  const head = "| option | of | default | setting | meaning |\n| --- | --- | --- | --- | --- |\n";
  expect(table).toBe(head + rows.join(""));
});

it("the guide's table of realism has every field with what `true` means", () => {
  const guide = readFileSync(new URL("../../examples/realism/README.md", import.meta.url), "utf8");
  const [, table = ""] = /<!-- realism -->\n([\s\S]*?)<!-- \/realism -->/.exec(guide) ?? [];
  const rows = [...table.matchAll(/^\| `(\w+)` \| ([\d.]+) \|/gm)];
  expect(rows.map(([, name, value]) => [name, Number(value)])).toEqual(Object.entries(REALISM_PRESET));
});
