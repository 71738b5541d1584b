import type { ProfileName } from "mock-cloud-reco";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, describeApi } from "./api.ts";
import { ADVANCED, creation, dataset, model, STANDARD, validationMessages, withoutKeys } from "./requests.ts";

/** What a creation is refused with; nothing when it is accepted. */
async function messages(api: Api, body: unknown, path: string): Promise<string[]> {
  const received = await api.send(creation(body, { path }));
  if (received.status === 201) return [];
  const refused = await api.latest();
  expect(refused).toMatchObject({ refusedBy: "validRequest", reason: expect.stringMatching(/\w+ \w+/) });
  return validationMessages(received);
}

const required = (path: string): string => `${path}: element is required`;
const expected = (path: string, type: string): string => `${path}: error.expected.${type}`;

const configured = (...states: string[]): Record<string, unknown> => ({
  stateBasedConfigurationJsonString: JSON.stringify({
    states: Object.fromEntries(states.map((state) => [state, {}])),
  }),
});
const position = { rotation: [0, 0, 0, 1], translation: [0, 1.5, -2e3] };
const view = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: "front",
  guideViewPosition: position,
  ...changes,
});
const withViews = (...views: unknown[]): Record<string, unknown> => dataset(model({ views }));

type Case = [name: string, body: unknown, found: string[]];
const BOTH: ProfileName[] = ["neutral", "vuforia"];

function table(title: string, cases: Case[], path = STANDARD, under: ProfileName[] = BOTH): void {
  describeApi(title, (openApi) => {
    describe.each(under)("%s", (profile) => {
      let api: Api;
      beforeAll(async () => {
        api = await openApi({ profile });
      });
      afterAll(() => api[Symbol.asyncDispose]());

      it.each(cases)("%s", async (_name, body, found) => {
        expect(await messages(api, body, path)).toEqual(found);
      });
    });
  });
}

const ONE_OF = "One of `cadDataBlob`, `cadDataUrl`, `cadDataUuid` need to be provided";
const ONLY_ONE_OF = "Only one of `cadDataBlob`, `cadDataUrl`, `cadDataUuid` need to be provided";
const NO_CONFIGURATION = `${required("/models(0)/stateBasedConfigurationJsonString")} when view states are given`;
const undeclared = (name: string): string => `states in entrypoint ${name}' must be a subset of all states`;
const invalidWhen = (field: string, value: string): string =>
  `invalid ${field}. Should be one of 'never', 'always', 'auto'. You provided '${value}'`;
const BAD_TRACKING = "`optimizeTrackingFor` must be one of default,low_feature_objects,ar_controller";
const BAD_APPEARANCE = '`realisticAppearance` must be one of "true", "false", "auto".` ';
const ONE_MODEL = "exactly one model should be provided";
const NO_MODELS = "models must contain at least one entry";
const TOO_MANY_MODELS = "total number of models must be maximum 20";
const NAMES_TWICE = "names of models must be unique within a Target.";

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
  ["no source", dataset(withoutKeys(model(), "cadDataUrl")), [`model 'engine' is invalid. ${ONE_OF}`]],
  ["two sources", dataset(model({ cadDataBlob: "AA==" })), [`model 'engine' is invalid. ${ONLY_ONE_OF}`]],
  [
    "null sources count as given",
    dataset(model({ cadDataUrl: null, cadDataBlob: null })),
    [`model 'engine' is invalid. ${ONLY_ONE_OF}`],
  ],
  ["accepts a blob", dataset({ name: "engine", views: [], cadDataBlob: "AA==" }), []],
  ["a source before wrong strings", dataset({ name: 5, views: [] }), [`model '5' is invalid. ${ONE_OF}`]],
  [
    "every string, in alphabetical order",
    dataset({
      ...Object.fromEntries(
        [
          "trackingMode",
          "stateBasedConfigurationJsonString",
          "simplify",
          "optimizeTrackingFor",
          "name",
          "motionHint",
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
      "motionHint",
      "name",
      "optimizeTrackingFor",
      "simplify",
      "stateBasedConfigurationJsonString",
      "trackingMode",
    ].map((key) => expected(`/models(0)/${key}`, "jsstring")),
  ],
  [
    "a blob that is no string",
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
      [`model 'a' is invalid. ${ONE_OF}`, `model 'b' is invalid. ${ONLY_ONE_OF}`],
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
    ["a model that is no object counts as {}", dataset(null), [required("/models(0)/name")]],
    ["views may be left out", dataset(withoutKeys(model(), "views")), []],
    [
      "cadDataUuid is no source",
      dataset(withoutKeys(model({ cadDataUuid: "x" }), "cadDataUrl")),
      [`model 'engine' is invalid. ${ONE_OF}`],
    ],
    ["cadDataUuid beside a source", dataset(model({ cadDataUuid: "x" })), []],
  ],
  STANDARD,
  ["neutral"],
);

table(
  "stages 3 and 4 by profile",
  [
    [
      "a model that is no object counts as {}",
      dataset(7),
      [required("/models(0)/name"), required("/models(0)/views")],
    ],
    ["views are required", dataset(withoutKeys(model(), "views")), [required("/models(0)/views")]],
    ["views after the name", dataset({}), [required("/models(0)/name"), required("/models(0)/views")]],
    ["missing views before sources", dataset({ name: "engine" }), [required("/models(0)/views")]],
    ["cadDataUuid is a source", dataset(withoutKeys(model({ cadDataUuid: "x" }), "cadDataUrl")), []],
    ["cadDataUuid of any type", dataset(withoutKeys(model({ cadDataUuid: 5 }), "cadDataUrl")), []],
    [
      "cadDataUuid beside a source",
      dataset(model({ cadDataUuid: "x" })),
      [`model 'engine' is invalid. ${ONLY_ONE_OF}`],
    ],
  ],
  STANDARD,
  ["vuforia"],
);

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
    "another motionHint",
    dataset(model({ motionHint: "default" })),
    [expected("/models(0)/motionHint", "validenum")],
  ],
  [
    "another trackingMode",
    dataset(model({ trackingMode: "static" })),
    [expected("/models(0)/trackingMode", "validenum")],
  ],
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
    [
      invalidWhen("automaticColoring", "x"),
      expected("/models(0)/motionHint", "validenum"),
      BAD_TRACKING,
      invalidWhen("simplify", "Some(x)"),
      expected("/models(0)/trackingMode", "validenum"),
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
const NO_HINTS =
  "`motionHint` and `trackingMode` are no longer supported when using `targetsSdk` 10.9 or later. Please use the `optimizeTrackingFor` setting instead.";
const badFormat = (value: string): string =>
  `Unrecognized cadDataFormat '${value}'.  Allowed values are: ZIP, GLB, DRC_GLB, DRC_GLTF, DAE, FBX, IGES, OBJ, PVS, PVZ, STL, VRML, or specify no cadDataFormat to auto-detect GLB and zipped glTFs.`;

table(
  "stage 6 by profile",
  [
    ...HINTS.map(([field, value]): Case => [`${field} ${value}`, dataset(model({ [field]: value })), []]),
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

const at = (path: string): string => `/models(0)/views(0)/${path}`;

table("stages 7 and 8: views and their positions", [
  ["accepts a view", withViews(view()), []],
  ["accepts a view of a name only", withViews({ name: "front" }), []],
  ["no name", withViews({}), [required(at("name"))]],
  ["a view that is no object counts as {}", withViews(view(), 7), [required("/models(0)/views(1)/name")]],
  ["a numeric name", withViews(view({ name: 1 })), [expected(at("name"), "jsstring")]],
  [
    "a position as an array",
    withViews(view({ guideViewPosition: [] })),
    [expected(at("guideViewPosition"), "jsobject")],
  ],
  [
    "a position as null",
    withViews(view({ guideViewPosition: null })),
    [expected(at("guideViewPosition"), "jsobject")],
  ],
  [
    "by view, then by field",
    withViews({ guideViewPosition: 1 }, { name: null }),
    [
      expected(at("guideViewPosition"), "jsobject"),
      required(at("name")),
      expected("/models(0)/views(1)/name", "jsstring"),
    ],
  ],
  [
    "a name before an incomplete position",
    withViews(view({ guideViewPosition: {} }), {}),
    [required("/models(0)/views(1)/name")],
  ],
  [
    "an empty position",
    withViews(view({ guideViewPosition: {} })),
    [required(at("guideViewPosition/rotation")), required(at("guideViewPosition/translation"))],
  ],
  [
    "vectors of other types",
    withViews(view({ guideViewPosition: { translation: null, rotation: {} } })),
    [
      expected(at("guideViewPosition/rotation"), "jsarray"),
      expected(at("guideViewPosition/translation"), "jsarray"),
    ],
  ],
  [
    "vectors of other things",
    withViews(view({ guideViewPosition: { rotation: [0, 0, true, "0"], translation: [null] } })),
    [
      expected(at("guideViewPosition/rotation(2)"), "jsnumber"),
      expected(at("guideViewPosition/rotation(3)"), "jsnumber"),
      expected(at("guideViewPosition/translation(0)"), "jsnumber"),
    ],
  ],
  [
    "vectors of any length",
    withViews(view({ guideViewPosition: { rotation: [], translation: [1, 2, 3, 4, 5] } })),
    [],
  ],
  [
    "a missing and a wrong vector at once",
    withViews(view({ guideViewPosition: { translation: [{}] } })),
    [
      required(at("guideViewPosition/rotation")),
      expected(at("guideViewPosition/translation(0)"), "jsnumber"),
    ],
  ],
  [
    "a position before states",
    withViews(view({ guideViewPosition: { rotation: [] }, states: 1 })),
    [required(at("guideViewPosition/translation"))],
  ],
]);

const stateful = (configuration: Record<string, unknown>, ...views: unknown[]): Record<string, unknown> =>
  dataset(model({ ...configuration, views }));
const raw = (text: string): Record<string, unknown> => ({ stateBasedConfigurationJsonString: text });

table("stage 9: states", [
  [
    "accepts declared states",
    stateful(
      configured("open", "closed"),
      view({ states: ["open"] }),
      view({ name: "back", states: ["open", "closed"] }),
    ),
    [],
  ],
  ["accepts a view without states", stateful(configured("open"), view()), []],
  ["accepts no states at all", stateful(configured("open"), view({ states: [] })), []],
  [
    "states as a string",
    stateful(configured("open"), view({ states: "open" })),
    [expected(at("states"), "jsarray")],
  ],
  ["states as null", withViews(view({ states: null })), [expected(at("states"), "jsarray")]],
  [
    "(a) before (b), together",
    stateful(configured("open"), view({ states: [1] }), view({ states: {} }), view({ states: 1 })),
    [expected("/models(0)/views(1)/states", "jsarray"), expected("/models(0)/views(2)/states", "jsarray")],
  ],
  [
    "(b) before (c), together",
    stateful(raw("{"), view({ states: ["open", 1, null] })),
    [expected(at("states(1)"), "jsstring"), expected(at("states(2)"), "jsstring")],
  ],
  [
    "(c) no JSON",
    stateful(raw("{"), view({ states: ["open"] })),
    [expected("/models(0)/stateBasedConfigurationJsonString", "validjson")],
  ],
  [
    "(c) an empty text",
    stateful(raw("")),
    [expected("/models(0)/stateBasedConfigurationJsonString", "validjson")],
  ],
  ...["[]", "null", "7", "{}", '{"states":[]}', '{"states":null}'].map(
    (text): Case => [
      `(c) ${text}`,
      stateful(raw(text), view({ states: ["open"] })),
      [expected("/models(0)/stateBasedConfigurationJsonString/states", "jsobject")],
    ],
  ),
  [
    "(d) states without a configuration, one per view",
    withViews(view({ states: ["open", "closed"] }), view(), view({ states: [] })),
    [NO_CONFIGURATION, NO_CONFIGURATION],
  ],
  [
    "(d) undeclared states, one per state",
    stateful(
      configured("open"),
      view({ states: ["open", "ajar", "toString"] }),
      view({ name: "back", states: ["closed"] }),
    ),
    [undeclared("front"), undeclared("front"), undeclared("back")],
  ],
]);

table(
  "stage 9 of advanced datasets",
  [
    [
      "(c) by model",
      dataset(model(raw("{")), model({ name: "b", ...raw("[]") })),
      [
        expected("/models(0)/stateBasedConfigurationJsonString", "validjson"),
        expected("/models(1)/stateBasedConfigurationJsonString/states", "jsobject"),
      ],
    ],
    [
      "(c) before (d)",
      dataset(model({ views: [view({ states: ["open"] })] }), model(raw("{"))),
      [expected("/models(1)/stateBasedConfigurationJsonString", "validjson")],
    ],
    [
      "(d) together, by model",
      dataset(
        model({ views: [view({ states: ["open"] })] }),
        model({ name: "b", ...configured("open"), views: [view({ states: ["shut"] })] }),
      ),
      [NO_CONFIGURATION, undeclared("front")],
    ],
    [
      "(d) before names",
      dataset(model({ views: [view({ states: ["open"] })] }), model()),
      [NO_CONFIGURATION],
    ],
  ],
  ADVANCED,
);

const unplaced = stateful(configured("open"), { name: "front" });
table(
  "stage 7 by profile",
  [["state-based views need a position", unplaced, [required(at("guideViewPosition"))]]],
  STANDARD,
  ["neutral"],
);
table("stage 7 by profile", [["state-based views need no position", unplaced, []]], STANDARD, ["vuforia"]);

const models = (count: number, changes = (_index: number): Record<string, unknown> => ({})) => ({
  ...dataset(),
  models: Array.from({ length: count }, (_, index) => model({ name: `part ${index}`, ...changes(index) })),
});
const sameName = () => ({ name: "same" });

table("stage 10 of standard datasets", [
  ["no model", models(0), [ONE_MODEL]],
  ["two models", models(2), [ONE_MODEL]],
  ["two models of one name", models(2, sameName), [ONE_MODEL]],
]);

table(
  "stage 10 of advanced datasets",
  [
    ["one model", models(1), []],
    ["20 models", models(20), []],
    ["no model", models(0), [NO_MODELS]],
    ["21 models", models(21), [TOO_MANY_MODELS]],
    ["two models of one name", models(2, sameName), [NAMES_TWICE]],
    ["names that differ in case", models(2, (index) => ({ name: index === 0 ? "a" : "A" })), []],
    [
      "any other finding before the names",
      models(2, () => ({ name: "same", views: [{}] })),
      ["/models(0)/views(0)/name", "/models(1)/views(0)/name"].map(required),
    ],
  ],
  ADVANCED,
);

const twoBroken = models(2, () => ({ name: 1 }));
const brokenNames = [0, 1].map((index) => expected(`/models(${index})/name`, "jsstring"));
table(
  "stage 10 by profile",
  [["numbers come before what is in the models", twoBroken, [ONE_MODEL]]],
  STANDARD,
  ["neutral"],
);
table("stage 10 by profile", [["numbers come last", twoBroken, brokenNames]], STANDARD, ["vuforia"]);
table(
  "stage 10 by profile, advanced",
  [["21 models of one name", models(21, sameName), [TOO_MANY_MODELS]]],
  ADVANCED,
  ["neutral"],
);
table(
  "stage 10 by profile, advanced",
  [["21 models of one name", models(21, sameName), [NAMES_TWICE, TOO_MANY_MODELS]]],
  ADVANCED,
  ["vuforia"],
);

describeApi("the reason of a validation error", (openApi) => {
  it("says what to change, and does not grow with the findings", async () => {
    await using api = await openApi();
    await api.send(creation(dataset(model({ simplify: "often" }))));
    expect((await api.latest()).reason).toBe(
      '/models(0)/simplify is "often"; accepted are never, always, auto',
    );
    await api.send(creation(withViews(...Array.from({ length: 1000 }, () => ({})))));
    expect((await api.latest()).reason).toMatch(
      /^\/models\(0\)\/views\(0\)\/name is missing; .*; and 995 more$/,
    );
  });
});
