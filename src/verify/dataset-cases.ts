import type { Profile } from "../core/profiles.ts";

/** A creation of a dataset, and the messages with which it is refused; none when it is accepted. */
export interface DatasetCase {
  readonly what: string;
  readonly body: unknown;
  readonly found: readonly string[] | ((profile: Profile) => readonly string[]);
  /** Default: that of standard datasets. */
  readonly path?: string;
}

const ADVANCED = "/modeltargets/advancedDatasets";

/** A model that both families and both profiles accept. */
const model = (changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  name: "engine",
  cadDataUrl: "https://cad.example/engine.glb",
  views: [],
  ...changes,
});
const dataset = (...models: unknown[]): Record<string, unknown> => ({
  name: "verify",
  targetSdk: "10.9",
  models: models.length === 0 ? [model()] : models,
});
const without = (record: Record<string, unknown>, key: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
const withViews = (...views: unknown[]) => dataset(model({ views }));

const required = (path: string): string => `${path}: element is required`;
const expected = (path: string, type: string): string => `${path}: error.expected.${type}`;
const modelField = (name: string): string => `/models(0)/${name}`;
const viewField = (name: string): string => `/models(0)/views(0)/${name}`;
const sources = ({ cadDataUuidIsSource }: Profile): string =>
  `\`cadDataBlob\`, \`cadDataUrl\`${cadDataUuidIsSource ? ", `cadDataUuid`" : ""} need to be provided`;
const invalidWhen = (field: string, value: string): string =>
  `invalid ${field}. Should be one of 'never', 'always', 'auto'. You provided '${value}'`;
const NO_HINTS =
  "`motionHint` and `trackingMode` are no longer supported when using `targetsSdk` 10.9 or later. Please use the `optimizeTrackingFor` setting instead.";

const refused = (what: string, body: unknown, ...found: readonly string[]): DatasetCase => ({
  what,
  body,
  found,
});
const byProfile = (
  what: string,
  body: unknown,
  found: (profile: Profile) => readonly string[],
): DatasetCase => ({
  what,
  body,
  found,
});
const hint = (field: string, value: string, accepted: boolean): DatasetCase =>
  byProfile(`${field} ${value}`, dataset(model({ [field]: value })), ({ trackingHintsSupported }) => {
    if (!trackingHintsSupported) return [NO_HINTS];
    return accepted ? [] : [expected(modelField(field), "validenum")];
  });

/** One or more cases for each stage of the validation. */
export const DATASET_CASES: readonly DatasetCase[] = [
  refused("an empty object", {}, required("/models"), required("/name"), required("/targetSdk")),
  refused("no models", without(dataset(), "models"), required("/models")),
  refused("no name", without(dataset(), "name"), required("/name")),
  refused("no targetSdk", without(dataset(), "targetSdk"), required("/targetSdk")),
  refused("a boolean name", { ...dataset(), name: true }, expected("/name", "jsstring")),
  refused("a numeric targetSdk", { ...dataset(), targetSdk: 10.9 }, expected("/targetSdk", "jsstring")),
  refused("models that are an object", { ...dataset(), models: {} }, expected("/models", "jsarray")),
  refused("a missing name and a wrong type", { models: {}, targetSdk: "10.9" }, required("/name")),
  refused("a model without a name", dataset(without(model(), "name")), required(modelField("name"))),
  byProfile("a model without a source", dataset(without(model(), "cadDataUrl")), (profile) => [
    `model 'engine' is invalid. One of ${sources(profile)}`,
  ]),
  byProfile("a model with two sources", dataset(model({ cadDataBlob: "AA==" })), (profile) => [
    `model 'engine' is invalid. Only one of ${sources(profile)}`,
  ]),
  byProfile(
    "cadDataUuid as the only source",
    dataset(without(model({ cadDataUuid: "x" }), "cadDataUrl")),
    (profile) =>
      profile.cadDataUuidIsSource ? [] : [`model 'engine' is invalid. One of ${sources(profile)}`],
  ),
  byProfile("a model without views", dataset(without(model(), "views")), ({ datasetViewsRequired }) =>
    datasetViewsRequired ? [required(modelField("views"))] : [],
  ),
  refused("a numeric model name", dataset(model({ name: 1 })), expected(modelField("name"), "jsstring")),
  refused(
    "a wrong string and a wrong enumeration",
    dataset(model({ name: 1, simplify: "often" })),
    expected(modelField("name"), "jsstring"),
  ),
  refused(
    "another automaticColoring",
    dataset(model({ automaticColoring: "Auto" })),
    invalidWhen("automaticColoring", "Auto"),
  ),
  refused("another simplify", dataset(model({ simplify: "often" })), invalidWhen("simplify", "Some(often)")),
  refused(
    "another optimizeTrackingFor",
    dataset(model({ optimizeTrackingFor: "cars" })),
    "`optimizeTrackingFor` must be one of default,low_feature_objects,ar_controller",
  ),
  refused(
    "views that are an object",
    dataset(model({ views: {} })),
    expected(modelField("views"), "jsarray"),
  ),
  hint("motionHint", "static", true),
  hint("motionHint", "other", false),
  hint("trackingMode", "car", true),
  hint("trackingMode", "other", false),
  byProfile("cadDataFormat STEP", dataset(model({ cadDataFormat: "step" })), ({ cadDataFormats }) =>
    cadDataFormats === null
      ? []
      : [
          `Unrecognized cadDataFormat 'STEP'.  Allowed values are: ${cadDataFormats.join(", ")}, or specify no cadDataFormat to auto-detect GLB and zipped glTFs.`,
        ],
  ),
  refused("a view without a name", withViews({}), required(viewField("name"))),
  refused("a numeric view name", withViews({ name: 1 }), expected(viewField("name"), "jsstring")),
  refused(
    "a position that is an array",
    withViews({ name: "front", guideViewPosition: [] }),
    expected(viewField("guideViewPosition"), "jsobject"),
  ),
  refused(
    "an empty position",
    withViews({ name: "front", guideViewPosition: {} }),
    required(viewField("guideViewPosition/rotation")),
    required(viewField("guideViewPosition/translation")),
  ),
  refused(
    "a text in a rotation",
    withViews({ name: "front", guideViewPosition: { rotation: [0, "0"], translation: [] } }),
    expected(viewField("guideViewPosition/rotation(1)"), "jsnumber"),
  ),
  refused(
    "states that are a text",
    withViews({ name: "front", states: "open" }),
    expected(viewField("states"), "jsarray"),
  ),
  refused(
    "a numeric state",
    withViews({ name: "front", states: [1] }),
    expected(viewField("states(0)"), "jsstring"),
  ),
  refused("two models", dataset(model(), model({ name: "second" })), "exactly one model should be provided"),
  {
    ...refused("no model", { ...dataset(), models: [] }, "models must contain at least one entry"),
    path: ADVANCED,
  },
  {
    ...refused(
      "another realisticAppearance",
      dataset(model({ realisticAppearance: "TRUE" })),
      '`realisticAppearance` must be one of "true", "false", "auto".` ',
    ),
    path: ADVANCED,
  },
  {
    ...byProfile("repeated names of models", dataset(model(), model()), ({ modelNamesUnique }) =>
      modelNamesUnique ? ["names of models must be unique within a Target."] : [],
    ),
    path: ADVANCED,
  },
];
