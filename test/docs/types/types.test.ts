import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { CACHE } from "../../support/bundle.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Code that a user could write, and what the compiler says about it. */
const refused: readonly (readonly [code: string, error: RegExp])[] = [
  ['new MockCloudReco({ profile: "real" });', /"real".* not assignable to type '"neutral" \| "vuforia"/],
  ["new MockCloudReco({ processingTime: 1 });", /'processingTime' does not exist in type/],
  ['new MockCloudReco({ processingTimeSeconds: "1" });', /'string' is not assignable to type 'number'/],
  ["new MockCloudReco({ queryMatcher: () => true });", /'boolean' is not assignable to type/],
  ["new MockCloudReco({ cloudQueryFailure: { body: 'x' } });", /'status' is missing/],
  ["new MockCloudReco().addCloudDatabase({ name: 'x' });", /'name' does not exist in type/],
  ["new MockCloudReco().addCloudDatabase({ stateName: 'SUSPENDED' });", /"SUSPENDED".* not assignable/],
  [
    "new MockCloudReco().addTarget({}, {});",
    /is missing the following properties from type 'MockCloudDatabase'/,
  ],
  ["new MockCloudReco().requestsOf({ operation: 'addTargets' });", /"addTargets".* not assignable/],
  ["new MockCloudReco().requestsOf({ cause: 'date.skew' });", /"date\.skew".* not assignable/],
  ["new MockCloudReco().on('answer', () => {});", /'"answer"' is not assignable/],
  ["new MockCloudReco().requests.push(null);", /'push' does not exist on type 'readonly/],
  ["new MockCloudReco().addCloudDatabase().serverAccessKey = '';", /it is a read-only property/],
];

const EXPECTATIONS = fileURLToPath(new URL("public-types.ts", import.meta.url));
const ASSERTED = "readonly JournalEntry[]>";
const WRONG = "wrong.ts";
const fileOf = (index: number): string => `refused-${index}.ts`;

/** What the compiler says, with the path of the file. */
let said = "";
beforeAll(async () => {
  const folder = `${CACHE}/types-${process.pid}`;
  await mkdir(folder, { recursive: true });
  const write = (name: string, text: string) => writeFile(`${folder}/${name}`, text);
  for (const [index, [code]] of refused.entries())
    await write(fileOf(index), `import { MockCloudReco } from "mock-cloud-reco";\n${code}\n`);
  await write(WRONG, (await readFile(EXPECTATIONS, "utf8")).replace(ASSERTED, "JournalEntry[]>"));
  const files = [EXPECTATIONS, WRONG, ...refused.map((_, index) => fileOf(index))];
  await write("tsconfig.json", JSON.stringify({ extends: `${root}tsconfig.json`, include: [], files }));
  const compiler = [`${root}node_modules/typescript-7/bin/tsc`, "--pretty", "false", "--project", folder];
  said = await new Promise((resolve) => {
    execFile(process.execPath, compiler, { cwd: folder }, (_error, printed) => resolve(printed));
  });
  return () => rm(folder, { recursive: true });
}, 120_000);

/** The errors in a file, which the compiler prints after its path, the place and a number. */
function errorsIn(file: string): readonly string[] {
  const errors = said
    .split(/^(?=\S)/m)
    .map((text) => /^(.+)\(\d+,\d+\): error TS\d+: (.+)$/s.exec(text) ?? []);
  return errors.flatMap(([, path = "", text = ""]) => (path.endsWith(file) ? text : []));
}

it("the public types are what users may rely on", () => {
  expect(errorsIn("public-types.ts")).toEqual([]);
  // Nor would it say so of anything.
  expect(errorsIn(WRONG)).toHaveLength(1);
});

it.each(refused.map(([code, error], index) => ({ code, error, file: fileOf(index) })))(
  "the compiler refuses $code",
  ({ file, error }) => {
    const errors = errorsIn(file);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(error);
  },
);
