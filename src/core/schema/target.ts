import * as z from "zod/mini";
import type { TargetProcessing } from "./processing.ts";
import { MAX_METADATA_BYTES } from "./protocol.ts";
import { optional, record, storedRecord } from "./zod/record.ts";
import {
  aboveZero,
  base64UpTo,
  binary,
  bytes,
  described,
  kind,
  oneOf,
  orNull,
  pathName,
  seconds,
  text,
  timestamp,
  trueOrFalse,
  wholeNumber,
  wholeNumberFrom,
  wordsOf,
} from "./zod/values.ts";
import { wireForm } from "./zod/wire.ts";

/** Recognition counts to set; those that are not given stay as they are. */
export interface RecognitionCountChanges {
  /** An integer of at least 0. */
  readonly currentMonthRecos?: number;
  /** An integer of at least 0. */
  readonly previousMonthRecos?: number;
  /** An integer of at least 0. */
  readonly totalRecos?: number;
}

/** Recognition counts of one target. They are set through the mock or the target manager; queries do not count. */
export type RecognitionCounts = Required<RecognitionCountChanges>;

/** Fields of a target that is added directly, without a request. */
export interface TargetFields {
  /** PNG or JPEG, as the target API would accept it. */
  readonly image: Uint8Array;
  /** Default: the target's id. */
  readonly name?: string;
  /** Width in scene units, above 0. Default 1. */
  readonly width?: number;
  /** Default true. */
  readonly activeFlag?: boolean;
  /** Base64, bytes, or null; at most 1048575 bytes. Default null. */
  readonly applicationMetadata?: string | Uint8Array | null;
  /** Default: 32 hexadecimal digits. */
  readonly targetId?: string;
  /** Whether processing is skipped. Default false. */
  readonly processed?: boolean;
  /** Makes processing end as `failed`, whatever the image. Default: the image decides. */
  readonly status?: "failed";
}

/** Changes of a target that are made directly, without a request. */
export type TargetUpdates = Omit<Partial<TargetFields>, "targetId" | "processed" | "status">;

/** Queries compare these: by structural similarity or by features. Servers share them, so each is made once. */
export const SUMMARY_KINDS = ["sketch", "features"] as const;
export type SummaryKind = (typeof SUMMARY_KINDS)[number];

/** A target's image, identified by its content; a remote store loads the bytes when they are needed. */
export interface TargetImage {
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string;
  bytes(): Buffer | Promise<Buffer>;
  /** A summary from the process that has the bytes; undefined when it has none. */
  summary?(kind: SummaryKind): Promise<Buffer | undefined>;
}

/** Measured while an image's pixels are in memory. */
export type ImageMeasures =
  | { readonly damage: string; readonly brisque?: undefined }
  | {
      readonly damage?: undefined;
      /** Whether it has only one colour, or nearly so. */
      readonly isFlat: boolean;
      /** From 0, the best, to 100; undefined if it was not wanted. */
      readonly brisque: number | undefined;
    };

/** An image on its way into the store, with what is known of it: the check that measured it hands that on. */
export interface NewImage {
  /** Must not be written to. */
  readonly bytes: Buffer;
  /** In lower-case hexadecimal. */
  readonly sha256?: string;
  readonly measures?: ImageMeasures;
}

/** What a client sets of a target, besides its name and image. */
export interface TargetSettings {
  /** Width in scene units, above 0. */
  readonly width: number;
  readonly activeFlag: boolean;
  /** Metadata as it was sent: base64 as the service reads it. */
  readonly applicationMetadata: string | null;
}

/** The fields of a target, except its image and the outcome of processing. */
interface TargetFacts extends RecognitionCounts, TargetSettings {
  readonly targetId: string;
  readonly name: string;
  readonly processingTimeSeconds: number;
  /** Milliseconds since the epoch, with microseconds if the clock has them: the order of targets is by this, then by id. */
  readonly uploadDate: number;
  /** Whole milliseconds since the epoch. */
  readonly lastModifiedDate: number;
  readonly deleteDate: number | null;
}

/** A target of a cloud database. Immutable: a change creates a new record. */
export interface Target extends TargetFacts, TargetProcessing {
  readonly image: TargetImage;
}

/** A target as snapshots hold it. */
export interface TargetRecord extends TargetFacts, TargetProcessing {
  /** SHA-256 of the image, which the snapshot holds separately. */
  readonly image: string;
}

/** A target as the target manager shows it at one moment. */
export interface TargetView extends TargetFacts {
  readonly image: Uint8Array;
  readonly trackingRating: number;
  readonly recoRating: "";
}

/** Fields of a target whose name in JSON is not their own in snake case. */
export const TARGET_NAMES = { image: "image_base64", deleteDate: "delete_date_optional" };

const metadata = base64UpTo(MAX_METADATA_BYTES);
const applicationMetadata = orNull(metadata);
const changeable = { name: text, width: aboveZero, activeFlag: trueOrFalse, applicationMetadata };
const counts = { currentMonthRecos: wholeNumber, previousMonthRecos: wholeNumber, totalRecos: wholeNumber };

/** Fields that are given directly: bytes are bytes, and metadata may be bytes too. */
const inProcess = () => {
  const description = `${wordsOf(metadata)}, the bytes themselves, or null`;
  const fits = z.refine<Uint8Array>(({ length }) => length <= MAX_METADATA_BYTES, description);
  const metadataForms = z.union([metadata, kind(description, binary.check(fits)), z.null()]);
  const image = described("the bytes of an image (Uint8Array)", binary);
  return { image, ...changeable, applicationMetadata: kind(description, metadataForms) };
};

/** `mock.addTarget(database, …)`. */
export const targetFields = z.lazy(() => {
  const { image, ...others } = inProcess();
  return record<TargetFields>({
    image,
    ...optional({ ...others, targetId: pathName, processed: trueOrFalse, status: oneOf("failed") }),
  });
});

/** `mock.updateTarget(database, id, …)`. */
export const targetUpdates = z.lazy(() => record<TargetUpdates>(optional(inProcess())));

/** `mock.setRecognitionCounts(database, id, …)`. */
export const countChanges = z.lazy(() => record<RecognitionCountChanges>(optional(counts)));

const facts = {
  ...changeable,
  ...counts,
  targetId: pathName,
  processingTimeSeconds: seconds,
  uploadDate: timestamp,
  lastModifiedDate: timestamp,
  deleteDate: z.nullable(timestamp),
};

/** The status after processing, and the rater's result. */
export const processingEnd = { outcome: oneOf("success", "failed"), rating: wholeNumberFrom(0, 5) };

/** As snapshots hold it. */
export const targetRecord = z.lazy(() =>
  storedRecord<TargetRecord>({
    ...facts,
    image: text,
    ...processingEnd,
    processed: trueOrFalse,
    rated: trueOrFalse,
  }),
);

/** As the target manager returns it, in this order. */
export const targetView = z.lazy(() => {
  const { name, width, activeFlag } = changeable;
  const { processingTimeSeconds, targetId, lastModifiedDate, deleteDate, uploadDate } = facts;
  return record<TargetView>({
    name,
    width,
    image: bytes,
    activeFlag,
    processingTimeSeconds,
    applicationMetadata,
    targetId,
    lastModifiedDate,
    deleteDate,
    uploadDate,
    trackingRating: wholeNumberFrom(-1, 5),
    ...counts,
    recoRating: z.literal(""),
  });
});
export const targetJson = wireForm(targetView, { names: TARGET_NAMES });

interface PostedTarget extends TargetSettings {
  readonly name: string;
  readonly image: Uint8Array;
  readonly targetId?: string;
  readonly processingTimeSeconds?: number;
}

/** `POST …/targets`. */
export const postedTarget = wireForm(
  z.lazy(() => {
    const { name, width, ...others } = changeable;
    return record<PostedTarget>({
      name,
      width,
      image: bytes,
      ...optional(others, { activeFlag: true, applicationMetadata: null }),
      ...optional({ targetId: pathName, processingTimeSeconds: seconds }),
    });
  }),
  { names: TARGET_NAMES, resource: targetJson },
);

export const IMAGE_PATH = "the path of an image file, relative to this file's folder";

/** A target in a seed file. */
export const seededTarget = z.lazy(() => {
  const { name, width, ...others } = changeable;
  return record({
    name,
    width,
    image: described(IMAGE_PATH, text),
    ...optional({ ...others, ...counts, targetId: pathName, processingTimeSeconds: seconds }),
  });
});

/** `PUT …/targets/{target_id}`. The image is called `image` there; `image_base64` is refused rather than ignored. */
export const putTarget = wireForm(
  z.lazy(() =>
    record<Partial<TargetSettings> & { readonly name?: string; readonly image?: Uint8Array }>(
      optional({ ...changeable, image: bytes }),
    ),
  ),
  { resource: targetJson, except: [TARGET_NAMES.image] },
);

/** `POST …/recognition_counts`. */
export const postedCounts = wireForm(countChanges, { resource: targetJson });
