export type { SecurityScheme } from "../core/operation.ts";
export type { ProfileName } from "../core/profiles.ts";
export type { JsonSchema } from "../core/response.ts";
export {
  type DocumentInfo,
  type OpenApiDocument,
  type OpenApiOptions,
  type OperationObject,
  openApiDocument,
  type ParameterObject,
  type PathItem,
  type RequestBodyObject,
  type ServerObject,
  type Tag,
} from "./document.ts";
export type { HeaderObject, MediaTypeObject, ResponseObject } from "./variant.ts";
