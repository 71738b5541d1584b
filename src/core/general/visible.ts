/** Escapes control characters as JSON does: written to a terminal or a log, they could fake lines or hide text. */
export const visible = (text: string): string => text.replace(/\p{Cc}/gu, escaped);

/** As {@link visible}, but keeps the ends of lines. */
export const visibleLines = (text: string): string => text.replace(/(?!\n)\p{Cc}/gu, escaped);

/** JSON itself leaves U+007F to U+009F as they are. */
const escaped = (control: string): string =>
  control < "\u007f"
    ? JSON.stringify(control).slice(1, -1)
    : `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;
