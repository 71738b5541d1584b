import type { DatasetFamily } from "../../../domain/dataset.ts";
import { isJsonObject, type JsonObject } from "../../../http/request-body.ts";
import type { Profile } from "../../../profiles.ts";

/** A creation request in the shape that the stages read: what is no object where one belongs counts as `{}`. */
export interface DatasetRequest {
  readonly family: DatasetFamily;
  readonly profile: Profile;
  readonly fields: JsonObject;
  readonly models: readonly Model[];
}

/** A part of the request, and where it is. */
export interface Part {
  readonly path: string;
  readonly fields: JsonObject;
}

export interface Model extends Part {
  readonly views: readonly Part[];
}

export function readDatasetRequest(
  fields: JsonObject,
  family: DatasetFamily,
  profile: Profile,
): DatasetRequest {
  const models = partsOf({ path: "", fields }, "models").map((model) => ({
    ...model,
    views: partsOf(model, "views"),
  }));
  return { family, profile, fields, models };
}

function partsOf({ path, fields }: Part, key: string): readonly Part[] {
  const entries = fields[key];
  if (!Array.isArray(entries)) return [];
  return entries.map((entry: unknown, index) => ({
    path: `${path}/${key}(${index})`,
    fields: isJsonObject(entry) ? entry : {},
  }));
}

/** A key that is present counts as given, also with null. */
export const isGiven = ({ fields }: Part, key: string): boolean => Object.hasOwn(fields, key);

export const isStateBased = (model: Model): boolean => isGiven(model, "stateBasedConfigurationJsonString");
