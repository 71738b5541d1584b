/** Tells whether a value that came from outside is what it should be. */
export type Guard<T> = (value: unknown) => value is T;

type Guarded<G> = G extends Guard<infer T> ? T : never;
type Fields = Readonly<Record<string, Guard<unknown>>>;
type ObjectOf<F extends Fields> = { readonly [Key in keyof F]: Guarded<F[Key]> };

export const isText = (value: unknown): value is string => typeof value === "string";
export const isNumber = (value: unknown): value is number => typeof value === "number";
export const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

export const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const exactly =
  <const T extends string>(...values: readonly T[]): Guard<T> =>
  (value): value is T =>
    values.some((known) => known === value);

export const nullOr =
  <T>(guard: Guard<T>): Guard<T | null> =>
  (value): value is T | null =>
    value === null || guard(value);

export const isNothing = (value: unknown): value is undefined => value === undefined;

export const optional = <T>(guard: Guard<T>): Guard<T | undefined> => eitherOf(guard, isNothing);

export const listOf =
  <T>(guard: Guard<T>): Guard<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.every(guard);

export const eitherOf =
  <A, B>(first: Guard<A>, second: Guard<B>): Guard<A | B> =>
  (value): value is A | B =>
    first(value) || second(value);

/** An object whose own fields are all as given; further fields are ignored. */
export const objectOf =
  <F extends Fields>(fields: F): Guard<ObjectOf<F>> =>
  (value): value is ObjectOf<F> =>
    isObject(value) &&
    Object.entries(fields).every(([name, guard]) => Object.hasOwn(value, name) && guard(value[name]));

/** An object of which every field may be absent. */
export const partOf =
  <F extends Fields>(fields: F): Guard<Partial<ObjectOf<F>>> =>
  (value): value is Partial<ObjectOf<F>> =>
    isObject(value) &&
    Object.entries(fields).every(([name, guard]) => !Object.hasOwn(value, name) || guard(value[name]));
