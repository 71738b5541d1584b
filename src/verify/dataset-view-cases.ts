import { advanced, type Case, dataset, type Fields, model, standard, withModel } from "./dataset-cases.ts";
import type { Draft } from "./requests.ts";
import type { Row } from "./row.ts";

const view = (changes: Fields = {}): Fields => ({
  name: "front",
  guideViewPosition: { rotation: [0, 0, 0, 1], translation: [0, 1.5, -2e3] },
  ...changes,
});
const withViews = (...views: readonly unknown[]): Fields => withModel({ views });
const placed = (guideViewPosition: unknown): Fields => withViews(view({ guideViewPosition }));

const POSITION = "views(0)/guideViewPosition";
const ROTATION = `${POSITION}/rotation`;
const TRANSLATION = `${POSITION}/translation`;

const CONFIGURATION = "stateBasedConfigurationJsonString";
const raw = (text: string): Fields => ({ [CONFIGURATION]: text });
const configured = (...states: readonly string[]): Fields =>
  raw(JSON.stringify({ states: Object.fromEntries(states.map((state) => [state, {}])) }));
const stateful = (configuration: Fields, ...views: readonly unknown[]): Fields =>
  withModel({ ...configuration, views });

const VIEWS: readonly Case[] = [
  ["a view", withViews(view())],
  ["a view of a name only", withViews({ name: "front" })],
  ["a view without a name", withViews({}), "views(0)/name"],
  ["a view that is a number", withViews(view(), 7), "views(1)/name"],
  ["a numeric view name", withViews(view({ name: 1 })), "views(0)/name: jsstring"],
  ["a position that is an array", placed([]), `${POSITION}: jsobject`],
  ["a position that is null", placed(null), `${POSITION}: jsobject`],
  [
    "two wrong views",
    withViews({ guideViewPosition: 1 }, { name: null }),
    ...[`${POSITION}: jsobject`, "views(0)/name", "views(1)/name: jsstring"],
  ],
  [
    "an incomplete position and a view without a name",
    withViews(view({ guideViewPosition: {} }), {}),
    "views(1)/name",
  ],
  ["an empty position", placed({}), ROTATION, TRANSLATION],
  [
    "vectors of other types",
    placed({ translation: null, rotation: {} }),
    `${ROTATION}: jsarray`,
    `${TRANSLATION}: jsarray`,
  ],
  [
    "vectors of other things",
    placed({ rotation: [0, 0, true, "0"], translation: [null] }),
    ...[`${ROTATION}(2): jsnumber`, `${ROTATION}(3): jsnumber`, `${TRANSLATION}(0): jsnumber`],
  ],
  ["vectors of any length", placed({ rotation: [], translation: [1, 2, 3, 4, 5] })],
  [
    "a missing and a wrong vector",
    placed({ translation: [{}] }),
    ...[ROTATION, `${TRANSLATION}(0): jsnumber`],
  ],
  [
    "a wrong position and wrong states",
    withViews(view({ guideViewPosition: { rotation: [] }, states: 1 })),
    TRANSLATION,
  ],
  [
    "a view of a state-based model without a position",
    stateful(configured("open"), { name: "front" }),
    POSITION,
  ],
];

const NO_CONFIGURATION = `/models(0)/${CONFIGURATION}: element is required when view states are given`;
const notJson = (index = 0): string => `/models(${index})/${CONFIGURATION}: validjson`;
const noStates = (index = 0): string => `/models(${index})/${CONFIGURATION}/states: jsobject`;
const undeclared = (name: string): string => `states in entrypoint ${name}' must be a subset of all states`;
const open = view({ states: ["open"] });
const back = (...states: readonly string[]): Fields => view({ name: "back", states });

const STATES: readonly Case[] = [
  ["declared states", stateful(configured("open", "closed"), open, back("open", "closed"))],
  ["a configuration and a view without states", stateful(configured("open"), view())],
  ["a configuration and no states", stateful(configured("open"), view({ states: [] }))],
  ["states that are a text", withViews(view({ states: "open" })), "views(0)/states: jsarray"],
  ["states that are null", withViews(view({ states: null })), "views(0)/states: jsarray"],
  [
    "states of wrong types and a numeric state",
    stateful(configured("open"), view({ states: [1] }), view({ states: {} }), view({ states: 1 })),
    ...[1, 2].map((index) => `views(${index})/states: jsarray`),
  ],
  [
    "two wrong states and a wrong configuration",
    stateful(raw("{"), view({ states: ["open", 1, null] })),
    ...["views(0)/states(1): jsstring", "views(0)/states(2): jsstring"],
  ],
  ["a configuration that is cut off", stateful(raw("{"), open), notJson()],
  ["an empty configuration", stateful(raw("")), notJson()],
  ...["[]", "null", "7", "{}", '{"states":[]}', '{"states":null}'].map(
    (text, index): Case => [
      `a configuration without states (${index + 1})`,
      stateful(raw(text), open),
      noStates(),
    ],
  ),
  [
    "states without a configuration",
    withViews(view({ states: ["open", "closed"] }), view(), view({ states: [] })),
    NO_CONFIGURATION,
  ],
  [
    "undeclared states",
    stateful(configured("open"), view({ states: ["open", "ajar", "toString"] }), back("closed")),
    ...["front", "front", "back"].map(undeclared),
  ],
];

const ADVANCED_STATES: readonly Case[] = [
  [
    "two wrong configurations",
    dataset(model(raw("{")), model({ name: "b", ...raw("[]") })),
    ...[notJson(), noStates(1)],
  ],
  [
    "states without a configuration and a wrong configuration",
    dataset(model({ views: [open] }), model(raw("{"))),
    notJson(1),
  ],
  [
    "states without a configuration and undeclared ones",
    dataset(
      model({ views: [open] }),
      model({ name: "b", ...configured("open"), views: [view({ states: ["shut"] })] }),
    ),
    ...[NO_CONFIGURATION, undeclared("front")],
  ],
  [
    "states without a configuration and repeated names",
    dataset(model({ views: [open] }), model()),
    NO_CONFIGURATION,
  ],
];

const models = (count: number, changes: Fields = {}): Fields => ({
  ...dataset(),
  models: Array.from({ length: count }, (_, index) => model({ name: `part ${index}`, ...changes })),
});
const ONE_MODEL = "exactly one model should be provided";
const TOO_MANY = "total number of models must be maximum 20";
const NAMES_TWICE = { vuforia: "names of models must be unique within a Target." };

const COUNTS: readonly Case[] = [
  ["no model", models(0), ONE_MODEL],
  ["two models", models(2), ONE_MODEL],
  ["two models of one name", models(2, { name: "same" }), ONE_MODEL],
  [
    "two models whose names are numbers",
    models(2, { name: 1 }),
    { neutral: ONE_MODEL, vuforia: "name: jsstring" },
    { vuforia: "/models(1)/name: jsstring" },
  ],
];

const ADVANCED_COUNTS: readonly Case[] = [
  ["one model", models(1)],
  ["20 models", models(20)],
  ["no model", models(0), "models must contain at least one entry"],
  ["21 models", models(21), TOO_MANY],
  ["two models of one name", models(2, { name: "same" }), NAMES_TWICE],
  ["21 models of one name", models(21, { name: "same" }), NAMES_TWICE, TOO_MANY],
  ["names that differ in case", dataset(model({ name: "a" }), model({ name: "A" }))],
  [
    "repeated names and wrong views",
    models(2, { name: "same", views: [{}] }),
    "views(0)/name",
    "/models(1)/views(0)/name",
  ],
];

/** Stages 7 to 10 of the validation. */
export const DATASET_VIEW_CASES: readonly Row<Draft>[] = [
  ...standard(VIEWS, STATES),
  ...advanced(ADVANCED_STATES),
  ...standard(COUNTS),
  ...advanced(ADVANCED_COUNTS),
];
