import { formatOf, type ImageFormat, pixelSizeOf } from "../general/image-header.ts";
import { isJsonObject, parseJson } from "../general/json.ts";
import { utf8TextOf } from "../general/text.ts";
import { visible, visibleLines } from "../general/visible.ts";
import { decodeServiceBase64 } from "../schema/base64.ts";
import { HIDDEN } from "./masking.ts";
import type { FormPart, MediaType } from "./multipart.ts";

/** An image in a body. */
export interface RecordedImage {
  /** Detected by its first bytes, whatever type was declared. */
  readonly format: ImageFormat;
  /** In pixels, from the image's header; undefined when the header is damaged. */
  readonly width: number | undefined;
  /** In pixels, from the image's header; undefined when the header is damaged. */
  readonly height: number | undefined;
  /** In bytes. */
  readonly size: number;
  /** The file itself. */
  readonly bytes: Buffer;
}

/** A file part of a multipart form. */
export interface RecordedFile {
  /** The `filename` parameter, possibly empty. */
  readonly filename: string;
  /** The part's own `Content-Type`. */
  readonly contentType: string | undefined;
  /** Exactly the bytes between the part's headers and the next boundary. */
  readonly bytes: Buffer;
  /** The image, if the file is one. */
  readonly image: RecordedImage | undefined;
}

/** A longer form is not split into its fields. */
export const LONGEST_FORM = 2 ** 18;
/** Parsing a larger body, to mask or shorten it, takes long. */
export const MOST_MASKED_BYTES = 2 ** 22;

/** A decoded body. Each view of it is made when it is first read, and once. */
export class BodyContent {
  /** @param parts - undefined: it is no multipart form. */
  constructor(
    readonly bytes: Buffer,
    private readonly type: MediaType,
    readonly parts: readonly FormPart[] | undefined,
  ) {}

  readonly text = once(() => utf8TextOf(this.bytes));

  readonly json = once(() => jsonOf(this.text()));

  readonly fields = once((): Readonly<Record<string, string | RecordedFile>> | undefined => {
    if (this.parts !== undefined) return firstOf(this.parts.map(readField));
    const isForm = this.type.main === "application/x-www-form-urlencoded";
    if (!isForm || this.bytes.length > LONGEST_FORM) return undefined;
    return firstOf([...new URLSearchParams(this.text() ?? "")]);
  });

  readonly image = once((): RecordedImage | undefined => {
    const itself = imageOf(this.bytes);
    if (itself !== undefined) return itself;
    const file = this.fields()?.image;
    if (typeof file === "object") return file.image;
    const json = this.json();
    const text = isJsonObject(json) ? json.image : undefined;
    return typeof text === "string" ? imageOf(decodeServiceBase64(text)) : undefined;
  });

  /** The JSON value with images described and long text truncated. */
  shortJson(): unknown {
    return shortened(this.json());
  }

  /**
   * Returns a short description: images as format, pixels and size; long text truncated.
   *
   * @param size - of the body as sent.
   */
  describe(size: number): string {
    const { bytes } = this;
    if (bytes.length === 0) return "";
    const itself = imageOf(bytes);
    if (itself !== undefined) return showImage(itself);
    const fields = this.fields();
    if (fields !== undefined) {
      return Object.entries(fields)
        .map(([name, value]) =>
          visible(`${name}: ${typeof value === "string" ? cut(value) : showFile(value)}`),
        )
        .join("\n");
    }
    if (bytes.length > MOST_MASKED_BYTES) return `‹${size} bytes, too many to be shown›`;
    const text = this.text();
    if (text === undefined) return `‹${size} bytes: ${bytes.toString("hex", 0, 16)}${size > 16 ? "…" : ""}›`;
    const json = this.json();
    return json === undefined ? visibleLines(cut(text)) : visible(JSON.stringify(shortened(json)));
  }
}

function once<View>(make: () => View): () => View {
  let made: { readonly view: View } | undefined;
  return () => {
    made ??= { view: make() };
    return made.view;
  };
}

function jsonOf(text: string | undefined): unknown {
  const parsed = text === undefined ? undefined : parseJson(text);
  return parsed?.error === undefined ? parsed?.value : undefined;
}

/** Of repeated names, the first counts. */
function firstOf<Value>(fields: readonly (readonly [string, Value])[]): Readonly<Record<string, Value>> {
  const named = new Map<string, Value>();
  for (const [name, value] of fields) if (!named.has(name)) named.set(name, value);
  return Object.fromEntries(named);
}

const readField = ({ name, filename, contentType, content }: FormPart): [string, string | RecordedFile] => [
  name,
  filename === undefined
    ? content.toString()
    : { filename, contentType, bytes: content, image: imageOf(content) },
];

function imageOf(bytes: Buffer | undefined): RecordedImage | undefined {
  const format = bytes === undefined ? undefined : formatOf(bytes);
  if (bytes === undefined || format === undefined) return undefined;
  const pixels = pixelSizeOf(bytes);
  return { format, width: pixels?.width, height: pixels?.height, size: bytes.length, bytes };
}

function showImage({ format, width, height, size }: RecordedImage): string {
  return `‹${format} of ${width ?? "?"}x${height ?? "?"} pixels, ${size} bytes›`;
}

const showFile = ({ image, bytes }: RecordedFile): string =>
  image === undefined ? `‹file of ${bytes.length} bytes, neither PNG nor JPEG›` : showImage(image);

const LONGEST_TEXT = 300;

const cut = (text: string): string =>
  text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}… (${text.length} characters)`;

function shortened(value: unknown): unknown {
  if (typeof value === "string") {
    const image = value.length < 32 || value === HIDDEN ? undefined : imageOf(decodeServiceBase64(value));
    return image === undefined ? cut(value) : showImage(image);
  }
  if (Array.isArray(value)) return value.map(shortened);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each)]));
}
