import type { Profile } from "../emulator/profiles.ts";
import {
  accepted,
  advanced,
  byProfile,
  dataset,
  expected,
  type Fields,
  model,
  ofModel,
  refused,
  required,
  without,
} from "./kinds.ts";
import type { Draft } from "./requests.ts";
import type { Row } from "./row.ts";

const MISSING = ["/models", "/name", "/targetSdk"].map(required);

const requests: readonly Row<Draft>[] = [
  accepted("one model", dataset()),
  accepted("other fields", { ...dataset(model({ anything: [{}] })), more: null }),
  accepted("an empty name", { ...dataset(), name: "" }),
  refused("an empty object", {}, ...MISSING),
  refused("null", null, ...MISSING),
  refused("an array", [dataset()], ...MISSING),
  refused("no models", without(dataset(), "models"), required("/models")),
  refused("no name", without(dataset(), "name"), required("/name")),
  refused("no targetSdk", without(dataset(), "targetSdk"), required("/targetSdk")),
  refused(
    "null in each field",
    { models: null, name: null, targetSdk: null },
    expected("/models", "jsarray"),
    expected("/name", "jsstring"),
    expected("/targetSdk", "jsstring"),
  ),
  refused("a boolean name", { ...dataset(), name: true }, expected("/name", "jsstring")),
  refused("a numeric targetSdk", { ...dataset(), targetSdk: 10.9 }, expected("/targetSdk", "jsstring")),
  refused(
    "models that are an object",
    { ...dataset(), models: { 0: model() } },
    expected("/models", "jsarray"),
  ),
  refused("a missing name and a wrong type", { models: {}, targetSdk: "10.9" }, required("/name")),
  refused("a wrong type and a wrong model", { ...dataset({}), name: 1 }, expected("/name", "jsstring")),
];

const sources = ({ cadDataUuidIsSource }: Profile): string =>
  `\`cadDataBlob\`, \`cadDataUrl\`${cadDataUuidIsSource ? ", `cadDataUuid`" : ""} need to be provided`;
const invalidModel =
  (words: string) =>
  (name = "engine") =>
  (profile: Profile): readonly string[] => [`model '${name}' is invalid. ${words} ${sources(profile)}`];
const oneOf = invalidModel("One of");
const onlyOneOf = invalidModel("Only one of");
const viewsToo = ({ datasetViewsRequired }: Profile): readonly string[] =>
  datasetViewsRequired ? [required(ofModel("views"))] : [];
const byUuid = (uuid: unknown): Fields => dataset(without(model({ cadDataUuid: uuid }), "cadDataUrl"));
const uuidAlone = (profile: Profile) => (profile.cadDataUuidIsSource ? [] : oneOf()(profile));

/** In alphabetical order, in which the findings are. */
const STRINGS = [
  "automaticColoring",
  "cadDataFormat",
  "cadDataUrl",
  "name",
  "optimizeTrackingFor",
  "simplify",
  "stateBasedConfigurationJsonString",
];

const models: readonly Row<Draft>[] = [
  refused("a model without a name", dataset(without(model(), "name")), required(ofModel("name"))),
  refused("a model without a name and a source", dataset({ views: [] }), required(ofModel("name"))),
  ...[null, 7, {}].map((content) =>
    byProfile(`the model ${JSON.stringify(content)}`, dataset(content), (profile) => [
      required(ofModel("name")),
      ...viewsToo(profile),
    ]),
  ),
  byProfile("a model without a source", dataset(without(model(), "cadDataUrl")), oneOf()),
  byProfile("a model with two sources", dataset(model({ cadDataBlob: "AA==" })), onlyOneOf()),
  byProfile(
    "two sources that are null",
    dataset(model({ cadDataUrl: null, cadDataBlob: null })),
    onlyOneOf(),
  ),
  accepted("a blob", dataset({ name: "engine", views: [], cadDataBlob: "AA==" })),
  byProfile("no source and a wrong string", dataset({ name: 5, views: [] }), oneOf("5")),
  byProfile("cadDataUuid as the only source", byUuid("x"), uuidAlone),
  byProfile("cadDataUuid of another type as the only source", byUuid(5), uuidAlone),
  byProfile("cadDataUuid and a source", dataset(model({ cadDataUuid: "x" })), (profile) =>
    profile.cadDataUuidIsSource ? onlyOneOf()(profile) : [],
  ),
  byProfile("a model without views", dataset(without(model(), "views")), viewsToo),
  byProfile("a model without views and a source", dataset({ name: "engine" }), (profile) =>
    profile.datasetViewsRequired ? viewsToo(profile) : oneOf()(profile),
  ),
  refused(
    "null in every string",
    dataset({
      ...Object.fromEntries(STRINGS.toReversed().map((name) => [name, null])),
      realisticAppearance: null,
      views: [],
    }),
    ...STRINGS.map((name) => expected(ofModel(name), "jsstring")),
  ),
  refused(
    "a numeric blob",
    dataset({ name: "engine", views: [], cadDataBlob: 1 }),
    expected(ofModel("cadDataBlob"), "jsstring"),
  ),
  refused(
    "a wrong string and a wrong enumeration",
    dataset(model({ name: 1, simplify: "often" })),
    expected(ofModel("name"), "jsstring"),
  ),
  ...advanced(
    refused(
      "two models without names",
      dataset(without(model(), "name"), model(), without(model(), "name")),
      required(ofModel("name")),
      required(ofModel("name", 2)),
    ),
    byProfile(
      "a model without a source and one with two",
      dataset({ name: "a", views: [] }, model({ name: "b", cadDataBlob: "" })),
      (profile) => [...oneOf("a")(profile), ...onlyOneOf("b")(profile)],
    ),
    refused(
      "a boolean realisticAppearance",
      dataset(model({ realisticAppearance: true })),
      expected(ofModel("realisticAppearance"), "jsstring"),
    ),
    refused(
      "wrong strings in two models",
      dataset(model({ simplify: 1, name: 1 }), model({ cadDataFormat: 1 })),
      expected(ofModel("name"), "jsstring"),
      expected(ofModel("simplify"), "jsstring"),
      expected(ofModel("cadDataFormat", 1), "jsstring"),
    ),
  ),
];

const invalidWhen = (field: string, value: string): string =>
  `invalid ${field}. Should be one of 'never', 'always', 'auto'. You provided '${value}'`;
const BAD_TRACKING = "`optimizeTrackingFor` must be one of default,low_feature_objects,ar_controller";
const BAD_APPEARANCE = '`realisticAppearance` must be one of "true", "false", "auto".` ';
const NO_HINTS =
  "`motionHint` and `trackingMode` are no longer supported when using `targetsSdk` 10.9 or later. Please use the `optimizeTrackingFor` setting instead.";

const HINTS: Readonly<Record<string, readonly string[]>> = {
  motionHint: ["static", "dynamic", "adaptive"],
  trackingMode: ["default", "car", "scan"],
};
const hint = (field: string, value: unknown, finding?: string): Row<Draft> =>
  byProfile(`${field} ${value}`, dataset(model({ [field]: value })), ({ trackingHintsSupported }) => {
    if (!trackingHintsSupported) return [NO_HINTS];
    return finding === undefined ? [] : [expected(ofModel(field), finding)];
  });
const format = (value: string, what = `cadDataFormat ${value}`): Row<Draft> =>
  byProfile(what, dataset(model({ cadDataFormat: value })), ({ cadDataFormats }) =>
    cadDataFormats?.includes(value.toUpperCase()) === false
      ? [
          `Unrecognized cadDataFormat '${value.toUpperCase()}'.  Allowed values are: ${cadDataFormats.join(", ")}, or specify no cadDataFormat to auto-detect GLB and zipped glTFs.`,
        ]
      : [],
  );
const field = (name: string, value: string): Row<Draft> =>
  accepted(`${name} ${value}`, dataset(model({ [name]: value })));

const enumerations: readonly Row<Draft>[] = [
  ...["always", "auto", "never"].flatMap((value) => [
    field("automaticColoring", value),
    field("simplify", value),
  ]),
  ...["default", "low_feature_objects", "ar_controller"].map((value) => field("optimizeTrackingFor", value)),
  refused(
    "another automaticColoring",
    dataset(model({ automaticColoring: "Auto" })),
    invalidWhen("automaticColoring", "Auto"),
  ),
  refused("another simplify", dataset(model({ simplify: "often" })), invalidWhen("simplify", "Some(often)")),
  refused("an empty simplify", dataset(model({ simplify: "" })), invalidWhen("simplify", "Some()")),
  refused("another optimizeTrackingFor", dataset(model({ optimizeTrackingFor: "cars" })), BAD_TRACKING),
  accepted("realisticAppearance in a standard dataset", dataset(model({ realisticAppearance: "x" }))),
  refused("views that are an object", dataset(model({ views: {} })), expected(ofModel("views"), "jsarray")),
  refused("views that are null", dataset(model({ views: null })), expected(ofModel("views"), "jsarray")),
  byProfile(
    "every enumeration wrong",
    dataset(
      model(
        Object.fromEntries(
          ["trackingMode", "simplify", "optimizeTrackingFor", "motionHint", "automaticColoring", "views"].map(
            (name) => [name, name === "views" ? 1 : "x"],
          ),
        ),
      ),
    ),
    ({ trackingHintsSupported }) => {
      const hinted = (name: string) =>
        trackingHintsSupported ? expected(ofModel(name), "validenum") : NO_HINTS;
      return [
        invalidWhen("automaticColoring", "x"),
        hinted("motionHint"),
        BAD_TRACKING,
        invalidWhen("simplify", "Some(x)"),
        hinted("trackingMode"),
        expected(ofModel("views"), "jsarray"),
      ];
    },
  ),
  refused(
    "a wrong enumeration and a wrong view",
    dataset(model({ simplify: "x", views: [{}] })),
    invalidWhen("simplify", "Some(x)"),
  ),
  ...Object.entries(HINTS).flatMap(([name, values]) => [
    ...values.map((value) => hint(name, value)),
    hint(name, "other", "validenum"),
    hint(name, 1, "jsstring"),
  ]),
  ...["ZIP", "GLB", "DRC_GLB", "DRC_GLTF", "DAE", "FBX", "IGES", "OBJ", "PVS", "PVZ", "STL", "VRML"].map(
    (name) => format(name),
  ),
  format("vrml", "cadDataFormat VRML in lower case"),
  format("step"),
  ...advanced(
    ...["auto", "false", "true"].map((value) => field("realisticAppearance", value)),
    refused("another realisticAppearance", dataset(model({ realisticAppearance: "TRUE" })), BAD_APPEARANCE),
    refused(
      "wrong enumerations in two models",
      dataset(model({ simplify: "x", realisticAppearance: "x" }), model({ automaticColoring: "y" })),
      BAD_APPEARANCE,
      invalidWhen("simplify", "Some(x)"),
      invalidWhen("automaticColoring", "y"),
    ),
  ),
];

/** Stages 1 to 6 of the validation, each with the findings that come together or first. */
export const DATASET_CASES: readonly Row<Draft>[] = [...requests, ...models, ...enumerations];
