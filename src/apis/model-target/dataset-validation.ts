import type { Profile } from "../../emulator/profiles.ts";
import type { JsonObject } from "../../schema/kernel/values.ts";
import type { DatasetTypeName } from "../../schema/model-target.ts";
import {
  type DatasetRequest,
  expected,
  type Finding,
  MOST_MODELS,
  missing,
  readDatasetRequest,
} from "./dataset-request.ts";
import {
  configurations,
  declaredStates,
  enumerations,
  missingInModels,
  modelSources,
  modelStrings,
  statesEntries,
  statesTypes,
  viewPositions,
  views,
} from "./model-validation.ts";

const TOP_LEVEL = [
  { key: "models", type: "jsarray", fits: Array.isArray },
  { key: "name", type: "jsstring", fits: isString },
  { key: "targetSdk", type: "jsstring", fits: isString },
] as const;

function isString(value: unknown): boolean {
  return typeof value === "string";
}

/** Required fields of a request. */
export const missingTopLevel = (fields: JsonObject): readonly Finding[] =>
  TOP_LEVEL.filter(({ key }) => !Object.hasOwn(fields, key)).map(({ key }) => missing(`/${key}`));

/** Their types. */
export const topLevelTypes = ({ fields }: DatasetRequest): readonly Finding[] =>
  TOP_LEVEL.filter(({ key, fits }) => !fits(fields[key])).map(({ key, type }) =>
    expected(`/${key}`, type, fields[key]),
  );

/** Counts: the profile decides their place among the stages. */
export function modelCounts({ family, models: { length } }: DatasetRequest): readonly Finding[] {
  const reason = (wanted: string) => `models has ${length} entries; expected ${wanted}`;
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

/** Names: by profile; reported last, before the counts if these are last too. */
export function uniqueNames({ family, models }: DatasetRequest): readonly Finding[] {
  const names = new Set(models.map(({ fields }) => fields.name));
  return family === "STANDARD" || names.size === models.length
    ? []
    : [
        {
          message: "names of models must be unique within a Target.",
          reason: `models has ${models.length} entries with ${names.size} different names; each needs a unique name`,
        },
      ];
}

type Stage = (request: DatasetRequest) => readonly Finding[];

/** The stages of validation, in order; see README.md. */
const stagesUnder = ({ modelCountsReported, modelNamesUnique }: Profile): readonly Stage[] => [
  ({ fields }) => missingTopLevel(fields),
  topLevelTypes,
  ...(modelCountsReported === "afterTypes" ? [modelCounts] : []),
  missingInModels,
  modelSources,
  modelStrings,
  enumerations,
  views,
  viewPositions,
  statesTypes,
  statesEntries,
  configurations,
  declaredStates,
  (request) => [
    ...(modelNamesUnique ? uniqueNames(request) : []),
    ...(modelCountsReported === "last" ? modelCounts(request) : []),
  ],
];

/** All findings of the first stage that has any; none when the request is valid. */
export function findingsIn(
  fields: JsonObject,
  family: DatasetTypeName,
  profile: Profile,
): readonly Finding[] {
  const request = readDatasetRequest(fields, family, profile);
  for (const stage of stagesUnder(profile)) {
    const findings = stage(request);
    if (findings.length > 0) return findings;
  }
  return [];
}
