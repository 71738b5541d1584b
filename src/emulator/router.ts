/** Path parameters by name, percent-decoded once. */
export type PathParams = Readonly<Record<string, string>>;

const NO_PARAMS: PathParams = {};

/** Compiles `/targets/{id}` to a matcher of raw paths. `{id}` matches any path segment, `{file:[^/]+\.csv}` one of that form. */
export function pathMatcher(pattern: string): (path: string) => PathParams | undefined {
  const names: string[] = [];
  const source = pattern.replace(
    /\{(\w+)(?::([^{}]+))?\}|[.*+?^$()|[\]\\]/g,
    (found, name?: string, shape?: string) => {
      if (name === undefined) return `\\${found}`;
      names.push(name);
      return `(${shape ?? "[^/]+"})`;
    },
  );
  const expression = new RegExp(`^${source}$`);
  return (path) => {
    const match = expression.exec(path);
    if (match === null) return undefined;
    if (names.length === 0) return NO_PARAMS;
    return Object.fromEntries(names.map((name, index) => [name, percentDecoded(match[index + 1] ?? "")]));
  };
}

/** Leaves malformed escapes as they are: a name or id with one simply matches nothing. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
