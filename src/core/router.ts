import type { Api } from "./api.ts";
import type { WireRequest } from "./message.ts";
import type { ApiOperation } from "./operation.ts";

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

/** Where a request goes. */
export interface Route<Services> {
  readonly api: Api<Services>;
  /** Undefined when no operation has that method and path. */
  readonly operation?: ApiOperation<Services> | undefined;
  readonly params: PathParams;
  /** Whether an operation has that path, with this method or another. */
  readonly pathIsServed: boolean;
}

/** Finds the operation for a request among a host's APIs; the first API answers a path that none of them serves. */
export function findRoute<Services>(
  apis: readonly [Api<Services>, ...Api<Services>[]],
  { method, path }: WireRequest,
): Route<Services> {
  for (const api of apis) {
    for (const operation of api.operations) {
      const params = operation.method === method ? operation.match(path) : undefined;
      if (params !== undefined) return { api, operation, params, pathIsServed: true };
    }
  }
  const serving = apis.findLast(({ operations }) =>
    operations.some((operation) => operation.match(path) !== undefined),
  );
  return { api: serving ?? apis[0], params: {}, pathIsServed: serving !== undefined };
}
