import { parseJson } from "../../emulator/json.ts";
import type { Profile } from "../../emulator/profiles.ts";
import { show } from "../../emulator/text.ts";
import { isJsonObject, type JsonObject } from "../../schema/kernel/values.ts";
import {
  APPEARANCES,
  type DatasetRequest,
  expected,
  type Finding,
  isGiven,
  isStateBased,
  type Model,
  missing,
  OPTIMIZATIONS,
  type Part,
  WHEN,
} from "./dataset-request.ts";

/** Required fields of a model. */
export const missingInModels = ({ models, profile }: DatasetRequest): readonly Finding[] =>
  models.flatMap((model) =>
    (profile.datasetViewsRequired ? ["name", "views"] : ["name"])
      .filter((key) => !isGiven(model, key))
      .map((key) => missing(`${model.path}/${key}`)),
  );

/** Exactly one source of CAD data. */
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

/** String fields of the models. */
export const modelStrings = ({ models, family, profile }: DatasetRequest): readonly Finding[] =>
  models.flatMap((model) =>
    STRINGS.filter((key) => isGiven(model, key) && typeof model.fields[key] !== "string")
      .filter((key) => key !== "realisticAppearance" || family === "ADVANCED")
      .filter((key) => !isUnsupported(key, profile))
      .map((key) => expected(`${model.path}/${key}`, "jsstring", model.fields[key])),
  );

/** What is wrong with a field's value; undefined when it is valid. An earlier stage made sure that it is a string. */
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

/** Enumerated fields, and `views` is an array. */
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

/** Fields of the views. */
export const views = ({ models }: DatasetRequest): readonly Finding[] =>
  models.flatMap((model) =>
    model.views.flatMap((view) => [
      ...field(view, "guideViewPosition", isStateBased(model), "jsobject", isJsonObject),
      ...field(view, "name", true, "jsstring", (value) => typeof value === "string"),
    ]),
  );

/** The vectors of a view's position. */
export const viewPositions = ({ models }: DatasetRequest): readonly Finding[] =>
  models.flatMap((model) =>
    model.views.flatMap((view) => ["rotation", "translation"].flatMap(vectorIn(view))),
  );

const vectorIn =
  ({ path, fields: { guideViewPosition } }: Part) =>
  (key: string): readonly Finding[] => {
    if (!isJsonObject(guideViewPosition)) return [];
    const position = { path: `${path}/guideViewPosition`, fields: guideViewPosition };
    const wrong = field(position, key, true, "jsarray", Array.isArray);
    const vector = guideViewPosition[key];
    if (wrong.length > 0 || !Array.isArray(vector)) return wrong;
    return vector.flatMap((value: unknown, index) =>
      typeof value === "number" ? [] : [expected(`${position.path}/${key}(${index})`, "jsnumber", value)],
    );
  };

function field(
  part: Part,
  key: string,
  required: boolean,
  type: "jsstring" | "jsobject" | "jsarray",
  fits: (value: unknown) => boolean,
): readonly Finding[] {
  const path = `${part.path}/${key}`;
  if (!isGiven(part, key)) return required ? [missing(path)] : [];
  const value = part.fields[key];
  return fits(value) ? [] : [expected(path, type, value)];
}

/** A view's `states` is an array. */
export const statesTypes = ({ models }: DatasetRequest): readonly Finding[] =>
  viewsWithStates(models).flatMap(({ path, fields: { states } }) =>
    Array.isArray(states) ? [] : [expected(`${path}/states`, "jsarray", states)],
  );

/** The array holds strings. */
export const statesEntries = ({ models }: DatasetRequest): readonly Finding[] =>
  viewsWithStates(models).flatMap((view) =>
    statesOf(view).flatMap((state, index) =>
      typeof state === "string" ? [] : [expected(`${view.path}/states(${index})`, "jsstring", state)],
    ),
  );

/** Configurations are JSON and declare states. */
export const configurations = ({ models }: DatasetRequest): readonly Finding[] =>
  models.filter(isStateBased).flatMap((model) => {
    const path = configurationPath(model);
    const configuration = configurationOf(model);
    if (configuration === undefined) {
      return [
        { message: `${path}: error.expected.validjson`, reason: `${path} must be the text of a JSON object` },
      ];
    }
    const states = isJsonObject(configuration.value) ? configuration.value.states : undefined;
    return isJsonObject(states) ? [] : [expected(`${path}/states`, "jsobject", states)];
  });

/** Views name only states that their model declares. */
export const declaredStates = ({ models }: DatasetRequest): readonly Finding[] =>
  models.flatMap((model) => {
    const declared = declaredBy(model);
    return viewsWithStates([model]).flatMap((view) => {
      if (declared !== undefined) return undeclaredIn(view, declared);
      return statesOf(view).length === 0 ? [] : [withoutConfiguration(model, view)];
    });
  });

const viewsWithStates = (models: readonly Model[]): readonly Part[] =>
  models.flatMap((model) => model.views.filter((view) => isGiven(view, "states")));

const statesOf = ({ fields: { states } }: Part): readonly unknown[] => (Array.isArray(states) ? states : []);

const configurationPath = ({ path }: Model): string => `${path}/stateBasedConfigurationJsonString`;

/** In characters. Of a longer one, only the beginning is read, which is not valid JSON. */
const LONGEST_CONFIGURATION = 2 ** 18;

/** Several stages need it. */
const parsedConfigurations = new WeakMap<Model, ReturnType<typeof parseJson>>();

/** The model's parsed configuration; undefined when it has none, or it is not valid JSON. */
function configurationOf(model: Model): { readonly value: unknown } | undefined {
  const text = model.fields.stateBasedConfigurationJsonString;
  if (typeof text !== "string") return undefined;
  const parsed = parsedConfigurations.get(model) ?? parseJson(text.slice(0, LONGEST_CONFIGURATION));
  parsedConfigurations.set(model, parsed);
  return parsed.error === undefined ? parsed : undefined;
}

function declaredBy(model: Model): JsonObject | undefined {
  const configuration = configurationOf(model)?.value;
  const states = isJsonObject(configuration) ? configuration.states : undefined;
  return isJsonObject(states) ? states : undefined;
}

function withoutConfiguration(model: Model, view: Part): Finding {
  const path = configurationPath(model);
  return {
    message: `${missing(path).message} when view states are given`,
    reason: `${view.path} has states, so its model needs stateBasedConfigurationJsonString`,
  };
}

function undeclaredIn(view: Part, declared: JsonObject): readonly Finding[] {
  const states = show(Object.keys(declared).join(", "));
  return statesOf(view)
    .filter((state) => typeof state !== "string" || !Object.hasOwn(declared, state))
    .map((state) => ({
      message: `states in entrypoint ${String(view.fields.name)}' must be a subset of all states`,
      get reason() {
        return `${view.path}/states has ${show(state)}; its model declares ${states}`;
      },
    }));
}
