/** A `Content-Type` header, taken apart. */
export interface MediaType {
  /** The part before the first `;`, lower case. */
  readonly main: string;
  /** Parameters by lower-case name, unquoted; the first of repeated ones. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** One parameter: its name, and its value in quotes or bare. What is none is skipped up to the next semicolon. */
const PARAMETER = /;\s*([^\s;="]*)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*)))?[^;]*/gs;

/** Reads a `Content-Type` header with tolerance; type and parameter names are case-insensitive. */
export function parseMediaType(value: string): MediaType {
  const [main = ""] = value.split(";", 1);
  const parameters = new Map<string, string>();
  for (const [, name = "", quoted, bare = ""] of value.slice(main.length).matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/gs, "$1") ?? bare.trim());
  }
  return { main: main.trim().toLowerCase(), parameters };
}
