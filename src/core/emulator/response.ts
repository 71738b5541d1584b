import type { AnyCause } from "../schema/causes/causes.ts";
import type { ApiResponse, Context, HeaderContext } from "./context.ts";
import type { JsonSchema } from "./json-schemas.ts";
import type { BodyStream, HeaderList } from "./message.ts";
import type { Profile } from "./profiles.ts";

/**
 * Describes a body: a JSON Schema, or a schema from `src/core/schema`, which the OpenAPI document converts. The latter by a common
 * property, so that the package's declarations need no other package.
 */
export type BodySchema = JsonSchema | { readonly _zod: object };

/**
 * A response that an API may send. Actual responses, the OpenAPI document and the tables of the documentation are made
 * from it.
 */
export interface DeclaredResponse<Details = unknown> {
  readonly status: number;
  /** When it is sent, in a sentence. */
  readonly description: string;
  readonly resultCode?: string;
  /** All headers but `Content-Length`, which comes last. */
  readonly headers: (at: HeaderContext) => HeaderList;
  /** Schema of the body, as JSON or as text. Absent: any bytes. */
  readonly schema?: BodySchema;
  /** Absent: the body is empty. */
  body?(context: Context, details: Details): Buffer | string | BodyStream;
}

/** A declared response with the type of its details erased. */
export type AnyDeclaredResponse = DeclaredResponse<never>;

/** Declared responses, which may depend on the profile. */
export type DeclaredResponses =
  | readonly AnyDeclaredResponse[]
  | ((profile: Profile) => readonly AnyDeclaredResponse[]);

export const responsesUnder = (declared: DeclaredResponses, profile: Profile) =>
  typeof declared === "function" ? declared(profile) : declared;

const NO_BODY = Buffer.alloc(0);

/** A declared response together with its details. */
export interface PreparedResponse {
  readonly declared: AnyDeclaredResponse;
  readonly details: unknown;
}

export function respond({ declared, details }: PreparedResponse, context: Context): ApiResponse {
  const { status, headers, body, resultCode } = declared;
  const content = body?.(context, details as never) ?? NO_BODY;
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return {
    status,
    headers: [...headers(context), ["Content-Length", String(bytes.length)]],
    ...("chunks" in bytes ? { body: NO_BODY, bodyStream: bytes } : { body: bytes }),
    ...(resultCode !== undefined && { resultCode }),
  };
}

/** A refused request: the response, and what to change (without secrets). */
export class Refusal implements PreparedResponse {
  constructor(
    readonly declared: AnyDeclaredResponse,
    readonly details: unknown,
    readonly cause: AnyCause,
    /** The documented answer while something is being processed: the client made no mistake and should ask again. */
    readonly isNotYet = false,
  ) {}
}

type DetailsArgument<Details> = undefined extends Details ? [details?: Details] : [details: Details];

/** A handler's response to a successful request. */
export function ok<Details>(
  declared: DeclaredResponse<Details>,
  ...[details]: DetailsArgument<Details>
): PreparedResponse {
  return { declared, details };
}

/** A refusal by a check or a handler. */
export function refuse<Details>(
  declared: DeclaredResponse<Details>,
  cause: AnyCause,
  ...[details]: DetailsArgument<Details>
): Refusal {
  return new Refusal(declared, details, cause);
}

/** The response to polling before something is ready: no refusal in the journal, which still shows the cause. */
export function notYet<Details>(
  declared: DeclaredResponse<Details>,
  cause: AnyCause,
  ...[details]: DetailsArgument<Details>
): Refusal {
  return new Refusal(declared, details, cause, true);
}

/** @throws Error when the response is not among those declared: a defect of this package, not of a request. */
export function assertDeclared(
  who: string,
  declared: readonly AnyDeclaredResponse[],
  prepared: PreparedResponse,
): void {
  if (declared.includes(prepared.declared)) return;
  const { status, resultCode = "" } = prepared.declared;
  throw new Error(
    `${[who, "answers with", status, resultCode].filter((word) => word !== "").join(" ")}, which it does not declare`,
  );
}

export const dateOf = (now: number): string => new Date(now).toUTCString();

/** The headers of a response that has only `Content-Type`, `Date` and `Content-Length`. */
export const dated =
  (contentType?: string) =>
  ({ now }: HeaderContext): HeaderList => [
    ...(contentType === undefined ? [] : [["Content-Type", contentType] as const]),
    ["Date", dateOf(now)],
  ];

/** A response whose only headers are `Content-Type` and `Content-Length`. */
export function bodyReply(status: number, contentType: string, content: string): ApiResponse {
  const body = Buffer.from(content);
  return {
    status,
    headers: [
      ["Content-Type", contentType],
      ["Content-Length", String(body.length)],
    ],
    body,
  };
}
