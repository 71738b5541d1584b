import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);

/** Code that a user could write, and what the compiler says about it. */
const refused: readonly (readonly [code: string, error: RegExp])[] = [
  ['new MockCloudReco({ profile: "real" });', /"real".* not assignable to type '"neutral" \| "vuforia"/],
  ["new MockCloudReco({ processingTime: 1 });", /'processingTime' does not exist in type/],
  ['new MockCloudReco({ processingTimeSeconds: "1" });', /'string' is not assignable to type 'number'/],
  ["new MockCloudReco({ queryMatcher: () => true });", /'boolean' is not assignable to type/],
  ["new MockCloudReco({ cloudQueryFailure: { body: 'x' } });", /'status' is missing/],
  ["new MockCloudReco().addCloudDatabase({ name: 'x' });", /'name' does not exist in type/],
  ["new MockCloudReco().addCloudDatabase({ stateName: 'SUSPENDED' });", /"SUSPENDED".* not assignable/],
  ["new MockCloudReco().addTarget({}, {});", /not assignable to parameter of type 'MockCloudDatabase'/],
  ["new MockCloudReco().requestsOf({ operation: 'addTargets' });", /"addTargets".* not assignable/],
  ["new MockCloudReco().requestsOf({ cause: 'date.skew' });", /"date\.skew".* not assignable/],
  ["new MockCloudReco().on('answer', () => {});", /'"answer"' is not assignable/],
  ["new MockCloudReco().requests.push(null);", /'push' does not exist on type 'readonly/],
  ["new MockCloudReco().addCloudDatabase().serverAccessKey = '';", /it is a read-only property/],
];

const fileOf = (index: number): string => `${root}test/types/refused-${index}.ts`;
const written = new Map(
  refused.map(([code], index) => [
    fileOf(index),
    `import { MockCloudReco } from "mock-cloud-reco";\n${code}\n`,
  ]),
);
const expectations = `${root}test/docs/types/public-types.ts`;
const wrong = `${root}test/types/wrong.ts`;
const asserted = "readonly JournalEntry[]>";
written.set(wrong, readFileSync(expectations, "utf8").replace(asserted, "JournalEntry[]>"));

const host = ts.createCompilerHost(options);
const { getSourceFile, fileExists } = host;
host.fileExists = (name) => written.has(name) || fileExists(name);
host.getSourceFile = (name, language, ...rest) => {
  const text = written.get(name);
  return text === undefined
    ? getSourceFile(name, language, ...rest)
    : ts.createSourceFile(name, text, language, true);
};
const program = ts.createProgram([expectations, ...written.keys()], options, host);

function errorsIn(file: string): readonly string[] {
  const source = program.getSourceFile(file);
  if (source === undefined) throw new Error(`${file} was not compiled`);
  const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

it("the public types are what users may rely on", () => {
  expect(errorsIn(expectations)).toEqual([]);
  // Nor would it say so of anything.
  expect(errorsIn(wrong)).toHaveLength(1);
});

it.each(refused.map(([code, error], index) => ({ code, error, file: fileOf(index) })))(
  "the compiler refuses $code",
  ({ file, error }) => {
    const errors = errorsIn(file);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(error);
  },
);
