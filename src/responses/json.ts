/**
 * A value as compact JSON in ASCII: every character outside U+0020..U+007E goes out as `\uxxxx` (protocol section 2).
 */
export function asciiJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Most texts have none, and to ask is cheaper than to replace.
  if (!/[\u007f-\uffff]/.test(json)) return json;
  return json.replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
