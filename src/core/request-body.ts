import { TextDecoder } from "node:util";
import { isJsonObject, type JsonObject, parseJson } from "./json.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A request's body. JSON is parsed on first access, and only once. */
export class RequestBody {
  private parsed: ReturnType<typeof parseJson> | undefined;

  /** @param mostNames - how many names of fields its JSON may have; as for `parseJson`. */
  constructor(
    readonly bytes: Buffer,
    private readonly mostNames?: number,
  ) {}

  get isEmpty(): boolean {
    return this.bytes.length === 0;
  }

  /** The bytes as UTF-8; undefined when they are not valid. A byte-order mark is kept. */
  get text(): string | undefined {
    try {
      return utf8.decode(this.bytes);
    } catch {
      return undefined;
    }
  }

  /** The JSON value, or what is wrong with it. The last of duplicate keys wins. */
  get json(): ReturnType<typeof parseJson> {
    this.parsed ??= this.parse();
    return this.parsed;
  }

  /** The JSON object; empty when the body is not one, which an earlier check refuses. */
  get fields(): JsonObject {
    const { json } = this;
    return json.error === undefined && isJsonObject(json.value) ? json.value : {};
  }

  private parse(): ReturnType<typeof parseJson> {
    const { text } = this;
    return text === undefined ? { error: "the text is not UTF-8" } : parseJson(text, this.mostNames);
  }
}
