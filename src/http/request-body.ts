import { messageOf } from "../runtime/message-of.ts";

export type JsonObject = { readonly [key: string]: unknown };

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The bytes of a request's body, read as text and as JSON at most once, and only when asked. */
export class RequestBody {
  private parsed: { readonly value: unknown } | { readonly error: string } | undefined;

  constructor(readonly bytes: Buffer) {}

  get isEmpty(): boolean {
    return this.bytes.length === 0;
  }

  /** The bytes as UTF-8; undefined when they are not. A byte-order mark is kept. */
  get text(): string | undefined {
    try {
      return utf8.decode(this.bytes);
    } catch {
      return undefined;
    }
  }

  /** The JSON value, or what is wrong with it. The last of duplicate keys wins. */
  get json(): { readonly value: unknown; readonly error?: undefined } | { readonly error: string } {
    this.parsed ??= this.parse();
    return this.parsed;
  }

  /** The JSON object; empty when the body is none, which an earlier check refuses. */
  get fields(): JsonObject {
    const { json } = this;
    return json.error === undefined && isJsonObject(json.value) ? json.value : {};
  }

  private parse(): { readonly value: unknown } | { readonly error: string } {
    const { text } = this;
    if (text === undefined) return { error: "the body is not UTF-8" };
    try {
      return { value: JSON.parse(text) };
    } catch (error) {
      return { error: messageOf(error) };
    }
  }
}
