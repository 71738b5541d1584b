import { show } from "../../core/text.ts";

/** What in a text keeps it from being base64, where, and what it likely is. */
export function explainBase64(text: string): string {
  const rule = "is not base64 (A-Z, a-z, 0-9, +, / and padding at the end)";
  const dataUri = /^data:[^,]{0,200},/i.exec(text);
  if (dataUri !== null) {
    return `${rule}: it is a data URI; send what stands behind ${show(dataUri[0])} only`;
  }
  const at = text.search(/[^A-Za-z0-9+/=]/);
  if (at < 0)
    return `${rule}: it has padding (=) before its end, or ends within a byte; was it cut, or joined of two?`;
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return `${rule}: the character ${JSON.stringify(character)} at position ${at + 1} of ${text.length} ${likely(text, character)}`;
}

function likely(text: string, character: string): string {
  if (/[\r\n]/.test(character)) return "is a line break; encode without lines (MIME base64 has them)";
  if (/[-_]/.test(character)) return 'is base64url\'s; encode with + and / ("base64", not "base64url")';
  if (character === "%") return "comes of percent-encoding; send the base64 as it is";
  if (character === " ") {
    return / /.test(text.trim())
      ? "is a space, likely a + that a form turned into one"
      : "is white space around it; trim it";
  }
  if (character === "\ufffd") return "comes of bytes that were read as text; encode the file's bytes";
  return "does not belong there; encode the file's bytes as base64";
}
