import {
  arraySchema,
  enumSchema,
  type JsonSchema,
  openObjectSchema,
  stringSchema,
  withDescription,
} from "../../emulator/json-schemas.ts";
import type { Profile } from "../../emulator/profiles.ts";
import { isJsonObject, type JsonObject } from "../../general/json.ts";
import { show } from "../../general/text.ts";
import { type AnyCause, cause, withFurther } from "../../schema/causes/causes.ts";
import type { TypeName } from "../../schema/causes/model-targets.ts";
import type { DatasetTypeName } from "../../schema/model-target.ts";

/** A creation request as the stages read it: `{}` replaces other values where an object belongs. */
export interface DatasetRequest {
  readonly family: DatasetTypeName;
  readonly profile: Profile;
  readonly fields: JsonObject;
  readonly models: readonly Model[];
}

/** A part of the request, and its path. */
export interface Part {
  readonly path: string;
  readonly fields: JsonObject;
}

export interface Model extends Part {
  readonly views: readonly Part[];
}

export const modelsIn = (fields: JsonObject): readonly Model[] =>
  partsOf({ path: "", fields }, "models").map((model) => ({ ...model, views: partsOf(model, "views") }));

function partsOf({ path, fields }: Part, key: string): readonly Part[] {
  const entries = fields[key];
  if (!Array.isArray(entries)) return [];
  return entries.map((entry: unknown, index) => ({
    path: `${path}/${key}(${index})`,
    fields: isJsonObject(entry) ? entry : {},
  }));
}

/** A null value counts as given. */
export const isGiven = (fields: JsonObject, key: string): boolean => Object.hasOwn(fields, key);

export const isStateBased = (model: Model): boolean =>
  isGiven(model.fields, "stateBasedConfigurationJsonString");

/** A problem of a dataset request: in the words of the service, and what to change. */
export interface Finding {
  readonly message: string;
  /** Of thousands of findings, only the first are shown. */
  readonly why: () => AnyCause;
}

export const missing = (path: string): Finding => ({
  message: `${path}: element is required`,
  why: () => cause("dataset.missing", { path }),
});

const FITS: Readonly<Record<TypeName, (value: unknown) => boolean>> = {
  jsstring: (value) => typeof value === "string",
  jsarray: (value) => Array.isArray(value),
  jsobject: isJsonObject,
  jsnumber: (value) => typeof value === "number",
};

export const expected = (path: string, type: TypeName, value: unknown): Finding => ({
  message: `${path}: error.expected.${type}`,
  why: () => cause("dataset.type", { path, type, given: show(value) }),
});

/** A finding unless a value has that type. */
export const typed = (path: string, type: TypeName, value: unknown): readonly Finding[] =>
  FITS[type](value) ? [] : [expected(path, type, value)];

/** A finding for another type, or a missing required field. */
export function findingsOfField(
  part: Part,
  key: string,
  type: TypeName,
  isRequired: boolean,
): readonly Finding[] {
  const path = `${part.path}/${key}`;
  if (isGiven(part.fields, key)) return typed(path, type, part.fields[key]);
  return isRequired ? [missing(path)] : [];
}

const SHOWN_FINDINGS = 5;

export function causeOf(findings: readonly [Finding, ...Finding[]]): AnyCause {
  const [first, ...further] = findings;
  const shown = further.slice(0, SHOWN_FINDINGS - 1).map((finding) => finding.why());
  const more = further.length - shown.length;
  return withFurther({ ...first.why(), ...(more > 0 && { more }) }, ...shown);
}

export type Stage = (request: DatasetRequest) => readonly Finding[];

export const inModels =
  (find: (model: Model, request: DatasetRequest) => readonly Finding[]): Stage =>
  (request) =>
    request.models.flatMap((model) => find(model, request));

export const inViews = (find: (view: Part, model: Model) => readonly Finding[]): Stage =>
  inModels((model) => model.views.flatMap((view) => find(view, model)));

/** The entries of an array; none when the field is anything else. */
export function entriesOf({ fields }: Part, key: string): readonly unknown[] {
  const entries = fields[key];
  return Array.isArray(entries) ? entries : [];
}

export const MOST_MODELS = 20;
export const WHEN = ["never", "always", "auto"];
export const OPTIMIZATIONS = ["default", "low_feature_objects", "ar_controller"];
export const APPEARANCES = ["true", "false", "auto"];

/** A request that creates a dataset, as the OpenAPI document shows it; dataset-validation.ts has the rules. */
export function datasetRequestSchema(
  family: DatasetTypeName,
  { datasetViewsRequired, cadDataFormats }: Profile,
): JsonSchema {
  const vector = arraySchema({ type: "number" });
  const view = openObjectSchema(
    { name: stringSchema },
    {
      guideViewPosition: withDescription(
        openObjectSchema({ rotation: vector, translation: vector }),
        "Required in models with stateBasedConfigurationJsonString.",
      ),
      states: arraySchema(stringSchema),
    },
  );
  const views = { views: arraySchema(view) };
  const model = openObjectSchema(
    { name: stringSchema, ...(datasetViewsRequired && views) },
    {
      ...views,
      cadDataUrl: withDescription(stringSchema, "Exactly one of the sources must be given."),
      cadDataBlob: stringSchema,
      cadDataUuid: stringSchema,
      cadDataFormat: cadDataFormats === null ? stringSchema : enumSchema(cadDataFormats),
      automaticColoring: enumSchema(WHEN),
      simplify: enumSchema(WHEN),
      optimizeTrackingFor: enumSchema(OPTIMIZATIONS),
      ...(family === "ADVANCED" && { realisticAppearance: enumSchema(APPEARANCES) }),
      stateBasedConfigurationJsonString: withDescription(stringSchema, "JSON as text."),
    },
  );
  return openObjectSchema({
    name: withDescription(stringSchema, "May be empty."),
    targetSdk: stringSchema,
    models: { ...arraySchema(model), minItems: 1, maxItems: family === "STANDARD" ? 1 : MOST_MODELS },
  });
}
