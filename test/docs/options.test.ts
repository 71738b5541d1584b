import { readFileSync } from "node:fs";
import * as api from "mock-cloud-reco";
import { expect, it } from "vitest";
import type { Option } from "../../src/options/option.ts";
import { OPTIONS } from "../../src/options/option-table.ts";
import { REALISM_PRESET } from "../../src/realism/options.ts";

const { common, mock, servers, startServers, fixture } = OPTIONS;

/** Where options can be given, in the order of the table. */
const PLACES: readonly [string, Readonly<Record<string, Option>>][] = [
  ["mocks, servers", common],
  ["mocks", mock],
  ["servers", servers],
  ["`startServers`", startServers],
  ["fixtures", fixture],
];

/** The name under which the package exports a value. */
const exportedName = (value: unknown): string | undefined =>
  Object.entries(api).find(([, one]) => one === value)?.[0];

/** A default in words. */
function defaultOf({ default: value, defaultWords }: Option): string {
  if (defaultWords !== undefined) return defaultWords;
  if (value === undefined || value === null) return "none";
  return `\`${exportedName(value) ?? JSON.stringify(value)}\``;
}

const rows = PLACES.flatMap(([place, options]) =>
  Object.entries(options).map(([name, option]) => {
    const setting = option.setting === undefined ? "" : `\`${option.setting}\``;
    return `| \`${name}\` | ${place} | ${defaultOf(option)} | ${setting} | ${option.purpose} |\n`;
  }),
);

it("the guide's table has every option as it is", () => {
  const guide = readFileSync(new URL("../../examples/reference/README.md", import.meta.url), "utf8");
  const [, table] = /<!-- options -->\n([\s\S]*?)<!-- \/options -->/.exec(guide) ?? [];
  const head = "| option | of | default | setting | meaning |\n| --- | --- | --- | --- | --- |\n";
  expect(table).toBe(head + rows.join(""));
});

/** The interfaces that document the options of a place. */
const ANSWERS = ["src/core/apis/services.ts AnswerOptions", "src/options/options.ts CommonOptions"];
const DOCUMENTED: readonly [string, Readonly<Record<string, Option>>, readonly string[]][] = [
  ["mocks", { ...common, ...mock }, [...ANSWERS, "src/options/options.ts MockCloudRecoOptions"]],
  [
    "servers",
    { ...common, ...servers, ...startServers },
    [
      ...ANSWERS,
      "src/servers/server-options.ts ServerOptions",
      "src/servers/server-options.ts StartServersOptions",
    ],
  ],
  ["fixtures", fixture, ["src/testing/fixture.ts MockFixtureOptions"]],
];

function docstringsOf(place: string): readonly [string, string][] {
  const [file = "", name = ""] = place.split(" ");
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
  const [, fields = ""] =
    new RegExp(`^export interface ${name}\\b.*?\\{\n(.*?)^\\}`, "ms").exec(source) ?? [];
  const documented = fields.matchAll(/^ {2}\/\*\*((?:(?!\*\/).)*)\*\/\n {2}readonly (\w+)/gms);
  return Array.from(documented, ([, text = "", field = ""]) => [field, text]);
}

/** A default as docstrings write it; undefined where they use other words. */
function written({ default: value, defaultWords = "" }: Option): string | undefined {
  if (/^`.*`$/.test(defaultWords)) return defaultWords;
  const bytes = /^\d+$/.test(defaultWords) ? Number(defaultWords) : 0;
  if (bytes > 0) return `${bytes / 2 ** 20} MiB`;
  if (typeof value === "number") return value < 2 ** 20 ? `${value}` : `${value / 2 ** 20} MiB`;
  if (typeof value === "boolean") return `${value}`;
  if (typeof value === "string") return `\`${value}\``;
  const name = exportedName(value);
  return name && `\`${name}\``;
}

/** The default that a docstring says. */
function said(docstring: string, place: string): string | undefined {
  const value = "(`[^`]+`|[\\d.]*\\d(?: MiB)?|true|false)";
  const forms = [
    ...(place === "servers" ? [`on servers ${value}`] : []),
    `Default:? ${value}`,
    `${value} \\(default\\)`,
  ];
  return forms.map((form) => new RegExp(form).exec(docstring)?.[1]).find((found) => found !== undefined);
}

it.each(DOCUMENTED)("docstrings of options of %s say their defaults", (place, options, interfaces) => {
  const docstrings = new Map(interfaces.flatMap(docstringsOf));
  const withValue = Object.entries(options).flatMap(([name, option]) => {
    const value = written(option);
    return value === undefined ? [] : [[name, value]];
  });
  expect(withValue.map(([name = ""]) => [name, said(docstrings.get(name) ?? "", place)])).toEqual(withValue);
});

it("the guide's table of realism has every field with what `true` means", () => {
  const guide = readFileSync(new URL("../../examples/realism/README.md", import.meta.url), "utf8");
  const [, table = ""] = /<!-- realism -->\n([\s\S]*?)<!-- \/realism -->/.exec(guide) ?? [];
  const rows = [...table.matchAll(/^\| `(\w+)` \| ([\d.]+) \|/gm)];
  expect(rows.map(([, name, value]) => [name, Number(value)])).toEqual(Object.entries(REALISM_PRESET));
});
