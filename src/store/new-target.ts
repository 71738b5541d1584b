import { ratingAt } from "../schema/processing.ts";
import type { Target, TargetImage } from "../schema/target.ts";

/** What is specified for a new target. */
export type TargetFields = Pick<
  Target,
  "targetId" | "name" | "width" | "activeFlag" | "applicationMetadata" | "processingTimeSeconds"
> & {
  readonly processed?: boolean;
  /** Instead of the result of processing the image. */
  readonly outcome?: "failed";
  /** Draws another id when that one is taken. Default: it is a conflict. */
  readonly anotherId?: () => string;
};

/** A stored image, and the result of processing it. */
export type ProcessedImage = Pick<Target, "image" | "outcome" | "rating">;

/**
 * Makes a target that is uploaded now.
 *
 * Written out, not spread: thousands of objects of one hidden class are read an order of magnitude faster.
 */
export function newTarget(
  given: TargetFields,
  targetId: string,
  made: ProcessedImage,
  tick: number,
  now: number,
): Target {
  const { processed = false } = given;
  return {
    targetId,
    name: given.name,
    width: given.width,
    activeFlag: given.activeFlag,
    applicationMetadata: given.applicationMetadata,
    processingTimeSeconds: given.processingTimeSeconds,
    outcome: given.outcome ?? made.outcome,
    rating: made.rating,
    image: made.image,
    uploadDate: now,
    lastModifiedDate: now,
    deleteDate: null,
    tick,
    processed,
    rated: processed,
    currentMonthRecos: 0,
    previousMonthRecos: 0,
    totalRecos: 0,
  };
}

/** Changes a target, which is then processed again. Its rating stays visible if it was, or becomes so if it is new. */
export function changedTarget(target: Target, changes: Partial<Target>, now: number): Target {
  const rated = target.rated || changes.rating !== undefined || ratingAt(target, now) !== -1;
  return { ...target, ...changes, lastModifiedDate: now, processed: false, rated };
}

/** The image of a deleted target: only its hash. */
export const freedImage = ({ sha256 }: Pick<TargetImage, "sha256">): TargetImage => ({
  sha256,
  bytes: () => Buffer.alloc(0),
});
