const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\r": "&#13;",
};

/** Characters that no XML 1.0 document can hold, even as references: control characters and lone surrogates. */
const IMPOSSIBLE = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

/** Text as the content of an XML element; what XML cannot hold becomes U+FFFD. */
export function xmlText(text: string): string {
  return text.replace(IMPOSSIBLE, "\ufffd").replace(/[&<>"'\r]/g, (found) => ESCAPES[found] ?? found);
}
