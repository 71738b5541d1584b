export type { ProfileName } from "../profiles.ts";
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
export type { JsonSchema } from "./schema.ts";
export type { HeaderObject, MediaTypeObject, ResponseObject, SecurityScheme } from "./variant.ts";
