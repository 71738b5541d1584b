import { createHash } from "node:crypto";

/** The name of an image's content: its SHA-256 in lower-case hexadecimal. */
export const sha256Hex = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
