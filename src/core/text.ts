/** What went wrong, in words. Anything can be thrown, also by users' own functions. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A value as compact JSON in ASCII: every character outside U+0020..U+007E goes out as `\uxxxx`. */
export function asciiJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Most texts have none, and to ask is cheaper than to replace.
  if (!/[\u007f-\uffff]/.test(json)) return json;
  return json.replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const LONGEST_SHOWN = 80;

/** A value as a reason shows it: JSON, cut where it gets long. */
export function show(value: unknown): string {
  if (typeof value === "string") return shorten(JSON.stringify(value));
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

/** A key that belongs to nothing: only how it begins, because it may be a secret that was put in the wrong place. */
export function showUnknownKey(key: string | undefined): string {
  if (key === undefined) return "none";
  return `"${key.slice(0, Math.min(4, key.length / 4))}…" (${key.length} characters)`;
}

function shorten(text: string): string {
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}… (${text.length} characters)`;
}
