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
import { utf8Decoder, utf8TextOf } from "./text.ts";

/** Larger bodies are read in slices. */
const MOST_AT_ONCE = 2 ** 18;
const BYTES_PER_SLICE = 2 ** 20;
const NOT_UTF8 = { error: "the text is not UTF-8" };
/** Ten times the size of the largest image, for which the API has an answer of its own. */
const MOST_JSON_BYTES = 2 ** 25;
const TOO_LONG = { error: `more than ${MOST_JSON_BYTES} bytes` };

/** What an operation reads of its requests' bodies. */
interface ReadBy {
  readonly security?: string | undefined;
  readonly body?: { readonly contentType: string } | undefined;
}

/** A request's body. JSON is parsed on first access, and only once. */
export class RequestBody {
  private parsed: ParsedJson | undefined;
  private md5: string | undefined;

  /** @param limits - of its JSON; those of a snapshot also allow any size. */
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

  /** Reads a large body in slices, between which other requests are answered: its digest, and its JSON if it has any. */
  async prepare({ security, body }: ReadBy): Promise<void> {
    if (security === "serverKeys" || security === "clientKeys") {
      const hash = createHash("md5");
      for await (const slice of this.slices()) hash.update(slice);
      this.md5 = hash.digest("hex");
    }
    if (body?.contentType !== "application/json" || this.isTooLong) return;
    const text = await this.textInSlices();
    this.parsed = text === undefined ? NOT_UTF8 : await parseLargeJson(text, this.limits);
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
    this.parsed ??= this.parse();
    return this.parsed;
  }

  /** The JSON object; empty when the body is not one, which an earlier check refuses. */
  get fields(): JsonObject {
    const { json } = this;
    return json.error === undefined && isJsonObject(json.value) ? json.value : {};
  }

  /** Snapshots may have any size. */
  private get isTooLong(): boolean {
    return this.limits === undefined && this.bytes.length > MOST_JSON_BYTES;
  }

  private parse(): ParsedJson {
    if (this.isTooLong) return TOO_LONG;
    const { text } = this;
    return text === undefined ? NOT_UTF8 : parseJson(text, this.limits);
  }

  private async *slices(): AsyncGenerator<Buffer> {
    for (let start = 0; start < this.bytes.length; start += BYTES_PER_SLICE) {
      await yieldToEventLoop();
      yield this.bytes.subarray(start, start + BYTES_PER_SLICE);
    }
  }

  private async textInSlices(): Promise<string | undefined> {
    const pieces: string[] = [];
    const decoding = utf8Decoder();
    try {
      for await (const slice of this.slices()) pieces.push(decoding.decode(slice, { stream: true }));
      pieces.push(decoding.decode());
    } catch {
      return undefined;
    }
    await yieldToEventLoop();
    return pieces.join("");
  }
}
