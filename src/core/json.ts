export type JsonObject = { readonly [key: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Deeper values are refused: they could not be stored, because the schemas of records have the same limit. */
const MOST_LEVELS = 100;
/** No request needs as many, and parsing more could take seconds. */
const MOST_OBJECTS_AND_ARRAYS = 200_000;
/** A million different names take three seconds. Only snapshots have many. */
const MOST_NAMES = 200_000;

/**
 * Parses JSON. Errors have a kind and a position but never the text, which may contain secrets.
 *
 * @param mostNames - how many names of fields it may have.
 * @example parseJson('{"name":}') // { error: "unexpected character at position 8" }
 */
export function parseJson(
  text: string,
  mostNames = MOST_NAMES,
): { readonly value: unknown; readonly error?: undefined } | { readonly error: string } {
  const excess = excessIn(text, mostNames);
  if (excess !== undefined) return { error: excess };
  try {
    return { value: JSON.parse(text) };
  } catch {
    const position = faultPosition(text);
    return {
      error:
        position >= text.length
          ? `unexpected end at position ${text.length}`
          : `unexpected character at position ${position}`,
    };
  }
}

/** Whether these characters together occur more often; a quick test that most texts pass. */
function hasMore(text: string, characters: readonly string[], limit: number): boolean {
  let count = 0;
  for (const character of characters) {
    for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
      count += 1;
      if (count > limit) return true;
    }
  }
  return false;
}

function excessIn(text: string, mostNames: number): string | undefined {
  if (!hasMore(text, ["[", "{"], MOST_LEVELS) && !hasMore(text, [":"], mostNames)) return undefined;
  let depth = 0;
  let count = 0;
  let names = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === "]" || character === "}") depth -= 1;
    else if (character === ":") {
      names += 1;
      if (names > mostNames) return `more than ${mostNames} names of fields at position ${at}`;
    } else if (character === "[" || character === "{") {
      depth += 1;
      count += 1;
      if (depth > MOST_LEVELS) return `nested deeper than ${MOST_LEVELS} levels at position ${at}`;
      if (count > MOST_OBJECTS_AND_ARRAYS)
        return `more than ${MOST_OBJECTS_AND_ARRAYS} objects and arrays at position ${at}`;
    }
  }
  return undefined;
}

/** The position after a string's closing quote. The content is not validated. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

const SPACE = /[ \t\n\r]*/y;
const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

const matchEnd = (pattern: RegExp, text: string, at: number): number | undefined => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
};

/** The position of the first syntax error in a text that is not valid JSON. */
function faultPosition(text: string): number {
  const closers: string[] = [];
  // What may come next; "more": a comma or a closing bracket. Right after an opening bracket, its closing one is allowed too.
  let next: "value" | "key" | "colon" | "more" = "value";
  let justOpened = false;
  for (let at = matchEnd(SPACE, text, 0) ?? 0; at < text.length; at = matchEnd(SPACE, text, at) ?? at) {
    const character = text[at] ?? "";
    const mayClose = next === "more" || justOpened;
    if (mayClose && character === closers.at(-1)) {
      closers.pop();
      next = "more";
      at += 1;
    } else if (next === "more") {
      if (character !== "," || closers.length === 0) return at;
      next = closers.at(-1) === "}" ? "key" : "value";
      at += 1;
    } else if (next === "colon") {
      if (character !== ":") return at;
      next = "value";
      at += 1;
    } else if (character === '"') {
      const end = stringEnd(text, at);
      if (end.fault !== undefined) return end.fault;
      next = next === "key" ? "colon" : "more";
      at = end.at;
    } else if (next === "value" && (character === "{" || character === "[")) {
      closers.push(character === "{" ? "}" : "]");
      next = character === "{" ? "key" : "value";
      justOpened = true;
      at += 1;
      continue;
    } else {
      const end = next === "value" ? matchEnd(LITERAL, text, at) : undefined;
      if (end === undefined) return at;
      next = "more";
      at = end;
    }
    justOpened = false;
  }
  return text.length;
}

function stringEnd(text: string, start: number): { readonly at: number; readonly fault?: number } {
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === '"') return { at: at + 1 };
    if (character < " ") return { at, fault: at };
    if (character === "\\") {
      const end = matchEnd(ESCAPE, text, at);
      if (end === undefined) return { at, fault: at };
      at = end - 1;
    }
  }
  return { at: text.length, fault: text.length };
}
