import type { DatasetRequest } from "./dataset-request.ts";
import type { Finding } from "./finding.ts";

const MOST_MODELS = 20;

/** Stage 10, numbers: its place among the stages is up to the profile. */
export function modelCounts({ family, models: { length } }: DatasetRequest): readonly Finding[] {
  const reason = (wanted: string) => `models has ${length} entries; accepted is ${wanted}`;
  if (family === "STANDARD") {
    return length === 1
      ? []
      : [{ message: "exactly one model should be provided", reason: reason("exactly one") }];
  }
  const wanted = reason(`1 to ${MOST_MODELS}`);
  if (length > MOST_MODELS)
    return [{ message: `total number of models must be maximum ${MOST_MODELS}`, reason: wanted }];
  return length === 0 ? [{ message: "models must contain at least one entry", reason: wanted }] : [];
}

/** Stage 10, names: reported last under every profile, before the numbers if these are last too. */
export function uniqueNames({ family, models }: DatasetRequest): readonly Finding[] {
  const names = new Set(models.map(({ fields }) => fields.name));
  return family === "STANDARD" || names.size === models.length
    ? []
    : [
        {
          message: "names of models must be unique within a Target.",
          reason: `models has ${models.length} entries with ${names.size} different names; each needs its own`,
        },
      ];
}
