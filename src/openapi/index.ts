export type { ProfileName } from "../profiles.ts";
export {
  type OpenApiDocument,
  type OpenApiOptions,
  type OperationObject,
  openApiDocument,
  type ParameterObject,
  type PathItem,
} from "./document.ts";
export type { JsonSchema } from "./schema.ts";
export type { ResponseObject, SecurityScheme } from "./variant.ts";
