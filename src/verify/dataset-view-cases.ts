import {
  accepted,
  advanced,
  byProfile,
  dataset,
  expected,
  type Fields,
  model,
  ofModel,
  ofView,
  refused,
  required,
  withViews,
} from "./kinds.ts";
import type { Draft } from "./requests.ts";
import type { Row } from "./row.ts";

const CONFIGURATION = "stateBasedConfigurationJsonString";
const configured = (...states: readonly string[]): Fields => ({
  [CONFIGURATION]: JSON.stringify({ states: Object.fromEntries(states.map((state) => [state, {}])) }),
});
const raw = (text: string): Fields => ({ [CONFIGURATION]: text });
const view = (changes: Fields = {}): Fields => ({
  name: "front",
  guideViewPosition: { rotation: [0, 0, 0, 1], translation: [0, 1.5, -2e3] },
  ...changes,
});
const placed = (guideViewPosition: unknown): Fields => withViews(view({ guideViewPosition }));
const stateful = (configuration: Fields, ...views: readonly unknown[]): Fields =>
  dataset(model({ ...configuration, views }));

const ROTATION = "guideViewPosition/rotation";
const TRANSLATION = "guideViewPosition/translation";

const views: readonly Row<Draft>[] = [
  accepted("a view", withViews(view())),
  accepted("a view of a name only", withViews({ name: "front" })),
  refused("a view without a name", withViews({}), required(ofView("name"))),
  refused("a view that is a number", withViews(view(), 7), required(ofView("name", 1))),
  refused("a numeric view name", withViews(view({ name: 1 })), expected(ofView("name"), "jsstring")),
  ...Object.entries({ "an array": [], null: null }).map(([what, value]) =>
    refused(`a position that is ${what}`, placed(value), expected(ofView("guideViewPosition"), "jsobject")),
  ),
  refused(
    "two wrong views",
    withViews({ guideViewPosition: 1 }, { name: null }),
    expected(ofView("guideViewPosition"), "jsobject"),
    required(ofView("name")),
    expected(ofView("name", 1), "jsstring"),
  ),
  refused(
    "an incomplete position and a view without a name",
    withViews(view({ guideViewPosition: {} }), {}),
    required(ofView("name", 1)),
  ),
  refused("an empty position", placed({}), required(ofView(ROTATION)), required(ofView(TRANSLATION))),
  refused(
    "vectors of other types",
    placed({ translation: null, rotation: {} }),
    expected(ofView(ROTATION), "jsarray"),
    expected(ofView(TRANSLATION), "jsarray"),
  ),
  refused(
    "vectors of other things",
    placed({ rotation: [0, 0, true, "0"], translation: [null] }),
    expected(ofView(`${ROTATION}(2)`), "jsnumber"),
    expected(ofView(`${ROTATION}(3)`), "jsnumber"),
    expected(ofView(`${TRANSLATION}(0)`), "jsnumber"),
  ),
  accepted("vectors of any length", placed({ rotation: [], translation: [1, 2, 3, 4, 5] })),
  refused(
    "a missing and a wrong vector",
    placed({ translation: [{}] }),
    required(ofView(ROTATION)),
    expected(ofView(`${TRANSLATION}(0)`), "jsnumber"),
  ),
  refused(
    "a wrong position and wrong states",
    withViews(view({ guideViewPosition: { rotation: [] }, states: 1 })),
    required(ofView(TRANSLATION)),
  ),
  refused(
    "a view of a state-based model without a position",
    stateful(configured("open"), { name: "front" }),
    required(ofView("guideViewPosition")),
  ),
];

const NO_CONFIGURATION = `${required(ofModel(CONFIGURATION))} when view states are given`;
const undeclared = (name: string): string => `states in entrypoint ${name}' must be a subset of all states`;
const notJson = (model = 0): string => expected(ofModel(CONFIGURATION, model), "validjson");
const noStates = (model = 0): string => expected(ofModel(`${CONFIGURATION}/states`, model), "jsobject");
const open = view({ states: ["open"] });

const states: readonly Row<Draft>[] = [
  accepted(
    "declared states",
    stateful(configured("open", "closed"), open, view({ name: "back", states: ["open", "closed"] })),
  ),
  accepted("a configuration and a view without states", stateful(configured("open"), view())),
  accepted("a configuration and no states", stateful(configured("open"), view({ states: [] }))),
  ...Object.entries({ "a text": "open", null: null }).map(([what, value]) =>
    refused(
      `states that are ${what}`,
      withViews(view({ states: value })),
      expected(ofView("states"), "jsarray"),
    ),
  ),
  refused(
    "states of wrong types and a numeric state",
    stateful(configured("open"), view({ states: [1] }), view({ states: {} }), view({ states: 1 })),
    expected(ofView("states", 1), "jsarray"),
    expected(ofView("states", 2), "jsarray"),
  ),
  refused(
    "two wrong states and a wrong configuration",
    stateful(raw("{"), view({ states: ["open", 1, null] })),
    expected(ofView("states(1)"), "jsstring"),
    expected(ofView("states(2)"), "jsstring"),
  ),
  refused("a configuration that is cut off", stateful(raw("{"), open), notJson()),
  refused("an empty configuration", stateful(raw("")), notJson()),
  ...["[]", "null", "7", "{}", '{"states":[]}', '{"states":null}'].map((text, index) =>
    refused(`a configuration without states (${index + 1})`, stateful(raw(text), open), noStates()),
  ),
  refused(
    "states without a configuration",
    withViews(view({ states: ["open", "closed"] }), view(), view({ states: [] })),
    NO_CONFIGURATION,
  ),
  refused(
    "undeclared states",
    stateful(
      configured("open"),
      view({ states: ["open", "ajar", "toString"] }),
      view({ name: "back", states: ["closed"] }),
    ),
    ...["front", "front", "back"].map(undeclared),
  ),
  ...advanced(
    refused(
      "two wrong configurations",
      dataset(model(raw("{")), model({ name: "b", ...raw("[]") })),
      notJson(),
      noStates(1),
    ),
    refused(
      "states without a configuration and a wrong configuration",
      dataset(model({ views: [open] }), model(raw("{"))),
      notJson(1),
    ),
    refused(
      "states without a configuration and undeclared ones",
      dataset(
        model({ views: [open] }),
        model({ name: "b", ...configured("open"), views: [view({ states: ["shut"] })] }),
      ),
      NO_CONFIGURATION,
      undeclared("front"),
    ),
    refused(
      "states without a configuration and repeated names",
      dataset(model({ views: [open] }), model()),
      NO_CONFIGURATION,
    ),
  ),
];

const models = (count: number, changes = (_index: number): Fields => ({})): Fields => ({
  ...dataset(),
  models: Array.from({ length: count }, (_, index) => model({ name: `part ${index}`, ...changes(index) })),
});
const sameName = () => ({ name: "same" });

const ONE_MODEL = "exactly one model should be provided";
const TOO_MANY = "total number of models must be maximum 20";
const NAMES_TWICE = "names of models must be unique within a Target.";

const counts: readonly Row<Draft>[] = [
  refused("no model", models(0), ONE_MODEL),
  refused("two models", models(2), ONE_MODEL),
  refused("two models of one name", models(2, sameName), ONE_MODEL),
  byProfile(
    "two models whose names are numbers",
    models(2, () => ({ name: 1 })),
    ({ modelCountsReported }) =>
      modelCountsReported === "last"
        ? [0, 1].map((index) => expected(ofModel("name", index), "jsstring"))
        : [ONE_MODEL],
  ),
  ...advanced(
    accepted("one model", models(1)),
    accepted("20 models", models(20)),
    refused("no model", models(0), "models must contain at least one entry"),
    refused("21 models", models(21), TOO_MANY),
    byProfile("two models of one name", models(2, sameName), ({ modelNamesUnique }) =>
      modelNamesUnique ? [NAMES_TWICE] : [],
    ),
    byProfile("21 models of one name", models(21, sameName), ({ modelNamesUnique }) =>
      modelNamesUnique ? [NAMES_TWICE, TOO_MANY] : [TOO_MANY],
    ),
    accepted(
      "names that differ in case",
      models(2, (index) => ({ name: index === 0 ? "a" : "A" })),
    ),
    refused(
      "repeated names and wrong views",
      models(2, () => ({ name: "same", views: [{}] })),
      ...[0, 1].map((index) => required(ofModel("views(0)/name", index))),
    ),
  ),
];

/** Stages 7 to 10 of the validation. */
export const DATASET_VIEW_CASES: readonly Row<Draft>[] = [...views, ...states, ...counts];
