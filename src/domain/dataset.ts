import { hasPassed } from "./elapsed.ts";

export const DATASET_FAMILIES = ["STANDARD", "ADVANCED"] as const;
export type DatasetFamily = (typeof DATASET_FAMILIES)[number];

/** A JSON object as a client sent it. */
export type JsonObject = { readonly [key: string]: unknown };

export interface GenerationWarning {
  readonly message: string;
  readonly details: readonly JsonObject[];
}

/** A Model Target dataset (protocol section 9). */
export interface Dataset {
  readonly uuid: string;
  readonly family: DatasetFamily;
  readonly requestBody: JsonObject;
  readonly createdAt: number;
  readonly processingTimeSeconds: number;
  readonly failureMessage: string | null;
  readonly warning: GenerationWarning | null;
  readonly processed: boolean;
}

export type DatasetStatus = "processing" | "done" | "failed";

export function datasetStatusAt(dataset: Dataset, now: number): DatasetStatus {
  if (!dataset.processed && !hasPassed(dataset.createdAt, dataset.processingTimeSeconds, now))
    return "processing";
  return dataset.failureMessage === null ? "done" : "failed";
}
