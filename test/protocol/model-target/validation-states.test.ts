import { expect, it } from "vitest";
import { describeApi } from "./api.ts";
import { ADVANCED, creation, dataset, model, STANDARD } from "./requests.ts";
import {
  type Case,
  configured,
  expected,
  NAMES_TWICE,
  NO_CONFIGURATION,
  NO_MODELS,
  ONE_MODEL,
  required,
  TOO_MANY_MODELS,
  table,
  undeclared,
  view,
  withViews,
} from "./validation-table.ts";

const at = (path: string): string => `/models(0)/views(0)/${path}`;

table("stages 7 and 8: views and their positions", [
  ["accepts a view", withViews(view()), []],
  ["accepts a view of a name only", withViews({ name: "front" }), []],
  ["no name", withViews({}), [required(at("name"))]],
  ["a view that is not an object counts as {}", withViews(view(), 7), [required("/models(0)/views(1)/name")]],
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
    [NO_CONFIGURATION],
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
table("stage 7 of state-based models", [
  ["views need a position", unplaced, [required(at("guideViewPosition"))]],
]);

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
    [
      "two models of one name",
      models(2, sameName),
      (profile) => (profile === "vuforia" ? [NAMES_TWICE] : []),
    ],
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
  it("says what to change, and lists only the first findings", async () => {
    await using api = await openApi();
    await api.send(creation(dataset(model({ simplify: "often" }))));
    expect((await api.latest()).reason).toBe(
      '/models(0)/simplify is "often"; expected one of never, always, auto',
    );
    await api.send(creation(withViews(...Array.from({ length: 1000 }, () => ({})))));
    expect((await api.latest()).reason).toMatch(
      /^\/models\(0\)\/views\(0\)\/name is missing; .*; and 995 more$/,
    );
  });
});
