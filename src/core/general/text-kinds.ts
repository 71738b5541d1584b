import { show } from "./text.ts";

/** Bytes that a program wrote as text: JSON of a Buffer or Uint8Array, a list of numbers, or what Python or Node prints. */
export const BYTES_AS_TEXT =
  /^\s*(?:\{"type":\s*"Buffer"|\{"0":\s*\d|\[?\s*-?\d{1,3}\s*,\s*-?\d{1,3}\s*,\s*-?\d{1,3}\b|<Buffer |<(?:89504e47|ffd8ff)|b['"]\\x|\\x(?:89|ff))/i;

/** What stands for a value in examples and templates, such as `<image>`, `{{image}}`, `${image}`, `%IMAGE%` or `$(base64 FILE)`. */
export const PLACEHOLDER =
  /^\s*(?:<(?!(?:html|head|body|svg|xml|error)>)[a-z][\w ./:-]{0,60}>|\[(?!object )[a-z][\w ./:-]{0,60}\]|\{\{[^{}]{0,60}\}\}|[$#]\{[^{}]{0,60}\}|\$\w{1,60}|\$\([^()]{1,200}\)|`[^`]{1,200}`|%\w{1,60}%)\s*$/i;

/** Whether a text is what a template or a path has in place of a value: also `{id}` and `:id`. */
export const isPlaceholder = (text: string): boolean =>
  PLACEHOLDER.test(text) || /^(?:\{\w{1,60}\}|:[a-z_]\w{0,60})$/i.test(text);

const LONGEST_QUOTED = 20;

/** The beginning of a text that stands where a picture is expected. */
export const beginningOf = (text: string): string =>
  show(text.length > LONGEST_QUOTED ? `${text.slice(0, LONGEST_QUOTED)}…` : text);

/** An address of a file, as browsers, phones and clouds write it too. */
export const URL_OF_FILE = /^(?:https?|s3|gs|ftp|blob|content|ph|asset|assets-library):\S+$/i;

/** The path of a file, or the name of a picture's file. */
export const NAME_OF_FILE =
  /^(?:file:\S+|(?:\.{0,2}\/|~\/|[a-z]:[\\/]|\\\\).{0,250}\.\w{2,5}|[^\r\n{}<>"]{1,250}\.(?:png|jpe?g|gif|webp|heic|bmp|tiff?))$/i;
