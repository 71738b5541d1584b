import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
const options = {
  ...ts.convertCompilerOptionsFromJson(config.compilerOptions, root).options,
  noLib: true,
  types: [],
};
const entries = ["src/index.ts", "src/servers/index.ts", "src/openapi/index.ts"].map((file) => root + file);
/** Comments need no types: reading those of Node and of packages takes most of the time. */
const host = ts.createCompilerHost(options);
host.resolveModuleNameLiterals = (names, from) =>
  names.map(({ text }) => ({
    resolvedModule: text.startsWith(".")
      ? { resolvedFileName: resolve(from, "..", text), extension: ts.Extension.Ts }
      : undefined,
  }));
const program = ts.createProgram(entries, options, host);
const checker = program.getTypeChecker();

const original = (symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
const isDocumented = (symbol: ts.Symbol): boolean => symbol.getDocumentationComment(checker).length > 0;

/** Members that users see, without inherited ones. */
function membersOf(symbol: ts.Symbol): ts.Symbol[] {
  if ((symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) === 0) return [];
  return [...(symbol.members?.values() ?? [])].filter((member) =>
    member.declarations?.some(
      (declaration) =>
        !(ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) &&
        !ts.isConstructorDeclaration(declaration) &&
        !ts.isTypeParameterDeclaration(declaration) &&
        !ts.isPrivateIdentifier(ts.getNameOfDeclaration(declaration) ?? declaration),
    ),
  );
}

describe.each(entries)("the exports of %s", (entry) => {
  const source = program.getSourceFile(entry);
  const moduleSymbol = source && checker.getSymbolAtLocation(source);
  const exported = moduleSymbol ? checker.getExportsOfModule(moduleSymbol) : [];

  it("are documented, with their members", () => {
    expect(exported.length).toBeGreaterThan(3);
    const undocumented = exported.flatMap((symbol) => {
      const own = isDocumented(original(symbol)) ? [] : [symbol.name];
      const members = membersOf(original(symbol)).filter((member) => !isDocumented(member));
      return [...own, ...members.map((member) => `${symbol.name}.${member.name}`)];
    });
    expect(undocumented).toEqual([]);
  });
});

it("public classes and functions have an example", () => {
  const source = program.getSourceFile(`${root}src/index.ts`);
  const moduleSymbol = source && checker.getSymbolAtLocation(source);
  const callable = (moduleSymbol ? checker.getExportsOfModule(moduleSymbol) : []).filter(
    (symbol) => original(symbol).flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Class),
  );
  const without = callable.filter(
    (symbol) =>
      !original(symbol)
        .getJsDocTags(checker)
        .some(({ name }) => name === "example") && !symbol.name.endsWith("Error"),
  );
  expect(callable.length).toBeGreaterThan(5);
  expect(without.map(({ name }) => name)).toEqual([]);
});
