import { createHash } from "node:crypto";
import { SnapshotLists } from "./snapshot-lists.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [COLON, COMMA, SPACE] = [0x3a, 0x2c, 0x20];
const [BRACKET, BRACKET_END] = [0x5b, 0x5d];
const [BRACE, BRACE_END] = [0x7b, 0x7d];
const IMAGES = "images";
/** Longer than any key of a record. */
const LONGEST_KEY = 64;

/**
 * Takes the images out of a snapshot's JSON while it arrives; their strings are then empty. So reading takes no more memory
 * than the state, and no step takes long. Of a list with a wrong element, the rest is taken out, too.
 */
export class SnapshotReader {
  readonly images = new Map<string, Buffer>();
  private readonly lists = new SnapshotLists();
  /** The latest key of the outermost object. */
  private outerKey = "";
  private key: string | undefined;
  private isValue = false;
  private inString = false;
  private isEscaped = false;
  private inSimple = false;
  private image: ImageText | undefined;

  /** Returns the parts of a chunk that stay. */
  write(chunk: Buffer): readonly Buffer[] {
    const kept: Buffer[] = [];
    let from = 0;
    this.lists.next(chunk);
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
      } else {
        const wasDropping = this.lists.isDropping;
        this.readStructure(chunk[at] ?? 0, at);
        if (wasDropping === this.lists.isDropping) continue;
        if (!wasDropping) kept.push(chunk.subarray(from, at));
        from = at;
      }
    }
    if (!this.lists.isDropping) kept.push(chunk.subarray(from));
    return kept;
  }

  private beginsImage(byte: number | undefined): boolean {
    return byte === QUOTE && this.isValue && this.lists.depth === 2 && this.outerKey === IMAGES;
  }

  private readString(byte = 0): void {
    if (byte === QUOTE && !this.isEscaped) {
      this.inString = false;
      if (this.key !== undefined) {
        if (this.lists.depth === 1) this.outerKey = this.key;
        this.lists.key(this.key);
      }
    }
    // Includes escapes, so that no other key becomes equal.
    else if (this.key !== undefined && this.key.length <= LONGEST_KEY) this.key += String.fromCharCode(byte);
    this.isEscaped = byte === BACKSLASH && !this.isEscaped;
  }

  private readStructure(byte: number, at: number): void {
    const { lists } = this;
    const wasSimple = this.inSimple;
    this.inSimple = false;
    if (byte === QUOTE) {
      this.inString = true;
      this.key = lists.isInObject && !this.isValue ? "" : undefined;
      if (this.key === undefined) lists.simple(byte);
    } else if (byte === COLON) this.isValue = true;
    else if (byte === COMMA) {
      this.isValue = false;
      lists.comma();
    } else if (byte === BRACE || byte === BRACKET) {
      this.isValue = false;
      lists.begin(byte === BRACKET, at);
    } else if (byte === BRACE_END || byte === BRACKET_END) {
      this.isValue = false;
      lists.end(at);
    } else if (byte > SPACE) {
      this.inSimple = true;
      if (!wasSimple) lists.simple(byte);
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
