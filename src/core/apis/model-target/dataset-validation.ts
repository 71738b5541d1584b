import type { Profile } from "../../emulator/profiles.ts";
import { isJsonObject, type JsonObject } from "../../general/json.ts";
import { bounded, isUnset, show } from "../../general/text.ts";
import { type AnyCause, cause } from "../../schema/causes/causes.ts";
import type { DatasetTypeName } from "../../schema/model-target.ts";
import {
  APPEARANCES,
  entriesOf,
  type Finding,
  findingsOfField,
  inModels,
  inViews,
  isGiven,
  isStateBased,
  MOST_MODELS,
  missing,
  modelsIn,
  OPTIMIZATIONS,
  type Stage,
  typed,
  WHEN,
} from "./dataset-request.ts";
import { configurations, declaredStates, statesEntries, statesTypes } from "./dataset-states.ts";

const TOP_LEVEL = { models: "jsarray", name: "jsstring", targetSdk: "jsstring" } as const;

export const missingTopLevel = (fields: JsonObject): readonly Finding[] =>
  Object.keys(TOP_LEVEL)
    .filter((key) => !isGiven(fields, key))
    .map((key) => missing(`/${key}`));

const topLevelTypes: Stage = ({ fields }) =>
  Object.entries(TOP_LEVEL).flatMap(([key, type]) => typed(`/${key}`, type, fields[key]));

/** Counts: the profile decides their place among the stages. */
const modelCounts: Stage = ({ family, models: { length } }) => {
  const [most, wanted] = family === "STANDARD" ? [1, "exactly one"] : [MOST_MODELS, `1 to ${MOST_MODELS}`];
  if (length >= 1 && length <= most) return [];
  const tooMany = `total number of models must be maximum ${MOST_MODELS}`;
  const ofAdvanced = length > most ? tooMany : "models must contain at least one entry";
  const message = family === "STANDARD" ? "exactly one model should be provided" : ofAdvanced;
  return [
    {
      message,
      why: () => cause("dataset.models", { path: "/models", models: length, expected: wanted }),
    },
  ];
};

/** Names: by profile; reported last, before the counts if these are last too. */
const uniqueNames: Stage = ({ family, models }) => {
  const { size } = new Set(models.map(({ fields }) => fields.name));
  if (family === "STANDARD" || size === models.length) return [];
  const facts = { path: "/models", models: models.length, different: size };
  return [
    {
      message: "names of models must be unique within a Target.",
      why: () => cause("dataset.names", facts),
    },
  ];
};

const missingInModels = inModels((model, { profile }) =>
  (profile.datasetViewsRequired ? ["name", "views"] : ["name"])
    .filter((key) => !isGiven(model.fields, key))
    .map((key) => missing(`${model.path}/${key}`)),
);

/** Exactly one source of CAD data. */
const modelSources = inModels((model, { profile }) => {
  const sources = ["cadDataBlob", "cadDataUrl", ...(profile.cadDataUuidIsSource ? ["cadDataUuid"] : [])];
  const given = sources.filter((source) => isGiven(model.fields, source));
  if (given.length === 1) return [];
  const wanted = given.length === 0 ? "One of" : "Only one of";
  const listed = sources.map((source) => `\`${source}\``).join(", ");
  const { name } = model.fields;
  // Types are checked later, so a name may still be anything.
  const shown = typeof name === "string" ? bounded(name) : show(name);
  return [
    {
      message: `model '${shown}' is invalid. ${wanted} ${listed} need to be provided`,
      why: () =>
        cause("dataset.source", {
          path: model.path,
          sources: sources.join(", "),
          given: given.join(", ") || "none",
        }),
    },
  ];
});

/** Whether a family reads a field; others may hold anything in it. */
const isRead = (key: string, family: DatasetTypeName): boolean =>
  key !== "realisticAppearance" || family === "ADVANCED";

/** Fields that newer engines no longer support: by profile, they are refused whatever their value. */
const isUnsupported = (key: string, { trackingHintsSupported }: Profile): boolean =>
  !trackingHintsSupported && (key === "motionHint" || key === "trackingMode");

/** Adds findings for a string, whose type an earlier stage has checked. */
type Rule = (value: string, path: string, profile: Profile) => readonly Finding[];

const refused = (path: string, value: string, allowed: readonly string[], message: string): Finding[] => [
  {
    message,
    why: () => cause("dataset.value", { path, given: show(value), accepted: allowed.join(", ") }),
  },
];

const anyOf =
  (allowed: readonly string[], message: (value: string, path: string) => string): Rule =>
  (value, path) =>
    allowed.includes(value) ? [] : refused(path, value, allowed, message(value, path));

const when = (key: string, shown: (value: string) => string): Rule => {
  const listed = WHEN.map((value) => `'${value}'`).join(", ");
  const rule = `invalid ${key}. Should be one of ${listed}. You provided`;
  return anyOf(WHEN, (value) => `${rule} '${shown(value)}'`);
};

const trackingHint = (...allowed: string[]): Rule =>
  anyOf(allowed, (_value, path) => `${path}: error.expected.validenum`);

const cadDataFormat: Rule = (value, path, { cadDataFormats }) => {
  const format = value.toUpperCase();
  if (cadDataFormats === null || cadDataFormats.includes(format)) return [];
  const message = `Unrecognized cadDataFormat '${format}'.  Allowed values are: ${cadDataFormats.join(", ")}, or specify no cadDataFormat to auto-detect GLB and zipped glTFs.`;
  return refused(path, value, cadDataFormats, message);
};

const RULES: Readonly<Record<string, Rule>> = {
  automaticColoring: when("automaticColoring", (value) => value),
  cadDataFormat,
  motionHint: trackingHint("static", "dynamic", "adaptive"),
  optimizeTrackingFor: anyOf(
    OPTIMIZATIONS,
    () => "`optimizeTrackingFor` must be one of default,low_feature_objects,ar_controller",
  ),
  realisticAppearance: anyOf(
    APPEARANCES,
    () => '`realisticAppearance` must be one of "true", "false", "auto".` ',
  ),
  simplify: when("simplify", (value) => `Some(${value})`),
  trackingMode: trackingHint("default", "car", "scan"),
};

/** In the order in which they are reported. */
const STRINGS = [
  ...Object.keys(RULES),
  ...["cadDataBlob", "cadDataUrl", "name", "stateBasedConfigurationJsonString"],
].sort();

const modelStrings = inModels((model, { family, profile }) =>
  STRINGS.filter((key) => isRead(key, family) && !isUnsupported(key, profile)).flatMap((key) =>
    findingsOfField(model, key, "jsstring", false),
  ),
);

const unsupported = (path: string): Finding => ({
  message:
    "`motionHint` and `trackingMode` are no longer supported when using `targetsSdk` 10.9 or later. Please use the `optimizeTrackingFor` setting instead.",
  why: () => cause("dataset.unsupported", { path }),
});

/** Enumerated fields, and `views` is an array. */
const enumerations = inModels((model, { family, profile }) => [
  ...Object.entries(RULES).flatMap(([key, rule]) => {
    const path = `${model.path}/${key}`;
    if (isUnsupported(key, profile) && isGiven(model.fields, key)) return unsupported(path);
    const value = model.fields[key];
    return typeof value === "string" && isRead(key, family) ? rule(value, path, profile) : [];
  }),
  ...findingsOfField(model, "views", "jsarray", false),
]);

const viewFields = inViews((view, model) => [
  ...findingsOfField(view, "guideViewPosition", "jsobject", isStateBased(model)),
  ...findingsOfField(view, "name", "jsstring", true),
]);

const viewPositions = inViews(({ path, fields: { guideViewPosition } }) => {
  if (!isJsonObject(guideViewPosition)) return [];
  const position = { path: `${path}/guideViewPosition`, fields: guideViewPosition };
  return ["rotation", "translation"].flatMap((key) => [
    ...findingsOfField(position, key, "jsarray", true),
    ...entriesOf(position, key).flatMap((value, index) =>
      typed(`${position.path}/${key}(${index})`, "jsnumber", value),
    ),
  ]);
});

/** The stages of validation, in order; see README.md. */
const stagesUnder = ({ modelCountsReported, modelNamesUnique }: Profile): readonly Stage[] => [
  ({ fields }) => missingTopLevel(fields),
  topLevelTypes,
  ...(modelCountsReported === "afterTypes" ? [modelCounts] : []),
  missingInModels,
  modelSources,
  modelStrings,
  enumerations,
  viewFields,
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
  const request = { family, profile, fields, models: modelsIn(fields) };
  for (const stage of stagesUnder(profile)) {
    const findings = stage(request);
    if (findings.length > 0) return findings;
  }
  return [];
}

/** Says what of an accepted request is probably a mistake. */
export function remarkOnRequest(fields: JsonObject): AnyCause | undefined {
  if (typeof fields.name === "string" && fields.name !== "" && isUnset(fields.name))
    return cause("text.unset", { field: "name", text: fields.name });
  for (const { path, fields: model } of modelsIn(fields)) {
    const { cadDataUrl: url, cadDataBlob: blob } = model;
    if (typeof url === "string" && !/^https?:\/\//i.test(url))
      return cause("dataset.cad-data", { path: `${path}/cadDataUrl`, given: show(url), isDataUri: false });
    if (typeof blob === "string" && /^data:/i.test(blob))
      return cause("dataset.cad-data", { path: `${path}/cadDataBlob`, given: show(blob), isDataUri: true });
  }
  return undefined;
}
