import { createHash } from "node:crypto";
import {
  isJsonObject,
  type JsonLimits,
  type JsonObject,
  type ParsedJson,
  parseJson,
  parseLargeJson,
} from "./json.ts";
import { yieldToEventLoop } from "./scheduling.ts";
import { bodyDigest } from "./signing.ts";
import { utf8TextOf } from "./text.ts";

/** Larger bodies are read in steps. */
const MOST_AT_ONCE = 2 ** 18;
const BYTES_PER_SLICE = 2 ** 20;

/** What an operation reads of its requests' bodies. */
interface ReadBy {
  readonly security?: string | undefined;
  readonly body?: { readonly contentType: string } | undefined;
}

/** A request's body. JSON is parsed on first access, and only once. */
export class RequestBody {
  private parsed: ParsedJson | undefined;
  private md5: string | undefined;

  /** @param limits - of its JSON. */
  constructor(
    readonly bytes: Buffer,
    private readonly limits?: JsonLimits,
  ) {}

  get isEmpty(): boolean {
    return this.bytes.length === 0;
  }

  get isLarge(): boolean {
    return this.bytes.length > MOST_AT_ONCE;
  }

  /** Reads a large body in steps, between which other requests are answered: its digest, and its JSON if it has any. */
  async prepare({ security, body }: ReadBy): Promise<void> {
    if (security === "serverKeys" || security === "clientKeys") {
      const hash = createHash("md5");
      for (let start = 0; start < this.bytes.length; start += BYTES_PER_SLICE) {
        await yieldToEventLoop();
        hash.update(this.bytes.subarray(start, start + BYTES_PER_SLICE));
      }
      this.md5 = hash.digest("hex");
    }
    if (body?.contentType === "application/json") this.parsed = await parseLargeJson(this.bytes, this.limits);
  }

  /** The lower-case hexadecimal MD5 of the bytes. */
  get digest(): string {
    this.md5 ??= bodyDigest(this.bytes);
    return this.md5;
  }

  /** The bytes as UTF-8; undefined when they are not valid. A byte-order mark is kept. */
  get text(): string | undefined {
    return utf8TextOf(this.bytes);
  }

  /** The JSON value, or what is wrong with it. The last of duplicate keys wins. */
  get json(): ParsedJson {
    this.parsed ??= parseJson(this.bytes, this.limits);
    return this.parsed;
  }

  /** The JSON object; empty when the body is not one, which an earlier check refuses. */
  get fields(): JsonObject {
    const { json } = this;
    return json.error === undefined && isJsonObject(json.value) ? json.value : {};
  }
}
