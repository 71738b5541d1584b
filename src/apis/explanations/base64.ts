import { show } from "../../emulator/text.ts";

/** What makes a text invalid base64, where, and the likely cause. */
export function explainBase64(text: string): string {
  const rule = "is not base64 (A-Z, a-z, 0-9, +, / and padding at the end)";
  const dataUri = /^data:[^,]{0,200},/i.exec(text);
  if (dataUri !== null) {
    return `${rule}: it is a data URI; send only what follows ${show(dataUri[0])}`;
  }
  const at = text.search(/[^A-Za-z0-9+/=]/);
  if (at < 0)
    return `${rule}: it has padding (=) before its end, or ends within a byte; was it cut off, or joined from two texts?`;
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return `${rule}: the character ${JSON.stringify(character)} at position ${at + 1} of ${text.length} ${likely(text, character)}`;
}

function likely(text: string, character: string): string {
  if (/[\r\n]/.test(character)) return "is a line break; encode without line breaks (MIME base64 has them)";
  if (/[-_]/.test(character)) return 'belongs to base64url; encode with + and / ("base64", not "base64url")';
  if (character === "%") return "comes from percent-encoding; send the base64 as it is";
  if (character === " ") {
    return / /.test(text.trim())
      ? "is a space, probably a + that form encoding replaced"
      : "is surrounding white space; trim it";
  }
  if (character === "\ufffd") return "comes from bytes that were read as text; encode the file's bytes";
  return "is not a base64 character; encode the file's bytes as base64";
}
