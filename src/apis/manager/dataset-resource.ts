import { DATASET_FAMILIES, type Dataset, type GenerationWarning } from "../../domain/dataset.ts";
import { anyText, jsonObject, jsonObjects, moment, oneOf, seconds, text } from "./field-kinds.ts";
import { type Fields, nullable, objectOf } from "./fields.ts";

/** A Model Target dataset as the target manager shows it (protocol section 10). */
export const datasetResource = (dataset: Dataset) => ({
  request_body: dataset.requestBody,
  dataset_type_name: dataset.family,
  processing_time_seconds: dataset.processingTimeSeconds,
  generation_failure_message: dataset.failureMessage,
  generation_warning: dataset.warning && {
    message: dataset.warning.message,
    details: dataset.warning.details,
  },
  uuid: dataset.uuid,
  created_at: new Date(dataset.createdAt).toISOString(),
});

const generationWarning = objectOf<GenerationWarning>("an object with message and details", (fields) => ({
  message: fields.required("message", anyText),
  details: fields.required("details", jsonObjects),
}));

/** What a new dataset is given; what is absent is left to the emulator. */
export const readDataset = (fields: Fields) => {
  const failureMessage = fields.optional("generation_failure_message", nullable(anyText)) ?? null;
  const warning = fields.optional("generation_warning", nullable(generationWarning)) ?? null;
  if (failureMessage !== null && warning !== null) {
    fields.absent("generation_warning", "either generation_failure_message or generation_warning, not both");
  }
  return {
    requestBody: fields.optional("request_body", jsonObject) ?? {},
    family: fields.optional("dataset_type_name", oneOf(DATASET_FAMILIES)) ?? DATASET_FAMILIES[0],
    processingTimeSeconds: fields.optional("processing_time_seconds", seconds),
    failureMessage,
    warning,
    uuid: fields.optional("uuid", text),
    createdAt: fields.optional("created_at", moment),
  };
};
