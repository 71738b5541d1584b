const ts = require("typescript");

/** Has Jest read TypeScript as CommonJS. */
module.exports = {
  process(source, file) {
    const compilerOptions = {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      esModuleInterop: true,
      inlineSourceMap: true,
    };
    const { outputText } = ts.transpileModule(source, { fileName: file, compilerOptions });
    return {
      code: outputText.replaceAll("import.meta.url", "require('node:url').pathToFileURL(__filename).href"),
    };
  },
};
