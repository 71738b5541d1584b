import type { JsonObject } from "../../../http/request-body.ts";
import type { DatasetRequest } from "./dataset-request.ts";
import { expected, type Finding, missing } from "./finding.ts";

const TOP_LEVEL = [
  { key: "models", type: "jsarray", fits: Array.isArray },
  { key: "name", type: "jsstring", fits: isString },
  { key: "targetSdk", type: "jsstring", fits: isString },
] as const;

function isString(value: unknown): boolean {
  return typeof value === "string";
}

/** Stage 1: what every request has. */
export const missingTopLevel = (fields: JsonObject): readonly Finding[] =>
  TOP_LEVEL.filter(({ key }) => !Object.hasOwn(fields, key)).map(({ key }) => missing(`/${key}`));

/** Stage 2: its types. */
export const topLevelTypes = ({ fields }: DatasetRequest): readonly Finding[] =>
  TOP_LEVEL.filter(({ key, fits }) => !fits(fields[key])).map(({ key, type }) =>
    expected(`/${key}`, type, fields[key]),
  );
