import { types } from "node:util";
import * as z from "zod/mini";
import { visible } from "../../general/visible.ts";
import { optional, record } from "./record.ts";
import { deferred, defOf, furtherIssues, kind, MOST_PROBLEMS, wordsOf } from "./values.ts";

/** An invalid value; `given` is undefined if it is missing. */
export interface Problem {
  readonly path: string;
  readonly given: string | undefined;
  readonly expected: string;
}

export type Reading<T> =
  | { readonly value: T }
  | {
      readonly problems: readonly Problem[];
      /** How many further problems there are. */
      readonly more: number;
    };

export function read<T>(schema: z.ZodMiniType<T>, value: unknown): Reading<T> {
  const { success, data, error } = schema.safeParse(value, { error: expected, reportInput: true });
  if (success) return { value: data };
  const problems: Problem[] = [];
  let more = 0;
  for (const issue of error.issues)
    for (const found of problemsOf(issue, [])) {
      if (typeof found === "number") more += found;
      else if (problems.length < MOST_PROBLEMS) problems.push(found);
      else more += 1;
    }
  return { problems, more };
}

/** An option or field has an invalid value. */
export class InvalidOptionError extends TypeError {
  /** Always `InvalidOptionError`. */
  override readonly name = "InvalidOptionError";

  constructor(
    /** Dotted path of the option or field. */
    readonly option: string,
    value: string,
    /** The accepted values, in words. */
    readonly expected: string,
  ) {
    super(`Invalid ${option}: expected ${expected}; got ${value}.`);
  }
}

/**
 * @param name - of the value, in messages.
 * @throws InvalidOptionError naming the first problem.
 */
export function checked<T>(name: string, schema: z.ZodMiniType<T>, value: unknown): T {
  const reading = read(schema, value);
  if ("value" in reading) return reading.value;
  const [{ path, given = "nothing", expected } = { path: "", expected: "another value" }] = reading.problems;
  throw new InvalidOptionError(nameAt(name, path), given, expected);
}

/** The fields of an interface whose fields may all be absent. */
type OptionalFieldsOf<T> = { readonly [Name in keyof T]-?: z.ZodMiniType<Exclude<T[Name], undefined>> };

/**
 * Makes a check of options, each of which may be absent, by the schemas of those that are given: most tests give few, and making the
 * others' would take longer than all else that a new mock does. The next mock with options of the same names uses the same schema.
 *
 * @returns a function that throws InvalidOptionError naming the first problem.
 */
export function optionsCheck<T>(fields: OptionalFieldsOf<T>): (options: unknown) => T;
export function optionsCheck(fields: z.core.$ZodLooseShape): (options: unknown) => unknown {
  const schemaOf = (names: readonly string[]) =>
    record<object>(optional(Object.fromEntries(names.map((name) => [name, fields[name]]))));
  const names = Object.keys(fields);
  const schemas = new Map<string, z.ZodMiniType<object>>();
  return (options) => {
    const given = names.filter((name) => name in Object(options));
    const schema = schemas.get(given.join()) ?? schemaOf(given);
    schemas.set(given.join(), schema);
    const { success, data } = schema.safeParse(options);
    // All of them are known names.
    return success ? data : checked("options", schemaOf(names), options);
  };
}

export const nameAt = (name: string, path: string): string =>
  path === "" || path.startsWith("[") ? name + path : `${name}.${path}`;

function expected(issue: z.core.$ZodRawIssue): string {
  const { code, inst, schema = inst as z.core.$ZodType } = issue;
  // Larger numbers are not exact.
  if (code === "too_big" && issue.maximum === Number.MAX_SAFE_INTEGER)
    return `${wordsOf(schema)}, and at most ${Number.MAX_SAFE_INTEGER}`;
  const def = defOf(schema);
  if (code !== "unrecognized_keys" || def.type !== "object") return wordsOf(schema);
  const known = Object.keys(def.shape);
  knownNames.set(issue.keys, known);
  return known.join(", ");
}

/** The names that an object has, by the list of its unknown ones: final issues have no schema. */
const knownNames = new WeakMap<readonly string[], readonly string[]>();

/** Comparing a million names with the known ones would take minutes. */
const MOST_UNKNOWN_NAMES = 20;

/** A number counts problems that are not named. */
function* problemsOf(
  issue: z.core.$ZodIssue,
  outside: readonly PropertyKey[],
): Generator<Problem | number, void> {
  const path = [...outside, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    for (const name of issue.keys.slice(0, MOST_UNKNOWN_NAMES))
      yield {
        path: dotted([...path, name]),
        given: "an unknown name",
        expected: expectedName(name, knownNames.get(issue.keys) ?? []),
      };
    yield Math.max(0, issue.keys.length - MOST_UNKNOWN_NAMES);
    return;
  }
  if (issue.code === "invalid_union") {
    const [meant] = issue.errors
      .filter((issues) => issues.some(isInside))
      .sort((a, b) => weight(a) - weight(b));
    if (meant !== undefined) {
      for (const inner of meant) yield* problemsOf(inner, path);
      return;
    }
    const suggestion = issue.errors.flat().find(isSuggestion);
    if (suggestion !== undefined) return yield* problemsOf(suggestion, path);
  }
  const further = furtherIssues(issue);
  if (further !== undefined) return yield further;
  const described: unknown = issue.code === "custom" ? issue.params?.given : undefined;
  const given = typeof described === "string" ? described : shown(path, issue.input);
  yield { path: dotted(path), given, expected: issue.message };
}

/** A similar name is the whole message. */
const isSuggestion = (issue: z.core.$ZodIssue): boolean =>
  issue.code === "custom" && issue.params?.suggests === true && /^\w+$/.test(issue.message);

/** How badly a value fits one of several forms: by its wrong fields. Unknown names count most. */
const weight = (issues: readonly z.core.$ZodIssue[]): number =>
  new Set(issues.map(({ path: [field] }) => field)).size +
  issues.filter(({ code }) => code === "unrecognized_keys").length;
const isInside = ({ path, code }: z.core.$ZodIssue): boolean =>
  path.length > 0 || code === "unrecognized_keys";

/** `outer.inner[0]`. */
const dotted = (path: readonly PropertyKey[]): string =>
  path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${visible(cut(String(key)))}`))
    .join("")
    .replace(/^\./, "");

const SECRET = /secret|password/i;
const LONGEST_SHOWN = 80;

const cut = (given: string): string =>
  given.length > LONGEST_SHOWN ? `${given.slice(0, LONGEST_SHOWN)}…` : given;

function shown(path: readonly PropertyKey[], value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (path.some((key) => SECRET.test(String(key)))) return "a value that is not shown";
  if (typeof value === "string") {
    return visible(JSON.stringify(cut(value)));
  }
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (types.isPromise(value)) return "a Promise: await it";
  if (typeof value === "bigint") return `${value}n`;
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

const LONGEST_COMPARED = 64;

/** Shorter words occur in names by chance. */
const SHORTEST_PART = 5;

/** The most similar name, or one that contains the given name or is part of it. */
export function nearest(given: string, names: readonly string[]): string | undefined {
  const wanted = bare(given.slice(0, LONGEST_COMPARED));
  const isPart = (part: string, whole: string) => part.length >= SHORTEST_PART && whole.includes(part);
  const [best] = names
    .flatMap((name) => {
      const known = bare(name);
      const cost = distance(wanted, known);
      // What is added to a name, or left out, is less of a mistake than what is changed in it.
      if (isPart(wanted, known) || isPart(known, wanted)) return [{ name, cost: cost / 2 }];
      return cost <= known.length / 3 ? [{ name, cost }] : [];
    })
    .sort((a, b) => a.cost - b.cost);
  return best?.name;
}

export const expectedName = (given: string, names: readonly string[]): string =>
  nearest(given, names) ?? `one of ${names.join(", ")}`;

/** Makes `requestQuota`, `request_quota` and `REQUEST_QUOTA` equal. */
const bare = (name: string): string => name.replaceAll("_", "").toLowerCase();

function distance(from: string, to: string): number {
  let row = [...`${to} `].map((_, index) => index);
  for (const letter of from) {
    let last = (row[0] ?? 0) + 1;
    const cost = (wanted: string, index: number) => {
      const changed = (row[index] ?? 0) + (letter === wanted ? 0 : 1);
      last = Math.min(changed, last + 1, (row[index + 1] ?? 0) + 1);
      return last;
    };
    row = [last, ...[...to].map(cost)];
  }
  return row.at(-1) ?? 0;
}

/** Text that a function parses. Text is invalid if the function throws. */
export const textReadBy = <T>(description: string, readText: (given: string) => T) =>
  deferred(description, () =>
    z.pipe(
      kind(description, z.string()),
      z.transform((input: string, { issues }): T => {
        try {
          return readText(input);
        } catch {
          issues.push({ code: "custom", input, message: description });
          return z.NEVER;
        }
      }),
    ),
  );

export const textMatching = (description: string, pattern: RegExp) =>
  deferred(description, () => z.string().check(z.regex(pattern)));

const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  1: true,
  false: false,
  no: false,
  0: false,
};

/** Reads an environment variable with the schema of a value: as a string, number, boolean or list. */
export function readText<T>(schema: z.ZodMiniType<T>, given: string): Reading<T> {
  const forms = [
    given,
    ...(/^(\d+\.?\d*|\.\d+)$/.test(given) ? [Number(given)] : []),
    FLAGS[given.toLowerCase()],
    given.split(",").map((item) => item.trim()),
  ];
  const readings = forms.map((form) => read(schema, form));
  return readings.find((reading) => "value" in reading) ?? { problems: [], more: 0 };
}
