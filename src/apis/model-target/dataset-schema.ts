import { described, listOf, oneOf, openObject, text } from "../../emulator/json-schema.ts";
import type { Profile } from "../../emulator/profiles.ts";
import type { JsonSchema } from "../../emulator/response.ts";
import type { DatasetTypeName } from "../../schema/dataset.ts";

export const MOST_MODELS = 20;
export const WHEN = ["never", "always", "auto"];
export const OPTIMIZATIONS = ["default", "low_feature_objects", "ar_controller"];
export const APPEARANCES = ["true", "false", "auto"];

/** A request that creates a dataset, as the OpenAPI document shows it; dataset-validation.ts has the rules. */
export function datasetRequestSchema(
  family: DatasetTypeName,
  { datasetViewsRequired, cadDataFormats }: Profile,
): JsonSchema {
  const vector = listOf({ type: "number" });
  const view = openObject(
    { name: text },
    {
      guideViewPosition: described(
        openObject({ rotation: vector, translation: vector }),
        "Required in models with stateBasedConfigurationJsonString.",
      ),
      states: listOf(text),
    },
  );
  const views = { views: listOf(view) };
  const model = openObject(
    { name: text, ...(datasetViewsRequired && views) },
    {
      ...views,
      cadDataUrl: described(text, "Exactly one of the sources must be given."),
      cadDataBlob: text,
      cadDataUuid: text,
      cadDataFormat: cadDataFormats === null ? text : oneOf(cadDataFormats),
      automaticColoring: oneOf(WHEN),
      simplify: oneOf(WHEN),
      optimizeTrackingFor: oneOf(OPTIMIZATIONS),
      ...(family === "ADVANCED" && { realisticAppearance: oneOf(APPEARANCES) }),
      stateBasedConfigurationJsonString: described(text, "JSON as text."),
    },
  );
  return openObject({
    name: described(text, "May be empty."),
    targetSdk: text,
    models: { ...listOf(model), minItems: 1, maxItems: family === "STANDARD" ? 1 : MOST_MODELS },
  });
}
