export type { SecurityScheme } from "../emulator/operation.ts";
export type { ProfileName } from "../emulator/profiles.ts";
export type { JsonSchema } from "../emulator/response.ts";
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
