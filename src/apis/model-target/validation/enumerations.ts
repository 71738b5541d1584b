import { show } from "../../../http/show.ts";
import type { DatasetRequest, Model } from "./dataset-request.ts";
import { expected, type Finding } from "./finding.ts";

/** How a field's value is wrong; undefined when it is fine. Stage 5 made sure that it is a string. */
type Rule = (value: string, path: string, request: DatasetRequest) => Finding | undefined;

const anyOf =
  (allowed: readonly string[], message: (value: string, path: string) => string): Rule =>
  (value, path) =>
    allowed.includes(value) ? undefined : refusedValue(path, value, allowed, message(value, path));

const refusedValue = (path: string, value: string, allowed: readonly string[], message: string): Finding => ({
  message,
  reason: `${path} is ${show(value)}; accepted are ${allowed.join(", ")}`,
});

const WHEN = ["never", "always", "auto"];
const LISTED_WHEN = WHEN.map((value) => `'${value}'`).join(", ");

const cadDataFormat: Rule = (value, path, { profile: { cadDataFormats } }) => {
  const format = value.toUpperCase();
  if (cadDataFormats === null || cadDataFormats.includes(format)) return undefined;
  const message = `Unrecognized cadDataFormat '${format}'.  Allowed values are: ${cadDataFormats.join(", ")}, or specify no cadDataFormat to auto-detect GLB and zipped glTFs.`;
  return refusedValue(path, value, cadDataFormats, message);
};

/** Fields that newer engines no longer know; the profile says whether their values are still accepted. */
const trackingHint =
  (allowed: readonly string[]): Rule =>
  (value, path, { profile }) => {
    if (!allowed.includes(value))
      return refusedValue(path, value, allowed, `${path}: error.expected.validenum`);
    if (profile.trackingHintsSupported) return undefined;
    return {
      message:
        "`motionHint` and `trackingMode` are no longer supported when using `targetsSdk` 10.9 or later. Please use the `optimizeTrackingFor` setting instead.",
      reason: `${path} is not supported under this profile: leave it out, or use optimizeTrackingFor`,
    };
  };

const realisticAppearance = anyOf(
  ["true", "false", "auto"],
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
      ["default", "low_feature_objects", "ar_controller"],
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

/** Stage 6: enumerated fields, and `views` is an array. */
export const enumerations = (request: DatasetRequest): readonly Finding[] =>
  request.models.flatMap((model) => [
    ...RULES.flatMap(([field, rule]) => {
      const value = model.fields[field];
      return typeof value === "string" ? (rule(value, `${model.path}/${field}`, request) ?? []) : [];
    }),
    ...viewsType(model),
  ]);

function viewsType({ path, fields }: Model): readonly Finding[] {
  const { views } = fields;
  return views === undefined || Array.isArray(views) ? [] : [expected(`${path}/views`, "jsarray", views)];
}
