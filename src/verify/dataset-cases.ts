import { PROFILE_NAMES, type ProfileName, profiles, REAL_PROFILE } from "../emulator/profiles.ts";
import { CREATED, validationError } from "./kinds.ts";
import { body, type Draft, rightDataset, rightModel } from "./requests.ts";
import type { Row } from "./row.ts";

/**
 * One finding about a creation, under both profiles or only one. A path means that its element is required, and
 * `name: jsstring` that another type was expected; without a leading slash the path begins at the first model. Anything
 * else is the message.
 */
type Finding = string | Readonly<Partial<Record<ProfileName, string>>>;

/** What is created in words, its JSON, and the findings with which it is refused; without any it is accepted. */
export type Case = readonly [what: string, content: unknown, ...findings: readonly Finding[]];

const messageOf = (finding: string): string =>
  finding.replace(/^(\/?)([\w()/]+)(?:: (\w+))?$/, (_, slash: string, path: string, type?: string) => {
    const message = type === undefined ? "element is required" : `error.expected.${type}`;
    return `${slash === "" ? "/models(0)/" : "/"}${path}: ${message}`;
  });

const messagesUnder = (profile: ProfileName, findings: readonly Finding[]): readonly string[] =>
  findings
    .map((finding) => (typeof finding === "string" ? finding : finding[profile]))
    .flatMap((finding) => (finding === undefined ? [] : [messageOf(finding)]));

/** What is accepted costs a training. */
const rowOf = (on: string, [what, content, ...findings]: Case): Row<Draft> => {
  const isRefused = (profile: ProfileName) => messagesUnder(profile, findings).length > 0;
  return [
    on,
    what,
    ({ profile: { name } }) => (isRefused(name) ? validationError(messagesUnder(name, findings)) : CREATED),
    body(JSON.stringify(content)),
    {
      needs: isRefused(REAL_PROFILE) ? "writing" : "spending",
      ...(PROFILE_NAMES.every(isRefused) && { check: "validRequest" }),
    },
  ];
};
export const standard = (...tables: readonly (readonly Case[])[]): readonly Row<Draft>[] =>
  tables.flat().map((one) => rowOf("create dataset", one));
export const advanced = (cases: readonly Case[]): readonly Row<Draft>[] =>
  cases.map(([what, ...rest]) => rowOf("create advanced dataset", [`advanced ${what}`, ...rest]));

export type Fields = Readonly<Record<string, unknown>>;

/** A model that both families and both profiles accept, changed; undefined removes a field. */
export const model = (changes: Fields = {}): Fields => ({ ...rightModel, ...changes });
/** A creation of a dataset with these models, or with one that is accepted. */
export const dataset = (...models: readonly unknown[]): Fields => ({
  ...rightDataset,
  models: models.length === 0 ? [model()] : models,
});
export const withModel = (changes: Fields): Fields => dataset(model(changes));

const MISSING = ["/models", "/name", "/targetSdk"];

const REQUESTS: readonly Case[] = [
  ["one model", dataset()],
  ["other fields", { ...dataset(model({ anything: [{}] })), more: null }],
  ["an empty name", { ...dataset(), name: "" }],
  ["an empty object", {}, ...MISSING],
  ["null", null, ...MISSING],
  ["an array", [dataset()], ...MISSING],
  ["no models", { ...dataset(), models: undefined }, "/models"],
  ["no name", { ...dataset(), name: undefined }, "/name"],
  ["no targetSdk", { ...dataset(), targetSdk: undefined }, "/targetSdk"],
  [
    "null in each field",
    { models: null, name: null, targetSdk: null },
    ...["/models: jsarray", "/name: jsstring", "/targetSdk: jsstring"],
  ],
  ["a boolean name", { ...dataset(), name: true }, "/name: jsstring"],
  ["a numeric targetSdk", { ...dataset(), targetSdk: 10.9 }, "/targetSdk: jsstring"],
  ["models that are an object", { ...dataset(), models: { 0: model() } }, "/models: jsarray"],
  ["a missing name and a wrong type", { models: {}, targetSdk: "10.9" }, "/name"],
  ["a wrong type and a wrong model", { ...dataset({}), name: 1 }, "/name: jsstring"],
];

/** Of a model whose sources are too few or too many. */
const sourcesOf = (name: string, words: string): Readonly<Record<ProfileName, string>> => {
  const message = `model '${name}' is invalid. ${words} \`cadDataBlob\`, \`cadDataUrl\``;
  return {
    neutral: `${message} need to be provided`,
    vuforia: `${message}, \`cadDataUuid\` need to be provided`,
  };
};
const NO_SOURCE = sourcesOf("engine", "One of");
const TWO_SOURCES = sourcesOf("engine", "Only one of");
const VIEWS_REQUIRED = { vuforia: "views" };
const fromUuid = (cadDataUuid: unknown): Fields => withModel({ cadDataUuid, cadDataUrl: undefined });
const fromBlob = (cadDataBlob: unknown): Fields => withModel({ cadDataBlob, cadDataUrl: undefined });

/** In alphabetical order, in which the findings are. */
const STRINGS = [
  ...["automaticColoring", "cadDataFormat", "cadDataUrl", "name", "optimizeTrackingFor", "simplify"],
  "stateBasedConfigurationJsonString",
];
const nullStrings = Object.fromEntries(STRINGS.toReversed().map((name) => [name, null]));

const MODELS: readonly Case[] = [
  ["a model without a name", withModel({ name: undefined }), "name"],
  ["a model without a name and a source", withModel({ name: undefined, cadDataUrl: undefined }), "name"],
  ...[null, 7, {}].map(
    (content): Case => [`the model ${JSON.stringify(content)}`, dataset(content), "name", VIEWS_REQUIRED],
  ),
  ["a model without a source", withModel({ cadDataUrl: undefined }), NO_SOURCE],
  ["a model with two sources", withModel({ cadDataBlob: "AA==" }), TWO_SOURCES],
  ["two sources that are null", withModel({ cadDataUrl: null, cadDataBlob: null }), TWO_SOURCES],
  ["a blob", fromBlob("AA==")],
  ["no source and a wrong string", dataset({ name: 5, views: [] }), sourcesOf("5", "One of")],
  ["cadDataUuid as the only source", fromUuid("x"), { neutral: NO_SOURCE.neutral }],
  ["cadDataUuid of another type as the only source", fromUuid(5), { neutral: NO_SOURCE.neutral }],
  ["cadDataUuid and a source", withModel({ cadDataUuid: "x" }), { vuforia: TWO_SOURCES.vuforia }],
  ["a model without views", withModel({ views: undefined }), VIEWS_REQUIRED],
  [
    "a model without views and a source",
    dataset({ name: "engine" }),
    { neutral: NO_SOURCE.neutral, ...VIEWS_REQUIRED },
  ],
  [
    "null in every string",
    dataset({ ...nullStrings, realisticAppearance: null, views: [] }),
    ...STRINGS.map((name) => `${name}: jsstring`),
  ],
  ["a numeric blob", fromBlob(1), "cadDataBlob: jsstring"],
  ["a wrong string and a wrong enumeration", withModel({ name: 1, simplify: "often" }), "name: jsstring"],
];

const NAMELESS = model({ name: undefined });
const ADVANCED_MODELS: readonly Case[] = [
  ["two models without names", dataset(NAMELESS, model(), NAMELESS), "name", "/models(2)/name"],
  [
    "a model without a source and one with two",
    dataset({ name: "a", views: [] }, model({ name: "b", cadDataBlob: "" })),
    ...[sourcesOf("a", "One of"), sourcesOf("b", "Only one of")],
  ],
  [
    "a boolean realisticAppearance",
    withModel({ realisticAppearance: true }),
    "realisticAppearance: jsstring",
  ],
  [
    "wrong strings in two models",
    dataset(model({ simplify: 1, name: 1 }), model({ cadDataFormat: 1 })),
    ...["name: jsstring", "simplify: jsstring", "/models(1)/cadDataFormat: jsstring"],
  ],
];

const notIn = (field: string, given: string): string =>
  `invalid ${field}. Should be one of 'never', 'always', 'auto'. You provided '${given}'`;
const BAD_SIMPLIFY = notIn("simplify", "Some(x)");
const BAD_TRACKING = "`optimizeTrackingFor` must be one of default,low_feature_objects,ar_controller";
const BAD_APPEARANCE = '`realisticAppearance` must be one of "true", "false", "auto".` ';
const NO_HINTS =
  "`motionHint` and `trackingMode` are no longer supported when using `targetsSdk` 10.9 or later. Please use the `optimizeTrackingFor` setting instead.";
const FORMATS = profiles.vuforia.cadDataFormats ?? [];
const BAD_FORMAT = `Unrecognized cadDataFormat 'STEP'.  Allowed values are: ${FORMATS.join(", ")}, or specify no cadDataFormat to auto-detect GLB and zipped glTFs.`;

const field = (name: string, value: unknown, ...findings: readonly Finding[]): Case => [
  `${name} ${value}`,
  withModel({ [name]: value }),
  ...findings,
];
const hint = (name: string, type: string): Finding => ({
  neutral: `${name}: ${type}`,
  vuforia: NO_HINTS,
});
const hints = (name: string, ...values: readonly string[]): readonly Case[] => [
  ...values.map((value) => field(name, value, { vuforia: NO_HINTS })),
  field(name, "other", hint(name, "validenum")),
  field(name, 1, hint(name, "jsstring")),
];
const wrongEnumerations = {
  ...{ trackingMode: "x", simplify: "x", optimizeTrackingFor: "x", motionHint: "x", automaticColoring: "x" },
  views: 1,
};

const ENUMERATIONS: readonly Case[] = [
  ...["always", "auto", "never"].flatMap((value) => [
    field("automaticColoring", value),
    field("simplify", value),
  ]),
  ...["default", "low_feature_objects", "ar_controller"].map((value) => field("optimizeTrackingFor", value)),
  ["another automaticColoring", withModel({ automaticColoring: "Auto" }), notIn("automaticColoring", "Auto")],
  ["another simplify", withModel({ simplify: "often" }), notIn("simplify", "Some(often)")],
  ["an empty simplify", withModel({ simplify: "" }), notIn("simplify", "Some()")],
  ["another optimizeTrackingFor", withModel({ optimizeTrackingFor: "cars" }), BAD_TRACKING],
  ["realisticAppearance in a standard dataset", withModel({ realisticAppearance: "x" })],
  ["views that are an object", withModel({ views: {} }), "views: jsarray"],
  ["views that are null", withModel({ views: null }), "views: jsarray"],
  [
    "every enumeration wrong",
    withModel(wrongEnumerations),
    ...[notIn("automaticColoring", "x"), hint("motionHint", "validenum"), BAD_TRACKING, BAD_SIMPLIFY],
    ...[hint("trackingMode", "validenum"), "views: jsarray"],
  ],
  ["a wrong enumeration and a wrong view", withModel({ simplify: "x", views: [{}] }), BAD_SIMPLIFY],
  ...hints("motionHint", "static", "dynamic", "adaptive"),
  ...hints("trackingMode", "default", "car", "scan"),
  ...FORMATS.map((format) => field("cadDataFormat", format)),
  ["cadDataFormat VRML in lower case", withModel({ cadDataFormat: "vrml" })],
  field("cadDataFormat", "step", { vuforia: BAD_FORMAT }),
];

const ADVANCED_ENUMERATIONS: readonly Case[] = [
  ...["auto", "false", "true"].map((value) => field("realisticAppearance", value)),
  ["another realisticAppearance", withModel({ realisticAppearance: "TRUE" }), BAD_APPEARANCE],
  [
    "wrong enumerations in two models",
    dataset(model({ simplify: "x", realisticAppearance: "x" }), model({ automaticColoring: "y" })),
    ...[BAD_APPEARANCE, BAD_SIMPLIFY, notIn("automaticColoring", "y")],
  ],
];

/** Stages 1 to 6 of the validation, each with the findings that come together or first. */
export const DATASET_CASES: readonly Row<Draft>[] = [
  ...standard(REQUESTS, MODELS),
  ...advanced(ADVANCED_MODELS),
  ...standard(ENUMERATIONS),
  ...advanced(ADVANCED_ENUMERATIONS),
];
