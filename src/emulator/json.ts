import { finish, inTurns, type Steps } from "./scheduling.ts";

export type JsonObject = { readonly [key: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value, or what is wrong with the text. */
export type ParsedJson = { readonly value: unknown; readonly error?: undefined } | { readonly error: string };

/** Deeper values are refused: they could not be stored, because the schemas of records have the same limit. */
const MOST_LEVELS = 100;
/** What a text may have: reading, checking and storing more takes long. */
export interface JsonLimits {
  /** Objects and arrays together, and names of fields together. */
  readonly parts: number;
  /** Of one object. */
  readonly fields: number;
  /** Of one array. */
  readonly elements: number;
}

/** No request needs as many. */
const REQUEST_LIMITS: JsonLimits = { parts: 50_000, fields: 50_000, elements: 10_000 };
/** A snapshot has an object for each target. */
export const SNAPSHOT_LIMITS: JsonLimits = {
  parts: 5_000_000,
  fields: 200_000,
  elements: 200_000,
};
/** No number in use needs more digits, and reading millions takes long. */
const LONGEST_NUMBER = 1000;
const LONGEST_ESCAPE = "\\uffff".length;

/** What is read at a time: about a millisecond. */
const CHARACTERS_PER_STEP = 2 ** 18;
const TOKENS_PER_STEP = 5000;

/**
 * Parses JSON. Errors have a kind and a position but never the text, which may contain secrets.
 *
 * @example parseJson('{"name":}') // { error: "unexpected character at position 8" }
 */
export function parseJson(text: string, limits = REQUEST_LIMITS): ParsedJson {
  const isHarmless =
    text.length <= CHARACTERS_PER_STEP &&
    !hasMore(text, ["[", "{"], MOST_LEVELS) &&
    !hasMore(text, [":", ","], Math.min(limits.parts, limits.elements) - 1);
  if (!isHarmless) return finish(jsonSteps(text, limits));
  try {
    return { value: JSON.parse(text) };
  } catch {
    return finish(jsonSteps(text, limits));
  }
}

/** Like {@link parseJson}, but lets other work run in between: a large text takes a second. */
export const parseLargeJson = (text: string, limits = REQUEST_LIMITS): Promise<ParsedJson> =>
  inTurns(jsonSteps(text, limits));

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

const SPACE = /[ \t\n\r]{0,65536}/y;
const LONG_NUMBER = /-?\d[\d.eE+-]{1000}/y;
const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

const isSpace = (character: string): boolean => character === " " || /^[\t\n\r]$/.test(character);

const matchEnd = (pattern: RegExp, text: string, at: number): number | undefined => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
};

/** An object or an array whose end has not been read. */
class OpenValue {
  size = 0;
  key = "";

  constructor(readonly content: unknown[] | object) {}

  get closer(): "]" | "}" {
    return Array.isArray(this.content) ? "]" : "}";
  }

  add(value: unknown): void {
    this.size += 1;
    if (Array.isArray(this.content)) {
      this.content.push(value);
      return;
    }
    // Assigning would set the prototype.
    if (this.key === "__proto__")
      Object.defineProperty(this.content, this.key, {
        value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    else Reflect.set(this.content, this.key, value);
  }
}

/** A string, and where it ends; or where it is wrong. */
type FoundString = { readonly value: string; readonly at: number } | { readonly fault: number };

const jsonSteps = (text: string, limits: JsonLimits): Steps<ParsedJson> =>
  new JsonReader(text, limits).read();

/** Reads JSON step by step, so that no text blocks the process, and says exactly where it is wrong. */
class JsonReader {
  private at = 0;
  /** What may come next; "more": a comma or a closing bracket. */
  private next: "value" | "key" | "colon" | "more" = "value";
  /** Right after an opening bracket, its closing one is allowed too. */
  private justOpened = false;
  private readonly root = new OpenValue([]);
  private readonly opened: OpenValue[] = [];
  private parts = 0;
  private names = 0;

  constructor(
    private readonly text: string,
    private readonly limits: JsonLimits,
  ) {}

  *read(): Steps<ParsedJson> {
    const { text } = this;
    let [tokens, stepEnd] = [0, CHARACTERS_PER_STEP];
    for (; ; tokens += 1) {
      this.at = matchEnd(SPACE, text, this.at) ?? this.at;
      if (this.at >= stepEnd || tokens % TOKENS_PER_STEP === TOKENS_PER_STEP - 1) {
        stepEnd = this.at + CHARACTERS_PER_STEP;
        yield;
      }
      const character = text[this.at];
      if (character === undefined) break;
      if (isSpace(character)) continue;
      const isText = character === '"' && (this.next === "value" || this.next === "key");
      const error = isText ? yield* this.readString() : this.readToken(character);
      if (error !== undefined) return { error };
    }
    if (this.next !== "more" || this.opened.length > 0) return { error: this.unexpected(this.at) };
    return { value: Array.isArray(this.root.content) ? this.root.content[0] : undefined };
  }

  /** Returns what is wrong, if anything is. */
  private readToken(character: string): string | undefined {
    const { next, justOpened, opened, parent } = this;
    this.justOpened = false;
    if ((next === "more" || justOpened) && opened.length > 0 && character === parent.closer) {
      opened.pop();
      return this.advance("more");
    }
    if (next === "more" && character === "," && opened.length > 0)
      return this.advance(parent.closer === "}" ? "key" : "value");
    if (next === "colon" && character === ":") {
      this.names += 1;
      return this.names > this.limits.parts
        ? this.excess(this.limits.parts, "names of fields")
        : this.advance("value");
    }
    if (next !== "value") return this.unexpected(this.at);
    return character === "{" || character === "[" ? this.open(character) : this.readLiteral();
  }

  private open(character: "{" | "["): string | undefined {
    this.parts += 1;
    if (this.opened.length >= MOST_LEVELS)
      return `nested deeper than ${MOST_LEVELS} levels at position ${this.at}`;
    if (this.parts > this.limits.parts) return this.excess(this.limits.parts, "objects and arrays");
    const value = new OpenValue(character === "{" ? {} : []);
    const error = this.add(value.content, this.at + 1);
    this.opened.push(value);
    this.next = character === "{" ? "key" : "value";
    this.justOpened = true;
    return error;
  }

  private readLiteral(): string | undefined {
    const { text, at } = this;
    if (matchEnd(LONG_NUMBER, text, at) !== undefined)
      return `a number of more than ${LONGEST_NUMBER} characters at position ${at}`;
    const end = matchEnd(LITERAL, text, at);
    return end === undefined ? this.unexpected(at) : this.add(JSON.parse(text.slice(at, end)), end);
  }

  private *readString(): Steps<string | undefined> {
    this.justOpened = false;
    const found: FoundString = yield* stringSteps(this.text, this.at);
    if ("fault" in found) return this.unexpected(found.fault);
    if (this.next === "value") return this.add(found.value, found.at);
    this.parent.key = found.value;
    this.at = found.at;
    this.next = "colon";
    return undefined;
  }

  /** Adds a value that ends there. */
  private add(value: unknown, end: number): string | undefined {
    const { parent, limits } = this;
    parent.add(value);
    const [limit, what] =
      parent.closer === "}"
        ? ([limits.fields, "fields in one object"] as const)
        : ([limits.elements, "elements in one array"] as const);
    if (parent.size > limit) return this.excess(limit, what);
    this.at = end;
    this.next = "more";
    return undefined;
  }

  private advance(next: typeof this.next): undefined {
    this.at += 1;
    this.next = next;
  }

  private get parent(): OpenValue {
    return this.opened.at(-1) ?? this.root;
  }

  private excess(limit: number, what: string): string {
    return `more than ${limit} ${what} at position ${this.at}`;
  }

  private unexpected(at: number): string {
    const { length } = this.text;
    return at >= length ? `unexpected end at position ${length}` : `unexpected character at position ${at}`;
  }
}

/** Reads a string in pieces that end between two characters or escapes. */
function* stringSteps(text: string, start: number): Steps<FoundString> {
  const pieces: string[] = [];
  let quote = text.indexOf('"', start + 1);
  for (let from = start + 1; ; yield) {
    const limit = Math.min(from + CHARACTERS_PER_STEP, text.length);
    while (quote !== -1 && quote < limit && backslashesBefore(text, quote, from) % 2 === 1)
      quote = text.indexOf('"', quote + 1);
    const isClosed = quote !== -1 && quote < limit;
    const to = isClosed ? quote : limit === text.length ? limit : betweenEscapes(text, limit, from);
    try {
      pieces.push(JSON.parse(`"${text.slice(from, to)}"`));
    } catch {
      return { fault: faultIn(text, from) };
    }
    if (isClosed) {
      // Joining megabytes is a step of its own.
      if (pieces.length > 1) yield;
      return { value: pieces.join(""), at: quote + 1 };
    }
    if (to === text.length) return { fault: to };
    from = to;
  }
}

function backslashesBefore(text: string, at: number, from: number): number {
  let first = at;
  while (first > from && text[first - 1] === "\\") first -= 1;
  return at - first;
}

/** The position, or the beginning of an escape that goes beyond it. */
function betweenEscapes(text: string, at: number, from: number): number {
  const tail = at - LONGEST_ESCAPE + 1;
  const found = tail + text.slice(tail, at).lastIndexOf("\\");
  if (found < tail) return at;
  return backslashesBefore(text, found, from) % 2 === 0 ? found : at;
}

/** The position of the first character of a string's content that is wrong. */
function faultIn(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character < " ") return at;
    if (character === "\\") {
      const end = matchEnd(ESCAPE, text, at);
      if (end === undefined) return at;
      at = end - 1;
    }
  }
  return text.length;
}
