import { gunzipSync } from "node:zlib";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { OpenApiDocument, OperationObject, ResponseObject } from "mock-cloud-reco/openapi";
import type { Client, ClientRequest, ClientResponse } from "../support/clients.ts";

const GZIP_MAGIC = 0x1f8b;

const AJV = new Ajv2020({
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  formats: {
    "date-time": (text: string) => new Date(text).toISOString() === text,
    date: /^\d{4}-\d\d-\d\d$/,
    uri: (text: string) => URL.canParse(text),
  },
});
/** By the text of the schema, because many are alike, of other responses and profiles too, and to compile one takes milliseconds. */
const validators = new Map<string, ValidateFunction>();
function validatorOf(schema: object): ValidateFunction {
  const text = JSON.stringify(schema);
  const validate = validators.get(text) ?? AJV.compile(schema);
  validators.set(text, validate);
  return validate;
}

/** Checks what a service sends against an OpenAPI document, and remembers which responses came. */
export class Conformance {
  /** Responses that came: the operation's id and the status. */
  readonly seen = new Set<string>();
  private readonly operations: readonly { method: string; path: RegExp; operation: OperationObject }[];

  constructor(document: OpenApiDocument) {
    this.operations = operationsOf(document).map(({ method, path, operation }) => ({
      method,
      path: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
      operation,
    }));
  }

  /** Every response that the document declares, as in {@link seen}. */
  get declared(): readonly string[] {
    return this.operations.flatMap(({ operation }) =>
      Object.keys(operation.responses).map((status) => `${operation.operationId} ${status}`),
    );
  }

  /** The same client; a response that is not as declared is an error that says what is wrong. */
  checking(client: Client): Client {
    return async (request) => {
      const response = await client(request);
      const problems = this.problemsOf(request, response);
      if (problems.length === 0) return response;
      const shown = `${request.method} ${request.url}: ${response.status} ${response.body.toString()}`;
      throw new Error([shown, ...problems].join("\n"));
    };
  }

  private problemsOf({ method, url }: ClientRequest, response: ClientResponse): readonly string[] {
    const { pathname } = new URL(url);
    const found = this.operations.filter((one) => one.method === method && one.path.test(pathname));
    const [{ operation } = {}] = found;
    if (operation === undefined || found.length > 1)
      return [`${found.length} operations are declared for the path`];
    this.seen.add(`${operation.operationId} ${response.status}`);
    const declared = operation.responses[response.status];
    if (declared === undefined) return [`${operation.operationId} declares no status ${response.status}`];
    return [...headerProblems(declared, response.headers), ...this.bodyProblems(declared, response)];
  }

  private bodyProblems({ content = {} }: ResponseObject, { headers, body }: ClientResponse): string[] {
    // Some clients decode the body, and leave the header.
    const isGzip =
      headers["content-encoding"] === "gzip" && body.length > 2 && body.readUInt16BE(0) === GZIP_MAGIC;
    const decoded = isGzip ? gunzipSync(body) : body;
    const type = headers["content-type"]?.split(";", 1)[0];
    if (type === undefined) return decoded.length === 0 ? [] : ["a body without Content-Type"];
    const declared = content[type];
    if (declared === undefined) return [`the content type ${type} is not declared`];
    if (decoded.length === 0 && type !== "text/plain") return ["an empty body with a Content-Type"];
    if (declared.schema === undefined) return [];
    const validate = validatorOf(declared.schema);
    return validate(contentOf(type, decoded)) ? [] : [AJV.errorsText(validate.errors)];
  }
}

/** Some parts of the service send plain text as `application/json`. */
function contentOf(type: string, body: Buffer): unknown {
  const text = body.toString();
  if (type !== "application/json") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function headerProblems(declared: ResponseObject, received: Readonly<Record<string, string>>): string[] {
  const names = new Map(Object.entries(declared.headers).map(([name, one]) => [name.toLowerCase(), one]));
  const missing = [...names].filter(([name, { required }]) => required && received[name] === undefined);
  const undeclared = Object.keys(received).filter((name) => name !== "content-type" && !names.has(name));
  return [
    ...missing.map(([name]) => `the header ${name} is missing`),
    ...undeclared.map((name) => `the header ${name} is not declared`),
  ];
}

/** The operations of a document, with their methods and paths. */
export function operationsOf({ paths }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([key, operation]) =>
      isOperation(operation) ? [{ method: key.toUpperCase(), path, operation }] : [],
    ),
  );
}

const isOperation = (entry: OpenApiDocument["paths"][string][string]): entry is OperationObject =>
  "operationId" in entry;
