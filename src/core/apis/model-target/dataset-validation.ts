import type { Profile } from "../../emulator/profiles.ts";
import { isJsonObject, type JsonObject, type ParsedJson, parseJson } from "../../general/json.ts";
import { bounded, show } from "../../general/text.ts";
import { cause } from "../../schema/causes/causes.ts";
import type { DatasetTypeName } from "../../schema/model-target.ts";
import {
  APPEARANCES,
  type DatasetRequest,
  type Finding,
  findingsOfField,
  isGiven,
  isStateBased,
  MOST_MODELS,
  type Model,
  missing,
  modelsIn,
  OPTIMIZATIONS,
  type Part,
  typed,
  WHEN,
} from "./dataset-request.ts";

type Stage = (request: DatasetRequest) => readonly Finding[];

const inModels =
  (find: (model: Model, request: DatasetRequest) => readonly Finding[]): Stage =>
  (request) =>
    request.models.flatMap((model) => find(model, request));

const inViews = (find: (view: Part, model: Model) => readonly Finding[]): Stage =>
  inModels((model) => model.views.flatMap((view) => find(view, model)));

const TOP_LEVEL = { models: "jsarray", name: "jsstring", targetSdk: "jsstring" } as const;

export const missingTopLevel = (fields: JsonObject): readonly Finding[] =>
  Object.keys(TOP_LEVEL)
    .filter((key) => !isGiven({ fields }, key))
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
      get cause() {
        return cause("dataset.models", { path: "/models", models: length, expected: wanted });
      },
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
      get cause() {
        return cause("dataset.names", facts);
      },
    },
  ];
};

const missingInModels = inModels((model, { profile }) =>
  (profile.datasetViewsRequired ? ["name", "views"] : ["name"])
    .filter((key) => !isGiven(model, key))
    .map((key) => missing(`${model.path}/${key}`)),
);

/** Exactly one source of CAD data. */
const modelSources = inModels((model, { profile }) => {
  const sources = ["cadDataBlob", "cadDataUrl", ...(profile.cadDataUuidIsSource ? ["cadDataUuid"] : [])];
  const given = sources.filter((source) => isGiven(model, source));
  if (given.length === 1) return [];
  const wanted = given.length === 0 ? "One of" : "Only one of";
  const listed = sources.map((source) => `\`${source}\``).join(", ");
  const { name } = model.fields;
  // Types are checked later, so a name may still be anything.
  const shown = typeof name === "string" ? bounded(name) : show(name);
  return [
    {
      message: `model '${shown}' is invalid. ${wanted} ${listed} need to be provided`,
      get cause() {
        return cause("dataset.source", {
          path: model.path,
          sources: sources.join(", "),
          given: given.join(", ") || "none",
        });
      },
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
    get cause() {
      return cause("dataset.value", { path, given: show(value), accepted: allowed.join(", ") });
    },
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
  get cause() {
    return cause("dataset.unsupported", { path });
  },
});

/** Enumerated fields, and `views` is an array. */
const enumerations = inModels((model, { family, profile }) => [
  ...Object.entries(RULES).flatMap(([key, rule]) => {
    const path = `${model.path}/${key}`;
    if (isUnsupported(key, profile) && isGiven(model, key)) return unsupported(path);
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

/** The entries of an array; none when the field is anything else. */
function entriesOf({ fields }: Part, key: string): readonly unknown[] {
  const entries = fields[key];
  return Array.isArray(entries) ? entries : [];
}

const statesTypes = inViews((view) => findingsOfField(view, "states", "jsarray", false));

const statesEntries = inViews((view) =>
  entriesOf(view, "states").flatMap((state, index) =>
    typed(`${view.path}/states(${index})`, "jsstring", state),
  ),
);

const configurationPath = ({ path }: Model): string => `${path}/stateBasedConfigurationJsonString`;

/** In bytes besides long strings. More than for bodies: model files fill configurations. */
export const MOST_CONFIGURATION = 2 ** 23;

/** By the fields of their model: two stages read each. */
const configurationsRead = new WeakMap<JsonObject, ParsedJson>();

/** The model's parsed configuration; undefined when it has none, or it is not valid JSON. */
function configurationOf({ fields }: Model): { readonly value: unknown } | undefined {
  const text = fields.stateBasedConfigurationJsonString;
  if (typeof text !== "string") return undefined;
  const parsed = configurationsRead.get(fields) ?? parseJson(text, MOST_CONFIGURATION);
  configurationsRead.set(fields, parsed);
  return parsed.error === undefined ? parsed : undefined;
}

/** Configurations are JSON and declare states: later stages rely on it. */
const configurations = inModels((model) => {
  if (!isStateBased(model)) return [];
  const path = configurationPath(model);
  const configuration = configurationOf(model);
  return configuration === undefined
    ? [
        {
          message: `${path}: error.expected.validjson`,
          get cause() {
            return cause("dataset.configuration", { path });
          },
        },
      ]
    : typed(`${path}/states`, "jsobject", statesOf(configuration.value));
});

const statesOf = (configuration: unknown): unknown =>
  isJsonObject(configuration) ? configuration.states : undefined;

/** Views name only states that their model declares. */
const declaredStates = inModels((model) => {
  const views = model.views.filter((view) => entriesOf(view, "states").length > 0);
  if (views.length === 0) return [];
  const declared = statesOf(configurationOf(model)?.value);
  if (!isJsonObject(declared)) {
    const message = `${missing(configurationPath(model)).message} when view states are given`;
    return views.map(({ path }) => ({
      message,
      get cause() {
        return cause("dataset.stateless", { path });
      },
    }));
  }
  const states = show(Object.keys(declared).join(", "));
  return views.flatMap((view) =>
    entriesOf(view, "states")
      .filter((state) => !Object.hasOwn(declared, String(state)))
      .map((state) => ({
        message: `states in entrypoint ${bounded(String(view.fields.name))}' must be a subset of all states`,
        get cause() {
          return cause("dataset.states", {
            path: `${view.path}/states`,
            state: show(state),
            declared: states,
          });
        },
      })),
  );
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
