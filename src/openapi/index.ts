import * as z from "zod/mini";
import { version } from "../../package.json";
import { APIS } from "../core/apis/index.ts";
import { type JsonSchema, stringSchema } from "../core/emulator/json-schemas.ts";
import type { Api, ApiOperation, DeclaredBody, SecurityScheme } from "../core/emulator/operation.ts";
import {
  DEFAULT_PROFILE,
  DEFAULT_URLS,
  PROFILE_NAMES,
  type Profile,
  type ProfileName,
  profiles,
} from "../core/emulator/profiles.ts";
import { responsesUnder } from "../core/emulator/response.ts";
import type { ApiName } from "../core/schema/protocol.ts";
import { checked } from "../core/schema/zod/problems.ts";
import { optional, record } from "../core/schema/zod/record.ts";
import { requestSchema } from "../core/schema/zod/to-json-schema.ts";
import { text as nonEmpty, oneOf } from "../core/schema/zod/values.ts";
import {
  isResourceSchema,
  type MediaTypeObject,
  type ResponseObject,
  responseOf,
  type Variant,
  variantOf,
} from "./variant.ts";

export type { JsonSchema } from "../core/emulator/json-schemas.ts";
export type { SecurityScheme } from "../core/emulator/operation.ts";
export type { ProfileName } from "../core/emulator/profiles.ts";
export type { HeaderObject, MediaTypeObject, ResponseObject } from "./variant.ts";

/** Options of {@link openApiDocument}. */
export interface OpenApiOptions {
  /** Default `neutral`. */
  readonly profile?: ProfileName | undefined;
  /** Base URLs of the servers. Default: the real hosts, and `http://target-manager.test`. */
  readonly urls?: Partial<Readonly<Record<ApiName, string | undefined>>> | undefined;
}

const openApiOptions = z.lazy(() => {
  const urls = { target: nonEmpty, query: nonEmpty, modelTarget: nonEmpty, manager: nonEmpty };
  return record<OpenApiOptions>(
    optional({
      profile: oneOf(...PROFILE_NAMES),
      urls: record<NonNullable<OpenApiOptions["urls"]>>(optional(urls)),
    }),
  );
});

/** A parameter of a path or a query. */
export interface ParameterObject {
  /** As it is sent. */
  readonly name: string;
  /** Where it is sent. */
  readonly in: "path" | "query" | "header";
  /** Whether requests without it are refused. */
  readonly required: boolean;
  /** Schema of its value. */
  readonly schema: JsonSchema;
}

/** One operation of the document. */
export interface OperationObject {
  /** The name that the journal uses; with the prefix `advanced.` for advanced datasets. */
  readonly operationId: string;
  /** Its effect, in one sentence. */
  readonly summary: string;
  /** Its API. */
  readonly tags: readonly string[];
  /** In the path, the query and the headers. */
  readonly parameters: readonly ParameterObject[];
  /** Absent when requests have no body. */
  readonly requestBody?: RequestBodyObject;
  /** By status. */
  readonly responses: Readonly<Record<string, ResponseObject>>;
  /** How requests authenticate; empty when they do not. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

/** The operations of one path. */
export interface PathItem {
  /** Base URLs that serve the path. */
  readonly servers: readonly ServerObject[];
  /** Operations, by method in lower case. */
  readonly [method: string]: OperationObject | readonly ServerObject[];
}

/** Title, version and description of a document. */
export interface DocumentInfo {
  /** The document's title. */
  readonly title: string;
  /** Version of this package. */
  readonly version: string;
  /** Description of the document. */
  readonly description: string;
}

/** One of the APIs. */
export interface Tag {
  /** The name that operations refer to. */
  readonly name: string;
}

/** A base URL. */
export interface ServerObject {
  /** With scheme, without a trailing slash. */
  readonly url: string;
}

/** The request body of an operation. */
export interface RequestBodyObject {
  /** Whether requests without a body are refused. */
  readonly required: boolean;
  /** By media type. */
  readonly content: Readonly<Record<string, MediaTypeObject>>;
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  /** The version of the specification. */
  readonly openapi: "3.1.0";
  /** Title, version and description. */
  readonly info: DocumentInfo;
  /** Base URLs of all APIs, for tools that look only here. Each path has its own. */
  readonly servers: readonly ServerObject[];
  /** One for each API. */
  readonly tags: readonly Tag[];
  /** By path, as a template: `/targets/{id}`. */
  readonly paths: Readonly<Record<string, PathItem>>;
  /** How requests authenticate. */
  readonly components: {
    /** By the names that operations refer to. */
    readonly securitySchemes: Readonly<Record<SecurityScheme, JsonSchema>>;
  };
}

/**
 * The four APIs as an OpenAPI 3.1 document, generated from the operations and checks that serve requests. Responses that a
 * test configures (`cloudQueryFailure`, `modelTargetFailure`) are not included.
 *
 * @throws InvalidOptionError naming the option, its value and what was expected.
 * @example
 * const document = openApiDocument({ urls: mock.urls });
 * await writeFile("openapi.json", JSON.stringify(document, null, 2));
 */
export function openApiDocument(options: OpenApiOptions = {}): OpenApiDocument {
  const { profile = DEFAULT_PROFILE, urls = {} } = checked("options", openApiOptions, options);
  const chosen = profiles[profile];
  const apis = Object.values(APIS);
  const urlOf = ({ name }: Api): string => urls[name] ?? DEFAULT_URLS[name];
  const paths: Record<string, PathItem> = {};
  for (const api of apis) {
    const servers = [{ url: urlOf(api) }];
    for (const operation of api.operations) {
      const { path, parameters } = pathOf(operation.path);
      const described = operationOf(operation, api, chosen, parameters);
      paths[path] = { ...paths[path], servers, [operation.method.toLowerCase()]: described };
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Cloud recognition, as mock-cloud-reco serves it", version, description: INTRODUCTION },
    servers: [...new Set(apis.map(urlOf))].map((url) => ({ url })),
    tags: apis.map(({ title }) => ({ name: title })),
    paths,
    components: { securitySchemes: SECURITY_SCHEMES },
  };
}

function operationOf(
  { name, path, summary, security, body, query, responses, checks }: ApiOperation,
  api: Api,
  profile: Profile,
  pathParameters: readonly ParameterObject[],
): OperationObject {
  const declared = [responses, ...checks.map(({ refusals }) => refusals)];
  const variants = declared
    .flatMap((some) => responsesUnder(some, profile))
    .map((one) => variantOf(one, profile));
  return {
    // Both dataset families have the same operation names.
    operationId: path.startsWith("/modeltargets/advanced") ? `advanced.${name}` : name,
    summary,
    tags: [api.title],
    parameters: [
      ...pathParameters,
      ...Object.entries(query?.(profile) ?? {}).map(([named, schema]) => parameter("query", named, schema)),
      ...(security === "serverKeys" || security === "clientKeys" ? [DATE_PARAMETER] : []),
    ],
    ...(body && {
      requestBody: { required: true, content: { [body.contentType]: { schema: bodySchema(body, profile) } } },
    }),
    responses: responsesOf([...variants, ...ON_SERVERS], api.addedHeaders?.(profile)),
    security: security === undefined ? [] : [{ [security]: [] }],
  };
}

function bodySchema({ schema }: DeclaredBody, profile: Profile): JsonSchema {
  if (typeof schema === "function") return schema(profile);
  return isResourceSchema(schema) ? requestSchema(schema) : schema;
}

function responsesOf(
  variants: readonly Variant[],
  optionalHeaders: readonly string[] = [],
): Readonly<Record<string, ResponseObject>> {
  // The keys of an object that are numbers are in their order.
  const statuses = new Set(variants.map(({ status }) => status));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const ofStatus = variants.filter((variant) => variant.status === status);
      return [status, responseOf(ofStatus, optionalHeaders)];
    }),
  );
}

/** A route's pattern in OpenAPI: `{file:[^/]+}` becomes `{file}`, a parameter with that pattern. */
function pathOf(pattern: string): { path: string; parameters: readonly ParameterObject[] } {
  const parameters: ParameterObject[] = [];
  const path = pattern.replace(/\{(\w+)(?::([^{}]+))?\}/g, (_found, name: string, shape?: string) => {
    parameters.push(
      parameter(
        "path",
        name,
        shape === undefined ? stringSchema : { ...stringSchema, pattern: `^${shape}$` },
      ),
    );
    return `{${name}}`;
  });
  return { path, parameters };
}

const parameter = (where: ParameterObject["in"], name: string, schema: JsonSchema): ParameterObject => ({
  name,
  in: where,
  required: true,
  schema,
});

const DATE_PARAMETER = parameter("header", "Date", {
  ...stringSchema,
  examples: ["Sat, 21 Nov 2026 10:42:00 GMT"],
});

/** Added by HTTP servers. */
const ON_SERVERS: readonly Variant[] = [
  onServer(413, "On servers: the request body is larger than 64 MiB."),
  onServer(502, "On servers: the target manager cannot be reached."),
  onServer(
    503,
    "On servers: all request bodies together exceed 512 MiB, or the image decoder has no memory left.",
  ),
];

function onServer(status: number, description: string): Variant {
  const headers = ["Content-Length", "Date"];
  return { status, description, headers, contentType: "text/plain", schema: stringSchema };
}

const INTRODUCTION = `Generated from the emulator's routes and checks. Servers answer unlisted paths with 404; in process the \
client gets a connection error. A response that a test configured is sent as configured.`;

const signed = (whose: string): JsonSchema => ({
  type: "apiKey",
  in: "header",
  name: "Authorization",
  description: `\`VWS <access key>:<signature>\`, signed with the ${whose} keys of a database`,
});

const SECURITY_SCHEMES: Readonly<Record<SecurityScheme, JsonSchema>> = {
  serverKeys: signed("server"),
  clientKeys: signed("client"),
  oauthClient: { type: "http", scheme: "basic" },
  bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
};
