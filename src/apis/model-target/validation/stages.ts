import type { DatasetFamily } from "../../../domain/dataset.ts";
import type { JsonObject } from "../../../http/request-body.ts";
import type { Profile } from "../../../profiles.ts";
import { modelCounts, uniqueNames } from "./counts.ts";
import { type DatasetRequest, readDatasetRequest } from "./dataset-request.ts";
import { enumerations } from "./enumerations.ts";
import type { Finding } from "./finding.ts";
import { missingInModels, modelSources, modelStrings } from "./models.ts";
import { configurations, declaredStates, statesEntries, statesTypes } from "./states.ts";
import { missingTopLevel, topLevelTypes } from "./top-level.ts";
import { viewPositions, views } from "./views.ts";

type Stage = (request: DatasetRequest) => readonly Finding[];

/** The stages of protocol section 9, in order. */
const stagesUnder = ({ modelCountsReported }: Profile): readonly Stage[] => [
  ({ fields }) => missingTopLevel(fields), // 1
  topLevelTypes, // 2
  ...(modelCountsReported === "afterTypes" ? [modelCounts] : []), // 10, one half
  missingInModels, // 3
  modelSources, // 4
  modelStrings, // 5
  enumerations, // 6
  views, // 7
  viewPositions, // 8
  statesTypes, // 9a
  statesEntries, // 9b
  configurations, // 9c
  declaredStates, // 9d
  modelCountsReported === "last" // 10
    ? (request) => [...uniqueNames(request), ...modelCounts(request)]
    : uniqueNames,
];

/** Everything that the first stage with a finding has to say about a creation request; nothing when it is valid. */
export function findingsIn(fields: JsonObject, family: DatasetFamily, profile: Profile): readonly Finding[] {
  const request = readDatasetRequest(fields, family, profile);
  for (const stage of stagesUnder(profile)) {
    const findings = stage(request);
    if (findings.length > 0) return findings;
  }
  return [];
}
