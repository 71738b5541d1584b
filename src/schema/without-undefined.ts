/** A record whose fields may be absent, but are never undefined. */
export type WithoutUndefined<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

/** The fields without undefined ones, which would overwrite values when they are spread over a record. */
export function withoutUndefined<Fields extends object>(fields: Fields): WithoutUndefined<Fields>;
export function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
