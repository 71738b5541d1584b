import { isJsonObject, type JsonObject, type ParsedJson, parseJson } from "../general/json.ts";
import { percentDecoded, utf8TextOf } from "../general/text.ts";
import { type AnyCause, withFurther } from "../schema/causes/causes.ts";
import type { FoundFacts } from "../schema/journal-entry.ts";
import type { Operation } from "../schema/protocol.ts";
import { parseWithImage } from "./image-field.ts";
import type { BodyStream, ResponseHead, WireRequest } from "./message.ts";
import type { Profile } from "./profiles.ts";
import type { Random } from "./random.ts";
import { bodyDigest } from "./signing.ts";

/** A request's body. JSON is parsed on first access, and only once. */
export class RequestBody {
  readonly isEmpty: boolean;
  private parsed: { readonly json: ParsedJson; readonly image?: Buffer } | undefined;
  private md5: string | undefined;

  /** @param most - bytes that its JSON may have besides long strings. */
  constructor(
    readonly bytes: Buffer,
    private readonly most?: number,
  ) {
    this.isEmpty = bytes.length === 0;
  }

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
    return this.read().json;
  }

  /** The bytes of the JSON's `image`, if it is long and regular base64. */
  get image(): Buffer | undefined {
    return this.read().image;
  }

  private read() {
    this.parsed ??= parseWithImage(this.bytes, this.most) ?? { json: parseJson(this.bytes, this.most) };
    return this.parsed;
  }

  /** The JSON object; empty when the body is not one, which an earlier check refuses. */
  get fields(): JsonObject {
    const { json } = this;
    return json.error === undefined && isJsonObject(json.value) ? json.value : {};
  }
}

/** What the headers of a response depend on. */
export interface HeaderContext {
  /** Time of the request, in milliseconds since the epoch. The clock is read once per request. */
  readonly now: number;
  readonly profile: Profile;
}

/** Everything that a response may depend on besides the API's own state. */
export interface Context extends HeaderContext {
  readonly request: WireRequest;
  /** The same with microseconds: it orders targets. */
  readonly preciseNow: number;
  readonly random: Random;
  /** Checks and handlers add to this journal entry. */
  readonly entry: EntryDraft;
}

export interface BodyKeys {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** The context that the checks of an operation start from. */
export interface OperationContext<Services = unknown> extends Context {
  readonly operation: { readonly name: Operation; readonly body?: { readonly keys?: BodyKeys } };
  readonly params: PathParams;
  readonly body: RequestBody;
  readonly services: Services;
}

/** An unfinished journal entry, without the outcome. */
type EntryDraft = {
  -readonly [Name in keyof FoundFacts]?: FoundFacts[Name];
} & { cause?: AnyCause };

/** Says something of a request that is not refused, besides what was said of it before. */
export function addRemark(entry: EntryDraft, remark: AnyCause): void {
  entry.cause = entry.cause === undefined ? remark : withFurther(entry.cause, remark);
}

export interface ApiResponse extends ResponseHead {
  readonly body: Buffer;
  readonly resultCode?: string;
  /** In place of the body, which is then empty. */
  readonly bodyStream?: BodyStream;
}

/** Path parameters by name, percent-decoded once. */
export type PathParams = Readonly<Record<string, string>>;

const NO_PARAMS: PathParams = {};

/** Returns a matcher of raw paths. `{id}` matches any segment, `{file:[^/]+\.csv}` segments of that form. */
export function pathMatcher(pattern: string): (path: string) => PathParams | undefined {
  const names: string[] = [];
  const source = pattern.replace(
    /\{(\w+)(?::([^{}]+))?\}|[.*+?^$()|[\]\\]/g,
    (found, name?: string, shape?: string) => {
      if (name === undefined) return `\\${found}`;
      names.push(name);
      return `(${shape ?? "[^/]+"})`;
    },
  );
  const expression = new RegExp(`^${source}$`);
  return (path) => {
    const match = expression.exec(path);
    if (match === null) return undefined;
    if (names.length === 0) return NO_PARAMS;
    return Object.fromEntries(names.map((name, index) => [name, percentDecoded(match[index + 1] ?? "")]));
  };
}
