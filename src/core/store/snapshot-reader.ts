import { createHash } from "node:crypto";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const IMAGES = "images";

/**
 * Takes the images out of a snapshot's JSON while it arrives; their strings are then empty. So reading takes no more memory
 * than the state, and no step takes long.
 */
export class SnapshotReader {
  readonly images = new Map<string, Buffer>();
  private depth = 0;
  /** The latest key of the outermost object. */
  private key = "";
  private isValue = false;
  private inString = false;
  private isEscaped = false;
  private image: ImageText | undefined;

  /** Returns the parts of a chunk that are not images. */
  write(chunk: Buffer): readonly Buffer[] {
    const kept: Buffer[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      if (this.image !== undefined) {
        const end = chunk.indexOf(QUOTE, at);
        this.image.add(chunk.subarray(at, end === -1 ? chunk.length : end));
        from = end === -1 ? chunk.length : end;
        if (end !== -1) {
          const { sha256, bytes } = this.image.end();
          this.images.set(sha256, bytes);
          this.image = undefined;
        }
        at = from;
      } else if (this.inString) this.readString(chunk[at]);
      else if (this.beginsImage(chunk[at])) {
        kept.push(chunk.subarray(from, at + 1));
        from = at + 1;
        this.image = new ImageText();
      } else this.readStructure(chunk[at]);
    }
    kept.push(chunk.subarray(from));
    return kept;
  }

  private beginsImage(byte: number | undefined): boolean {
    return byte === QUOTE && this.depth === 2 && this.isValue && this.key === IMAGES;
  }

  private readString(byte = 0): void {
    if (byte === QUOTE && !this.isEscaped) this.inString = false;
    // Includes escapes, so that no other key becomes equal.
    else if (this.depth === 1 && !this.isValue && this.key.length <= IMAGES.length)
      this.key += String.fromCharCode(byte);
    this.isEscaped = byte === BACKSLASH && !this.isEscaped;
  }

  private readStructure(byte = 0): void {
    const character = String.fromCharCode(byte);
    if (character === '"') {
      this.inString = true;
      if (this.depth === 1 && !this.isValue) this.key = "";
    } else if (character === ":") this.isValue = true;
    else if (",{[}]".includes(character)) {
      if (character !== ",") this.depth += character === "{" || character === "[" ? 1 : -1;
      this.isValue = false;
    }
  }
}

/** Decodes base64 in pieces. Invalid text gives another hash than the snapshot's. */
class ImageText {
  private readonly hash = createHash("sha256");
  private readonly pieces: Buffer[] = [];
  private rest = "";

  add(piece: Buffer): void {
    const text = (this.rest + piece.toString("latin1")).replaceAll("\\/", "/");
    // A backslash at the end belongs to the next piece.
    const length = text.endsWith("\\") ? text.length - 1 : text.length;
    const whole = length - (length % 4);
    this.rest = text.slice(whole);
    this.decode(text.slice(0, whole));
  }

  end(): { readonly sha256: string; readonly bytes: Buffer } {
    this.decode(this.rest);
    return { sha256: this.hash.digest("hex"), bytes: Buffer.concat(this.pieces) };
  }

  private decode(text: string): void {
    const bytes = Buffer.from(text, "base64");
    this.hash.update(bytes);
    this.pieces.push(bytes);
  }
}
