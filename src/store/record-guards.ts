/** Tells whether a value that came from outside is what it should be, and what that is. */
export interface Guard<T> {
  (value: unknown): value is T;
  /** Completes "accepted is …". */
  readonly accepted?: string;
  /** For values with parts: the guards of these. */
  readonly fields?: Fields;
  readonly element?: Guard<unknown>;
  /** Of which one is enough. */
  readonly alternatives?: readonly Guard<unknown>[];
}

type Parts = Pick<Guard<unknown>, "fields" | "element" | "alternatives">;

type Guarded<G> = G extends Guard<infer T> ? T : never;
type Fields = Readonly<Record<string, Guard<unknown>>>;
type ObjectOf<F extends Fields> = { readonly [Key in keyof F]: Guarded<F[Key]> };

const guard = <T>(accepted: string, test: (value: unknown) => value is T, parts: Parts = {}): Guard<T> =>
  Object.assign((value: unknown): value is T => test(value), { accepted, ...parts });

export const isAnything = guard("anything", (_value): _value is unknown => true);
export const isText = guard("text", (value): value is string => typeof value === "string");
export const isNumber = guard("a number", (value): value is number => typeof value === "number");
export const isBoolean = guard("true or false", (value): value is boolean => typeof value === "boolean");

export const isObject = guard(
  "an object",
  (value): value is { readonly [key: string]: unknown } =>
    typeof value === "object" && value !== null && !Array.isArray(value),
);

export const exactly = <const T extends string | number>(...values: readonly T[]): Guard<T> =>
  guard(values.map((value) => JSON.stringify(value)).join(" or "), (value): value is T =>
    values.some((known) => known === value),
  );

export const eitherOf = <A, B>(first: Guard<A>, second: Guard<B>): Guard<A | B> =>
  guard(
    `${first.accepted}, or ${second.accepted}`,
    (value): value is A | B => first(value) || second(value),
    { alternatives: [first, second] },
  );

const isNull = guard("null", (value): value is null => value === null);
export const nullOr = <T>(inner: Guard<T>): Guard<T | null> => eitherOf(inner, isNull);

export const isNothing = guard("nothing", (value): value is undefined => value === undefined);
export const optional = <T>(inner: Guard<T>): Guard<T | undefined> => eitherOf(inner, isNothing);

export const listOf = <T>(element: Guard<T>): Guard<readonly T[]> =>
  guard("an array", (value): value is readonly T[] => Array.isArray(value) && value.every(element), {
    element,
  });

/** An object whose own fields are all as given; further fields are ignored. */
export const objectOf = <F extends Fields>(fields: F): Guard<ObjectOf<F>> =>
  guard(
    `an object with ${Object.keys(fields).join(", ")}`,
    (value): value is ObjectOf<F> =>
      isObject(value) &&
      Object.entries(fields).every(([name, field]) => Object.hasOwn(value, name) && field(value[name])),
    { fields },
  );

/** An object of which every field may be absent. */
export const partOf = <F extends Fields>(fields: F): Guard<Partial<ObjectOf<F>>> =>
  guard(
    `an object with any of ${Object.keys(fields).join(", ")}`,
    (value): value is Partial<ObjectOf<F>> =>
      isObject(value) &&
      Object.entries(fields).every(([name, field]) => !Object.hasOwn(value, name) || field(value[name])),
  );

/** An object of which every field holds the same kind of value, whatever its name. */
export const tableOf = <T>(element: Guard<T>): Guard<Readonly<Record<string, T>>> =>
  guard(
    `an object, each field ${element.accepted}`,
    (value): value is Readonly<Record<string, T>> => isObject(value) && Object.values(value).every(element),
  );

/**
 * The first part of a value that is not accepted, by its path, and what is. Shows kinds of values only, for they may be
 * secrets.
 */
export function problemIn(whole: Guard<unknown>, value: unknown, path: string): string | undefined {
  const { fields, element, alternatives, accepted } = whole;
  const isAccepted: boolean = whole(value);
  if (isAccepted) return undefined;
  const meant = alternatives?.find((alternative) => isOfKind(alternative, value));
  if (meant !== undefined) return problemIn(meant, value, path);
  if (fields !== undefined && isObject(value)) {
    for (const [name, field] of Object.entries(fields)) {
      if (!Object.hasOwn(value, name)) return `${path}.${name} is missing; accepted is ${field.accepted}`;
      const problem = problemIn(field, value[name], `${path}.${name}`);
      if (problem !== undefined) return problem;
    }
  }
  if (element !== undefined && isList(value)) {
    for (const [index, each] of value.entries()) {
      const problem = problemIn(element, each, `${path}[${index}]`);
      if (problem !== undefined) return problem;
    }
  }
  return `${path} is ${kindOf(value)}; accepted is ${accepted}`;
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Whether a value that an alternative does not accept was still meant to be this one. */
function isOfKind({ fields }: Guard<unknown>, value: unknown): boolean {
  if (fields === undefined || !isObject(value)) return false;
  return fields.kind === undefined || fields.kind(value.kind);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (isList(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
