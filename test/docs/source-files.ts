import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const source = fileURLToPath(new URL("../../src", import.meta.url));
/** The files of src, by their paths in it. */
export const files = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => relative(source, join(entry.parentPath, entry.name)))
  .sort();
/** Their contents. */
export const text = new Map(files.map((file) => [file, readFileSync(join(source, file), "utf8")]));
/** What they import, as they say it. */
export const imports = new Map(
  [...text].map(([file, content]) => [
    file,
    ts.preProcessFile(content, true, true).importedFiles.map(({ fileName }) => fileName),
  ]),
);

/** The path in src of what a file names relatively. */
export const target = (file: string, specifier: string): string =>
  relative(source, resolve(source, dirname(file), specifier));
/** Imports within src. */
export const internal = [...imports].flatMap(([file, specifiers]) =>
  specifiers
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => ({ file, to: target(file, specifier) }))
    .filter(({ to }) => !to.startsWith("..")),
);
