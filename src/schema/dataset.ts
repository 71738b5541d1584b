import * as z from "zod/mini";
import { hasPassed } from "./elapsed.ts";
import { keptRecord, optional, record } from "./kernel/record.ts";
import {
  anyText,
  flag,
  type JsonObject,
  jsonObject,
  listOf,
  moment,
  oneOf,
  orNull,
  pathName,
  seconds,
} from "./kernel/values.ts";
import { wireForm } from "./kernel/wire.ts";

export const DATASET_FAMILIES = ["STANDARD", "ADVANCED"] as const;
export type DatasetTypeName = (typeof DATASET_FAMILIES)[number];

export interface GenerationWarning {
  readonly message: string;
  readonly details: readonly JsonObject[];
}

/** A Model Target dataset as the target manager shows it. */
interface DatasetView {
  readonly requestBody: JsonObject;
  readonly datasetTypeName: DatasetTypeName;
  readonly processingTimeSeconds: number;
  readonly generationFailureMessage: string | null;
  readonly generationWarning: GenerationWarning | null;
  readonly uuid: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** A Model Target dataset. */
export interface Dataset extends DatasetView {
  readonly processed: boolean;
}

const warning = record<GenerationWarning>({ message: anyText, details: listOf(jsonObject) });

const seeded = {
  requestBody: jsonObject,
  datasetTypeName: oneOf(...DATASET_FAMILIES),
  generationFailureMessage: orNull(anyText),
  generationWarning: orNull(warning),
};
const made = { processingTimeSeconds: seconds, uuid: pathName, createdAt: moment };

const DEFAULTS = {
  requestBody: {},
  datasetTypeName: DATASET_FAMILIES[0],
  generationFailureMessage: null,
  generationWarning: null,
};

/** As snapshots hold it. */
export const datasetRecord = z.lazy(() => keptRecord<Dataset>({ ...seeded, ...made, processed: flag }));

/** As the target manager returns it, in this order. */
export const datasetJson = wireForm(
  z.lazy(() => {
    const { requestBody, datasetTypeName, ...outcome } = seeded;
    const { processingTimeSeconds, ...others } = made;
    return record<DatasetView>({
      requestBody,
      datasetTypeName,
      processingTimeSeconds,
      ...outcome,
      ...others,
    });
  }),
);

/** The checked fields of a new dataset. */
export type NewDataset = Omit<DatasetView, keyof typeof made> & Partial<Pick<DatasetView, keyof typeof made>>;

/** `POST /model_target_datasets`. */
export const postedDataset = wireForm(
  z.lazy(() => record<NewDataset>({ ...optional(seeded, DEFAULTS), ...optional(made) })),
);

export type DatasetStatus = "processing" | "done" | "failed";

export function datasetStatusAt(dataset: Dataset, now: number): DatasetStatus {
  if (!dataset.processed && !hasPassed(dataset.createdAt, dataset.processingTimeSeconds, now))
    return "processing";
  return dataset.generationFailureMessage === null ? "done" : "failed";
}
