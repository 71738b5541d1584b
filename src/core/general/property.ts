/** A property of any value, perhaps of another realm; undefined if missing. */
export const propertyOf = (owner: unknown, name: string | symbol): unknown =>
  Object(owner) === owner ? (owner as Readonly<Record<string | symbol, unknown>>)[name] : undefined;
