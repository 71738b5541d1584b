const LONGEST_SHOWN = 80;

/** A value as a reason shows it: JSON, cut where it gets long. */
export function show(value: unknown): string {
  if (typeof value === "string") return shorten(JSON.stringify(value));
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

function shorten(text: string): string {
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}… (${text.length} characters)`;
}
