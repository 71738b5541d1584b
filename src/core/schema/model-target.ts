import * as z from "zod/mini";
import type { JsonObject } from "../general/json.ts";
import { hasPassed } from "./processing.ts";
import { optional, record, storedRecord } from "./zod/record.ts";
import {
  anyText,
  deferred,
  jsonObject,
  listOf,
  oneOf,
  orNull,
  pathName,
  seconds,
  text,
  timestamp,
  trueOrFalse,
} from "./zod/values.ts";
import { wireForm } from "./zod/wire.ts";

export const DATASET_FAMILIES = ["STANDARD", "ADVANCED"] as const;
/** The family of endpoints that serves a dataset. */
export type DatasetTypeName = (typeof DATASET_FAMILIES)[number];

/** A warning with which a dataset ends as `done`. */
export interface GenerationWarning {
  /** Text of the warning. */
  readonly message: string;
  /** Any objects. */
  readonly details: readonly JsonObject[];
}

/** How the training of a dataset ends; both null: as `done`. */
export interface TrainingOutcome {
  readonly generationFailureMessage: string | null;
  readonly generationWarning: GenerationWarning | null;
}

/** What was requested, and how it ends. */
interface RequestedDataset extends TrainingOutcome {
  readonly requestBody: JsonObject;
  readonly datasetTypeName: DatasetTypeName;
}

/** A Model Target dataset. */
export interface Dataset extends RequestedDataset {
  readonly processingTimeSeconds: number;
  readonly uuid: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly processed: boolean;
}

const warning = deferred("an object", () =>
  record<GenerationWarning>({ message: anyText, details: listOf(jsonObject) }),
);

const seeded = {
  requestBody: jsonObject,
  datasetTypeName: oneOf(...DATASET_FAMILIES),
  generationFailureMessage: orNull(anyText),
  generationWarning: orNull(warning),
};
const made = { processingTimeSeconds: seconds, uuid: pathName, createdAt: timestamp };

const DEFAULTS = {
  requestBody: {},
  datasetTypeName: DATASET_FAMILIES[0],
  generationFailureMessage: null,
  generationWarning: null,
};

export const datasetRecord = z.lazy(() =>
  storedRecord<Dataset>({ ...seeded, ...made, processed: trueOrFalse }),
);

/** As the target manager returns it, in this order. */
export const datasetJson = wireForm(
  z.lazy(() => {
    const { requestBody, datasetTypeName, ...outcome } = seeded;
    const { processingTimeSeconds, ...others } = made;
    return record({
      requestBody,
      datasetTypeName,
      processingTimeSeconds,
      ...outcome,
      ...others,
    });
  }),
);

export interface NewDataset extends RequestedDataset {
  readonly processingTimeSeconds?: number;
  readonly uuid?: string;
  readonly createdAt?: number;
}

/** `POST /model_target_datasets`. */
export const postedDataset = wireForm(
  z.lazy(() => record<NewDataset>({ ...optional(seeded, DEFAULTS), ...optional(made) })),
);

/** Fields of a Model Target dataset that is added directly, without a request. */
export interface DatasetFields {
  /** The body of the request that would create it. Default `{}`. */
  readonly requestBody?: { readonly [key: string]: unknown };
  /** Default `STANDARD`. */
  readonly datasetTypeName?: DatasetTypeName;
  /** Makes the dataset end as `failed`. Default null. */
  readonly generationFailureMessage?: string | null;
  /** Makes the dataset end as `done` with this warning. Default null. */
  readonly generationWarning?: GenerationWarning | null;
  /** In seconds, 0 or more. Default: as for a dataset that a request creates. */
  readonly processingTimeSeconds?: number;
  /** Default: 32 hexadecimal digits. */
  readonly uuid?: string;
}

/** `mock.addDataset(…)`. */
export const datasetFields = z.lazy(() => {
  const { createdAt, ...others } = made;
  return record<DatasetFields & RequestedDataset>({
    ...optional(seeded, DEFAULTS),
    ...optional(others),
  });
});

/** @param processingTimeSeconds - default processing time. */
export const newDataset = (
  given: NewDataset,
  { processingTimeSeconds }: { readonly processingTimeSeconds: number },
  newId: () => string,
  now: number,
): Dataset => ({
  ...given,
  processingTimeSeconds: given.processingTimeSeconds ?? processingTimeSeconds,
  uuid: given.uuid ?? newId(),
  createdAt: given.createdAt ?? now,
  processed: false,
});

/** Processing status of a dataset. */
export type DatasetStatus = "processing" | "done" | "failed";

export function datasetStatusAt(dataset: Dataset, now: number): DatasetStatus {
  if (!dataset.processed && !hasPassed(dataset.createdAt, dataset.processingTimeSeconds, now))
    return "processing";
  return dataset.generationFailureMessage === null ? "done" : "failed";
}

/** A created OAuth 2.0 client credential. */
export interface ClientCredential {
  /** User name for HTTP Basic authentication. */
  readonly clientId: string;
  /** Password for HTTP Basic authentication. */
  readonly clientSecret: string;
  /** Scopes that its tokens may have. */
  readonly scopes: readonly string[];
  /** The database that requests with its tokens belong to: in the journal, and for faults. Default: none. */
  readonly databaseName?: string | undefined;
}

const listed = { clientId: pathName, clientSecret: text, scopes: listOf(text) };

export const credentialRecord = z.lazy(() =>
  record<ClientCredential>({ ...listed, databaseName: z.optional(text) }),
);

export const postedCredential = wireForm(credentialRecord);

export const credentialJson = wireForm(z.lazy(() => record<Omit<ClientCredential, "databaseName">>(listed)));

export const MAX_CLIENT_CREDENTIALS = 100;
