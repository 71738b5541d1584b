/**
 * A value as compact JSON in ASCII: every character outside U+0020..U+007E goes out as `\uxxxx` (protocol section 2).
 */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
