import { ADVANCED, dataset, model, STANDARD, withoutKeys } from "./requests.ts";
import {
  BAD_APPEARANCE,
  BAD_TRACKING,
  type Case,
  expected,
  invalidWhen,
  oneOf,
  onlyOneOf,
  required,
  table,
} from "./validation-table.ts";

table("stages 1 and 2: the request", [
  ["accepts a plain dataset", dataset(), []],
  ["accepts other fields", { ...dataset(model({ anything: [{}] })), more: null }, []],
  ["{}", {}, [required("/models"), required("/name"), required("/targetSdk")]],
  ["null", null, [required("/models"), required("/name"), required("/targetSdk")]],
  ["an array", [dataset()], [required("/models"), required("/name"), required("/targetSdk")]],
  ["no models", withoutKeys(dataset(), "models"), [required("/models")]],
  ["no name", withoutKeys(dataset(), "name"), [required("/name")]],
  ["no targetSdk", withoutKeys(dataset(), "targetSdk"), [required("/targetSdk")]],
  ["a missing name before a wrong type", { models: {}, targetSdk: "10.9" }, [required("/name")]],
  [
    "null counts as given",
    { models: null, name: null, targetSdk: null },
    [expected("/models", "jsarray"), expected("/name", "jsstring"), expected("/targetSdk", "jsstring")],
  ],
  ["a boolean name", { ...dataset(), name: true }, [expected("/name", "jsstring")]],
  ["a numeric targetSdk", { ...dataset(), targetSdk: 10.9 }, [expected("/targetSdk", "jsstring")]],
  ["models as an object", { ...dataset(), models: { 0: model() } }, [expected("/models", "jsarray")]],
  [
    "a wrong type before anything in the models",
    { ...dataset({}), name: 1 },
    [expected("/name", "jsstring")],
  ],
]);

table("stages 3 to 5: the models", [
  ["no name", dataset(withoutKeys(model(), "name")), [required("/models(0)/name")]],
  ["a missing name before sources", dataset({ views: [] }), [required("/models(0)/name")]],
  [
    "no source",
    dataset(withoutKeys(model(), "cadDataUrl")),
    (profile) => [`model 'engine' is invalid. ${oneOf(profile)}`],
  ],
  [
    "two sources",
    dataset(model({ cadDataBlob: "AA==" })),
    (profile) => [`model 'engine' is invalid. ${onlyOneOf(profile)}`],
  ],
  [
    "null sources count as given",
    dataset(model({ cadDataUrl: null, cadDataBlob: null })),
    (profile) => [`model 'engine' is invalid. ${onlyOneOf(profile)}`],
  ],
  ["accepts a blob", dataset({ name: "engine", views: [], cadDataBlob: "AA==" }), []],
  [
    "a source before wrong strings",
    dataset({ name: 5, views: [] }),
    (profile) => [`model '5' is invalid. ${oneOf(profile)}`],
  ],
  [
    "every string, in alphabetical order",
    dataset({
      ...Object.fromEntries(
        [
          "stateBasedConfigurationJsonString",
          "simplify",
          "optimizeTrackingFor",
          "name",
          "cadDataUrl",
          "cadDataFormat",
          "automaticColoring",
        ].map((key) => [key, null]),
      ),
      realisticAppearance: null,
      views: [],
    }),
    [
      "automaticColoring",
      "cadDataFormat",
      "cadDataUrl",
      "name",
      "optimizeTrackingFor",
      "simplify",
      "stateBasedConfigurationJsonString",
    ].map((key) => expected(`/models(0)/${key}`, "jsstring")),
  ],
  [
    "a blob that is not a string",
    dataset({ name: "engine", views: [], cadDataBlob: 1 }),
    [expected("/models(0)/cadDataBlob", "jsstring")],
  ],
  [
    "strings before enumerations",
    dataset(model({ name: 1, simplify: "often" })),
    [expected("/models(0)/name", "jsstring")],
  ],
]);

table(
  "stages 3 to 5 of advanced datasets",
  [
    [
      "by model",
      dataset(withoutKeys(model(), "name"), model(), withoutKeys(model(), "name")),
      [required("/models(0)/name"), required("/models(2)/name")],
    ],
    [
      "sources by model",
      dataset({ name: "a", views: [] }, model({ name: "b", cadDataBlob: "" })),
      (profile) => [`model 'a' is invalid. ${oneOf(profile)}`, `model 'b' is invalid. ${onlyOneOf(profile)}`],
    ],
    [
      "realisticAppearance must be a string",
      dataset(model({ realisticAppearance: true })),
      [expected("/models(0)/realisticAppearance", "jsstring")],
    ],
    [
      "by model, then by field",
      dataset(model({ simplify: 1, name: 1 }), model({ cadDataFormat: 1 })),
      [
        expected("/models(0)/name", "jsstring"),
        expected("/models(0)/simplify", "jsstring"),
        expected("/models(1)/cadDataFormat", "jsstring"),
      ],
    ],
  ],
  ADVANCED,
);

table(
  "stages 3 and 4 by profile",
  [
    ["a model that is not an object counts as {}", dataset(null), [required("/models(0)/name")]],
    ["views may be left out", dataset(withoutKeys(model(), "views")), []],
    [
      "cadDataUuid is not a source",
      dataset(withoutKeys(model({ cadDataUuid: "x" }), "cadDataUrl")),
      (profile) => [`model 'engine' is invalid. ${oneOf(profile)}`],
    ],
    ["cadDataUuid and a source", dataset(model({ cadDataUuid: "x" })), []],
  ],
  STANDARD,
  ["neutral"],
);

table(
  "stages 3 and 4 by profile",
  [
    [
      "a model that is not an object counts as {}",
      dataset(7),
      [required("/models(0)/name"), required("/models(0)/views")],
    ],
    ["views are required", dataset(withoutKeys(model(), "views")), [required("/models(0)/views")]],
    ["views after the name", dataset({}), [required("/models(0)/name"), required("/models(0)/views")]],
    ["missing views before sources", dataset({ name: "engine" }), [required("/models(0)/views")]],
    ["cadDataUuid is a source", dataset(withoutKeys(model({ cadDataUuid: "x" }), "cadDataUrl")), []],
    ["cadDataUuid of any type", dataset(withoutKeys(model({ cadDataUuid: 5 }), "cadDataUrl")), []],
    [
      "cadDataUuid and a source",
      dataset(model({ cadDataUuid: "x" })),
      (profile) => [`model 'engine' is invalid. ${onlyOneOf(profile)}`],
    ],
  ],
  STANDARD,
  ["vuforia"],
);

const NO_HINTS =
  "`motionHint` and `trackingMode` are no longer supported when using `targetsSdk` 10.9 or later. Please use the `optimizeTrackingFor` setting instead.";

const WHEN = ["always", "auto", "never"];

table("stage 6: enumerations and views", [
  ...WHEN.flatMap((value): Case[] => [
    [`automaticColoring ${value}`, dataset(model({ automaticColoring: value })), []],
    [`simplify ${value}`, dataset(model({ simplify: value })), []],
  ]),
  ...["default", "low_feature_objects", "ar_controller"].map(
    (value): Case => [`optimizeTrackingFor ${value}`, dataset(model({ optimizeTrackingFor: value })), []],
  ),
  [
    "another automaticColoring",
    dataset(model({ automaticColoring: "Auto" })),
    [invalidWhen("automaticColoring", "Auto")],
  ],
  ["another simplify", dataset(model({ simplify: "" })), [invalidWhen("simplify", "Some()")]],
  ["another optimizeTrackingFor", dataset(model({ optimizeTrackingFor: "cars" })), [BAD_TRACKING]],
  [
    "realisticAppearance means nothing to standard datasets",
    dataset(model({ realisticAppearance: "x" })),
    [],
  ],
  ["views as an object", dataset(model({ views: {} })), [expected("/models(0)/views", "jsarray")]],
  ["views as null", dataset(model({ views: null })), [expected("/models(0)/views", "jsarray")]],
  [
    "everything at once, by field",
    dataset(
      model({
        automaticColoring: "x",
        motionHint: "x",
        optimizeTrackingFor: "x",
        simplify: "x",
        trackingMode: "x",
        views: 1,
      }),
    ),
    (profile) => [
      invalidWhen("automaticColoring", "x"),
      profile === "vuforia" ? NO_HINTS : expected("/models(0)/motionHint", "validenum"),
      BAD_TRACKING,
      invalidWhen("simplify", "Some(x)"),
      profile === "vuforia" ? NO_HINTS : expected("/models(0)/trackingMode", "validenum"),
      expected("/models(0)/views", "jsarray"),
    ],
  ],
  [
    "enumerations before views' fields",
    dataset(model({ simplify: "x", views: [{}] })),
    [invalidWhen("simplify", "Some(x)")],
  ],
]);

table(
  "stage 6 of advanced datasets",
  [
    ...["auto", "false", "true"].map(
      (value): Case => [`realisticAppearance ${value}`, dataset(model({ realisticAppearance: value })), []],
    ),
    ["another realisticAppearance", dataset(model({ realisticAppearance: "TRUE" })), [BAD_APPEARANCE]],
    [
      "by model, then by field",
      dataset(model({ simplify: "x", realisticAppearance: "x" }), model({ automaticColoring: "y" })),
      [BAD_APPEARANCE, invalidWhen("simplify", "Some(x)"), invalidWhen("automaticColoring", "y")],
    ],
  ],
  ADVANCED,
);

const HINTS: [string, string][] = [
  ...["static", "dynamic", "adaptive"].map((value): [string, string] => ["motionHint", value]),
  ...["default", "car", "scan"].map((value): [string, string] => ["trackingMode", value]),
];
const badFormat = (value: string): string =>
  `Unrecognized cadDataFormat '${value}'.  Allowed values are: ZIP, GLB, DRC_GLB, DRC_GLTF, DAE, FBX, IGES, OBJ, PVS, PVZ, STL, VRML, or specify no cadDataFormat to auto-detect GLB and zipped glTFs.`;

table(
  "stage 6 by profile",
  [
    ...HINTS.map(([field, value]): Case => [`${field} ${value}`, dataset(model({ [field]: value })), []]),
    ...["motionHint", "trackingMode"].flatMap((field): Case[] => [
      [`another ${field}`, dataset(model({ [field]: "x" })), [expected(`/models(0)/${field}`, "validenum")]],
      [
        `${field} of another type`,
        dataset(model({ [field]: 1 })),
        [expected(`/models(0)/${field}`, "jsstring")],
      ],
    ]),
    ["any cadDataFormat", dataset(model({ cadDataFormat: "any" })), []],
  ],
  STANDARD,
  ["neutral"],
);

table(
  "stage 6 by profile",
  [
    ...HINTS.map(
      ([field, value]): Case => [`${field} ${value}`, dataset(model({ [field]: value })), [NO_HINTS]],
    ),
    ...["motionHint", "trackingMode"].flatMap((field): Case[] => [
      [`another ${field}`, dataset(model({ [field]: "x" })), [NO_HINTS]],
      [`${field} of another type`, dataset(model({ [field]: null })), [NO_HINTS]],
    ]),
    ...[
      "ZIP",
      "GLB",
      "DRC_GLB",
      "DRC_GLTF",
      "DAE",
      "FBX",
      "IGES",
      "OBJ",
      "PVS",
      "PVZ",
      "STL",
      "VRML",
      "vrml",
    ].map((value): Case => [`cadDataFormat ${value}`, dataset(model({ cadDataFormat: value })), []]),
    ["another cadDataFormat", dataset(model({ cadDataFormat: "step" })), [badFormat("STEP")]],
  ],
  STANDARD,
  ["vuforia"],
);
