import { inspectTargetImage } from "./images/inspect.ts";
import {
  aBoolean,
  checkShape,
  numberAboveZero,
  orNull,
  type Shape,
  someText,
  wholeNumber,
} from "./option-values.ts";
import type { Random } from "./runtime/random.ts";
import type { NewTarget } from "./store/store.ts";

/** Fields of a target that is added without a request. */
export interface TargetFields {
  /** PNG or JPEG, as the target API would accept it. */
  readonly image: Uint8Array;
  /** Default: the target's id. */
  readonly name?: string;
  /** Width in scene units, above 0. Default 1. */
  readonly width?: number;
  /** Default true. */
  readonly activeFlag?: boolean;
  /** Base64, or null. Default null. */
  readonly applicationMetadata?: string | null;
  /** Default: 32 hexadecimal digits. */
  readonly targetId?: string;
  /** Whether it is past its processing time at once. Default false. */
  readonly processed?: boolean;
}

/** Recognition counts to set; what is not given stays as it is. */
export interface RecognitionCountChanges {
  /** A whole number of at least 0. */
  readonly currentMonthRecos?: number;
  /** A whole number of at least 0. */
  readonly previousMonthRecos?: number;
  /** A whole number of at least 0. */
  readonly totalRecos?: number;
}

const targetShape: Shape = {
  fields: {
    image: {
      accepted: "the bytes of an image (Uint8Array)",
      accepts: (value): value is unknown => value instanceof Uint8Array,
    },
    name: someText,
    width: numberAboveZero,
    activeFlag: aBoolean,
    applicationMetadata: orNull(someText),
    targetId: someText,
    processed: aBoolean,
  },
  required: ["image"],
};

const countsShape: Shape = {
  fields: { currentMonthRecos: wholeNumber(), previousMonthRecos: wholeNumber(), totalRecos: wholeNumber() },
};

/** @throws InvalidOptionError naming a count that is no whole number. */
export function checkCounts(counts: RecognitionCountChanges): void {
  checkShape("counts", counts, countsShape);
}

/**
 * The record to store for given fields.
 *
 * @throws InvalidOptionError naming a field that is not accepted; Error when the target API would refuse the image.
 */
export async function addedTarget(
  fields: TargetFields,
  processingTimeSeconds: number,
  random: Random,
): Promise<NewTarget> {
  checkShape("target", fields, targetShape);
  const image = Buffer.from(fields.image);
  const verdict = await inspectTargetImage(image);
  if (!verdict.ok) throw new Error(`target.image is refused with ${verdict.resultCode}: ${verdict.reason}`);
  const id = fields.targetId ?? random.hex(32);
  return {
    id,
    name: fields.name ?? id,
    image,
    width: fields.width ?? 1,
    active: fields.activeFlag ?? true,
    metadata: fields.applicationMetadata ?? null,
    processingTimeSeconds,
    processed: fields.processed ?? false,
  };
}

/** Why a store did not take a target, in words. */
export function notAdded(
  databaseName: string,
  { id, name }: NewTarget,
  problem: "unknownDatabase" | "nameTaken" | "idTaken" | "quotaReached",
): Error {
  const problems = {
    unknownDatabase: `the mock has no database "${databaseName}"`,
    nameTaken: `the database has a target with the name ${JSON.stringify(name)} already`,
    idTaken: `the database has, or had, a target with the id ${JSON.stringify(id)} already`,
    quotaReached: "the database holds as many targets as its targetQuota allows",
  };
  return new Error(problems[problem]);
}
