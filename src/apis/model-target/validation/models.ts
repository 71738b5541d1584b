import { show } from "../../../http/show.ts";
import { type DatasetRequest, isGiven, type Model } from "./dataset-request.ts";
import { expected, type Finding, missing } from "./finding.ts";

/** Stage 3: what every model has. */
export const missingInModels = ({ models, profile }: DatasetRequest): readonly Finding[] =>
  models.flatMap((model) =>
    (profile.datasetViewsRequired ? ["name", "views"] : ["name"])
      .filter((key) => !isGiven(model, key))
      .map((key) => missing(`${model.path}/${key}`)),
  );

/** Stage 4: exactly one source of CAD data. */
export function modelSources({ models, profile }: DatasetRequest): readonly Finding[] {
  const sources = ["cadDataBlob", "cadDataUrl", ...(profile.cadDataUuidIsSource ? ["cadDataUuid"] : [])];
  return models.flatMap((model) => {
    const given = sources.filter((source) => isGiven(model, source));
    if (given.length === 1) return [];
    const wanted = given.length === 0 ? "One of" : "Only one of";
    return [
      {
        message: `model '${nameOf(model)}' is invalid. ${wanted} \`cadDataBlob\`, \`cadDataUrl\`, \`cadDataUuid\` need to be provided`,
        reason: `${model.path} must have exactly one of ${sources.join(", ")}, got ${given.join(", ") || "none"}`,
      },
    ];
  });
}

/** Types are checked later, so a name may still be anything. */
const nameOf = ({ fields: { name } }: Model): string => (typeof name === "string" ? name : show(name));

const STRINGS = [
  "automaticColoring",
  "cadDataBlob",
  "cadDataFormat",
  "cadDataUrl",
  "motionHint",
  "name",
  "optimizeTrackingFor",
  "realisticAppearance",
  "simplify",
  "stateBasedConfigurationJsonString",
  "trackingMode",
];

/** Stage 5: the models' strings. */
export const modelStrings = ({ models, family }: DatasetRequest): readonly Finding[] =>
  models.flatMap((model) =>
    STRINGS.filter((key) => isGiven(model, key) && typeof model.fields[key] !== "string")
      .filter((key) => key !== "realisticAppearance" || family === "ADVANCED")
      .map((key) => expected(`${model.path}/${key}`, "jsstring", model.fields[key])),
  );
