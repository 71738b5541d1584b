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
