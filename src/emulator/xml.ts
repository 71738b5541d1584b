const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\r": "&#13;",
};

/** Characters that XML 1.0 does not allow, even as references: control characters and lone surrogates. */
const IMPOSSIBLE = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

/** Text as the content of an XML element; characters that XML does not allow become U+FFFD. */
export function xmlText(text: string): string {
  return text.replace(IMPOSSIBLE, "\ufffd").replace(/[&<>"'\r]/g, (found) => ESCAPES[found] ?? found);
}
