/** A record whose fields may be absent, but are never undefined. */
export type WithoutUndefined<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

/** The fields that are given, so that spreading them over a record changes nothing else. */
export function withoutUndefined<Fields extends object>(fields: Fields): WithoutUndefined<Fields>;
export function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
