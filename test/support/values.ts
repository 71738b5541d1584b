/* What tests do with values of any kind, without the package that they test. */

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Compact JSON in which other characters than ASCII are escaped. */
export const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The value of a header, whatever the case of its name; undefined: there is none. */
export function header(
  { headers }: { readonly headers: readonly (readonly [name: string, value: string])[] },
  name: string,
): string | undefined {
  const values = headers.filter(([given]) => given.toLowerCase() === name.toLowerCase());
  return values.length === 0 ? undefined : values.map(([, value]) => value).join(", ");
}
