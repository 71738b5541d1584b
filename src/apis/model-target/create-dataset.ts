import type { Dataset, DatasetFamily } from "../../domain/dataset.ts";
import { endpoint } from "../../http/endpoint.ts";
import { modelTargetJson } from "../../responses/model-target.ts";
import type { Settings } from "../../services.ts";
import { creationChecks } from "./dataset-checks.ts";
import { FAMILY_PATHS } from "./family-paths.ts";

const DEFAULT_FAILURE = "Model Target dataset generation failed";
const DEFAULT_WARNING = {
  message: "Warning after creating dataset",
  details: [
    {
      code: "LOW_RECOGNITION_QUALITY",
      message: "The processed model appears to have substandard recognition quality.",
    },
  ],
};

/** `POST /modeltargets/…`: starts the training of a dataset. Protocol section 9. */
export const createDataset = (family: DatasetFamily) =>
  endpoint(
    "createDataset",
    "POST",
    FAMILY_PATHS[family],
    creationChecks(family),
    async ({ body, random, now, services: { store, settings } }) => {
      const uuid = random.hex(32);
      await store.createDataset({
        uuid,
        family,
        requestBody: body.fields,
        createdAt: now,
        processingTimeSeconds: settings.processingTimeSeconds,
        ...configuredOutcome(settings),
        processed: false,
      });
      return modelTargetJson(201, { uuid });
    },
  );

function configuredOutcome(settings: Settings): Pick<Dataset, "failureMessage" | "warning"> {
  const { modelTargetGenerationFailure: failure, modelTargetGenerationWarning: warning } = settings;
  return {
    failureMessage: failure === undefined ? null : (failure.message ?? DEFAULT_FAILURE),
    warning:
      warning === undefined
        ? null
        : {
            message: warning.message ?? DEFAULT_WARNING.message,
            details: warning.details ?? DEFAULT_WARNING.details,
          },
  };
}
