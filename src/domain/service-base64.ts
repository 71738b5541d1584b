/**
 * Base64 as the service reads it (protocol section 4): what is left over of the last group of four is dropped or
 * padded, padding inside data is an error, and decoding stops after complete padding.
 *
 * @returns undefined when the text is not acceptable.
 */
export function decodeServiceBase64(text: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/=]*$/.test(text)) return undefined;
  const groups = text.length % 4 === 1 ? text.slice(0, -1) : text.padEnd(4 * Math.ceil(text.length / 4), "=");
  const data = groups.replace(/=.*$/, "");
  const padding = groups.slice(data.length).replace(/[^=].*$/, "").length;
  const needed = (4 - (data.length % 4)) % 4;
  if (needed === 3 || padding < needed) return undefined;
  const ended = groups.length === data.length + padding;
  // Behind data that needs no padding, padding must end the text; behind complete padding anything may follow.
  if (needed === 0 && !ended) return undefined;
  return Buffer.from(data, "base64");
}
