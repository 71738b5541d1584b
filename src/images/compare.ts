import { decodeThumbnail } from "./decode.ts";
import { structuralSimilarity } from "./similarity.ts";

/** The structural similarity of two images; null when one cannot be decoded. */
export async function compareThumbnails(a: Buffer, b: Buffer): Promise<number | null> {
  const [first, second] = await Promise.all([decodeThumbnail(a), decodeThumbnail(b)]);
  return "damage" in first || "damage" in second ? null : structuralSimilarity(first, second);
}
