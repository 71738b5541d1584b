import type { Profile } from "../../emulator/profiles.ts";
import { show } from "../../emulator/text.ts";
import {
  type DatasetRequest,
  expected,
  type Finding,
  isGiven,
  type Model,
  missing,
} from "./dataset-request.ts";
import { APPEARANCES, OPTIMIZATIONS, WHEN } from "./dataset-schema.ts";

/** Stage 3: required fields of a model. */
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
    const listed = sources.map((source) => `\`${source}\``).join(", ");
    return [
      {
        message: `model '${nameOf(model)}' is invalid. ${wanted} ${listed} need to be provided`,
        reason: `${model.path} must have exactly one of ${sources.join(", ")}; got ${given.join(", ") || "none"}`,
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

/** Stage 5: string fields of the models. */
export const modelStrings = ({ models, family, profile }: DatasetRequest): readonly Finding[] =>
  models.flatMap((model) =>
    STRINGS.filter((key) => isGiven(model, key) && typeof model.fields[key] !== "string")
      .filter((key) => key !== "realisticAppearance" || family === "ADVANCED")
      .filter((key) => !isUnsupported(key, profile))
      .map((key) => expected(`${model.path}/${key}`, "jsstring", model.fields[key])),
  );

/** What is wrong with a field's value; undefined when it is valid. Stage 5 made sure that it is a string. */
type Rule = (value: string, path: string, request: DatasetRequest) => Finding | undefined;

const anyOf =
  (allowed: readonly string[], message: (value: string, path: string) => string): Rule =>
  (value, path) =>
    allowed.includes(value) ? undefined : refusedValue(path, value, allowed, message(value, path));

const refusedValue = (path: string, value: string, allowed: readonly string[], message: string): Finding => ({
  message,
  reason: `${path} is ${show(value)}; expected one of ${allowed.join(", ")}`,
});

const LISTED_WHEN = WHEN.map((value) => `'${value}'`).join(", ");

const cadDataFormat: Rule = (value, path, { profile: { cadDataFormats } }) => {
  const format = value.toUpperCase();
  if (cadDataFormats === null || cadDataFormats.includes(format)) return undefined;
  const message = `Unrecognized cadDataFormat '${format}'.  Allowed values are: ${cadDataFormats.join(", ")}, or specify no cadDataFormat to auto-detect GLB and zipped glTFs.`;
  return refusedValue(path, value, cadDataFormats, message);
};

const trackingHint = (allowed: readonly string[]): Rule =>
  anyOf(allowed, (_value, path) => `${path}: error.expected.validenum`);

const realisticAppearance = anyOf(
  APPEARANCES,
  () => '`realisticAppearance` must be one of "true", "false", "auto".` ',
);

/** In the order in which they are reported. */
const RULES: readonly (readonly [field: string, rule: Rule])[] = [
  [
    "automaticColoring",
    anyOf(
      WHEN,
      (value) => `invalid automaticColoring. Should be one of ${LISTED_WHEN}. You provided '${value}'`,
    ),
  ],
  ["cadDataFormat", cadDataFormat],
  ["motionHint", trackingHint(["static", "dynamic", "adaptive"])],
  [
    "optimizeTrackingFor",
    anyOf(
      OPTIMIZATIONS,
      () => "`optimizeTrackingFor` must be one of default,low_feature_objects,ar_controller",
    ),
  ],
  [
    "realisticAppearance",
    (value, path, request) =>
      request.family === "ADVANCED" ? realisticAppearance(value, path, request) : undefined,
  ],
  [
    "simplify",
    anyOf(
      WHEN,
      (value) => `invalid simplify. Should be one of ${LISTED_WHEN}. You provided 'Some(${value})'`,
    ),
  ],
  ["trackingMode", trackingHint(["default", "car", "scan"])],
];

/** Fields that newer engines no longer support: by profile, they are refused whatever their value. */
const isUnsupported = (field: string, { trackingHintsSupported }: Profile): boolean =>
  !trackingHintsSupported && (field === "motionHint" || field === "trackingMode");

const unsupported = ({ path }: Model, field: string): Finding => ({
  message:
    "`motionHint` and `trackingMode` are no longer supported when using `targetsSdk` 10.9 or later. Please use the `optimizeTrackingFor` setting instead.",
  reason: `${path}/${field} is not supported under this profile: remove it, or use optimizeTrackingFor`,
});

/** Stage 6: enumerated fields, and `views` is an array. */
export const enumerations = (request: DatasetRequest): readonly Finding[] =>
  request.models.flatMap((model) => [
    ...RULES.flatMap(([field, rule]) => {
      const value = model.fields[field];
      if (isUnsupported(field, request.profile) && isGiven(model, field)) return unsupported(model, field);
      return typeof value === "string" ? (rule(value, `${model.path}/${field}`, request) ?? []) : [];
    }),
    ...viewsType(model),
  ]);

function viewsType({ path, fields }: Model): readonly Finding[] {
  const { views } = fields;
  return views === undefined || Array.isArray(views) ? [] : [expected(`${path}/views`, "jsarray", views)];
}
