import { version } from "../../package.json";
import { APIS } from "../apis/index.ts";
import type { Api } from "../core/api.ts";
import { text } from "../core/json-schema.ts";
import type { ApiOperation, SecurityScheme } from "../core/operation.ts";
import { SERVICES, type Service } from "../core/operation-names.ts";
import { DEFAULT_PROFILE, DEFAULT_URLS, type Profile, type ProfileName, profiles } from "../core/profiles.ts";
import { type JsonSchema, responsesUnder } from "../core/response.ts";
import { managerBodies } from "./manager-api.ts";
import { type MediaTypeObject, type ResponseObject, responseOf, type Variant, variantOf } from "./variant.ts";

/** What the document is written for; every field is optional. */
export interface OpenApiOptions {
  /** Default `neutral`. */
  readonly profile?: ProfileName;
  /** Base URLs that the document names. Default: the real hosts, and `http://target-manager.test`. */
  readonly urls?: Partial<Readonly<Record<Service, string>>>;
}

/** A parameter of a path or a query. */
export interface ParameterObject {
  /** Within its place. */
  readonly name: string;
  /** Where it is sent. */
  readonly in: "path" | "query" | "header";
  /** Whether requests without it are refused. */
  readonly required: boolean;
  /** Of its value. */
  readonly schema: JsonSchema;
}

/** One operation of the document. */
export interface OperationObject {
  /** The name that the journal uses; `advanced.` in front of those of advanced datasets. */
  readonly operationId: string;
  /** In one sentence. */
  readonly summary: string;
  /** The API that it belongs to. */
  readonly tags: readonly string[];
  /** In the path, the query and the headers. */
  readonly parameters: readonly ParameterObject[];
  /** Absent: the request has no body. */
  readonly requestBody?: RequestBodyObject;
  /** By status. */
  readonly responses: Readonly<Record<string, ResponseObject>>;
  /** How requests authenticate; empty: not at all. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

/** Operations by their method in lower case, and the base URLs that serve them. */
export interface PathItem {
  /** Base URLs that serve the path. */
  readonly servers: readonly ServerObject[];
  /** Operations, by method in lower case. */
  readonly [method: string]: OperationObject | readonly ServerObject[];
}

/** What a document is about. */
export interface DocumentInfo {
  /** In a few words. */
  readonly title: string;
  /** Of this package. */
  readonly version: string;
  /** In sentences. */
  readonly description: string;
}

/** One of the APIs. */
export interface Tag {
  /** As operations name it. */
  readonly name: string;
}

/** A base URL. */
export interface ServerObject {
  /** With scheme, without a trailing slash. */
  readonly url: string;
}

/** The body that an operation takes. */
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
  /** What the document is about; `version` is the package's. */
  readonly info: DocumentInfo;
  /** One for each API. */
  readonly tags: readonly Tag[];
  /** By path, as a template: `/targets/{id}`. */
  readonly paths: Readonly<Record<string, PathItem>>;
  /** How requests authenticate. */
  readonly components: {
    /** By the names that operations use. */
    readonly securitySchemes: Readonly<Record<SecurityScheme, JsonSchema>>;
  };
}

/**
 * The four APIs as an OpenAPI 3.1 document, made from the operations and checks that answer requests. What a test
 * configures itself (`cloudQueryFailure`, `modelTargetFailure`) is not in it.
 *
 * @example
 * const document = openApiDocument({ urls: mock.urls });
 * await writeFile("openapi.json", JSON.stringify(document, null, 2));
 */
export function openApiDocument({
  profile = DEFAULT_PROFILE,
  urls = {},
}: OpenApiOptions = {}): OpenApiDocument {
  const chosen = profiles[profile];
  const apis = SERVICES.map((service) => apiNamed(service));
  const paths: Record<string, PathItem> = {};
  for (const api of apis) {
    const servers = [{ url: urls[api.name] ?? DEFAULT_URLS[api.name] }];
    for (const operation of api.operations) {
      const { path, parameters } = pathOf(operation.path);
      const described = operationOf(operation, api, chosen, parameters);
      paths[path] = { ...paths[path], servers, [operation.method.toLowerCase()]: described };
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: "Cloud recognition, as mock-cloud-reco serves it", version, description: INTRODUCTION },
    tags: apis.map(({ title }) => ({ name: title })),
    paths,
    components: { securitySchemes: SECURITY_SCHEMES },
  };
}

function apiNamed(service: Service) {
  const found = APIS.find(({ name }) => name === service);
  if (found === undefined) throw new Error(`no API has the name ${service}`);
  return found;
}

function operationOf(
  operation: ApiOperation,
  api: Api,
  profile: Profile,
  pathParameters: readonly ParameterObject[],
): OperationObject {
  const { name, path, security } = operation;
  const { summary, body, query, variants } =
    api.name === "manager" ? managerOperation(operation, profile) : declaredBy(operation, profile);
  return {
    // The two families of datasets have the same operations.
    operationId: path.startsWith("/modeltargets/advanced") ? `advanced.${name}` : name,
    summary,
    tags: [api.title],
    parameters: [
      ...pathParameters,
      ...Object.entries(query).map(([parameterName, schema]) => parameter("query", parameterName, schema)),
      ...(security === "serverKeys" || security === "clientKeys" ? [DATE_PARAMETER] : []),
    ],
    ...(body && {
      requestBody: { required: true, content: { [body.contentType]: { schema: body.schema } } },
    }),
    responses: responsesOf([...variants, ...ON_SERVERS], api.addedHeaders?.(profile)),
    security: security === undefined ? [] : [{ [security]: [] }],
  };
}

/** What the document says of an operation beside its route. */
interface Described {
  readonly summary: string;
  readonly body?: { readonly contentType: string; readonly schema: JsonSchema } | undefined;
  readonly query: Readonly<Record<string, JsonSchema>>;
  readonly variants: readonly Variant[];
}

function declaredBy({ summary, body, query, responses, checks }: ApiOperation, profile: Profile): Described {
  const declared = [
    ...responsesUnder(responses, profile),
    ...checks.flatMap(({ refusals }) => responsesUnder(refusals, profile)),
  ];
  return {
    summary,
    body: body && {
      contentType: body.contentType,
      schema: typeof body.schema === "function" ? body.schema(profile) : body.schema,
    },
    query: query?.(profile) ?? {},
    variants: declared.map((one) => variantOf(one, profile)),
  };
}

/** The manager's operations leave the schemas of their bodies to this document. */
function managerOperation(operation: ApiOperation, profile: Profile): Described {
  const { takes, gives } = managerBodies[operation.name] ?? {};
  const declared = declaredBy(operation, profile);
  return {
    ...declared,
    body: takes && { contentType: "application/json", schema: takes },
    variants: declared.variants.map((variant) =>
      variant.contentType === "application/json" ? { ...variant, schema: variant.schema ?? gives } : variant,
    ),
  };
}

function responsesOf(
  variants: readonly Variant[],
  optionalHeaders: readonly string[] = [],
): Readonly<Record<string, ResponseObject>> {
  const statuses = [...new Set(variants.map(({ status }) => status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const ofStatus = variants.filter((variant) => variant.status === status);
      return [status, responseOf(ofStatus, optionalHeaders)];
    }),
  );
}

/** A route's pattern as OpenAPI writes it: `{file:[^/]+}` is the parameter `{file}` with that shape. */
function pathOf(pattern: string): { path: string; parameters: readonly ParameterObject[] } {
  const parameters: ParameterObject[] = [];
  const path = pattern.replace(/\{(\w+)(?::([^{}]+))?\}/g, (_found, name: string, shape?: string) => {
    parameters.push(parameter("path", name, shape === undefined ? text : { ...text, pattern: `^${shape}$` }));
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

const DATE_PARAMETER = parameter("header", "Date", { ...text, examples: ["Sat, 21 Nov 2026 10:42:00 GMT"] });

/** What real servers answer beside what the operations declare. */
const ON_SERVERS: readonly Variant[] = [
  onServer(413, "On servers: the request body is larger than 64 MiB."),
  onServer(502, "On servers: the target manager cannot be reached."),
];

function onServer(status: number, description: string): Variant {
  const headers = ["Content-Length", "Date"];
  return { status, description, headers, contentType: "text/plain", schema: text };
}

const INTRODUCTION = `Made from the emulator's own routes and checks. Paths that are not listed are answered with 404 by \
servers; in process the client gets a connection error. A response that a test configured itself is sent as configured.`;

const signed = (whose: string): JsonSchema => ({
  type: "apiKey",
  in: "header",
  name: "Authorization",
  description: `\`VWS <access key>:<signature>\`, made with the ${whose} keys of a database`,
});

const SECURITY_SCHEMES: Readonly<Record<SecurityScheme, JsonSchema>> = {
  serverKeys: signed("server"),
  clientKeys: signed("client"),
  oauthClient: { type: "http", scheme: "basic" },
  bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
};
