import type { ApiResponse, Context } from "./context.ts";
import type { HeaderList } from "./message.ts";
import type { Profile } from "./profiles.ts";
import { rfc1123Date } from "./signing.ts";

/** A JSON Schema of the dialect 2020-12, which OpenAPI 3.1 uses. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * One way in which an API responds, said once: responses are made from it, and so are the OpenAPI document and the
 * tables of the documentation.
 */
export interface DeclaredResponse<Details = unknown> {
  readonly status: number;
  /** When it is sent, in a sentence. */
  readonly description: string;
  readonly resultCode?: string;
  /** All headers but `Content-Length`, which comes last. */
  readonly headers: (at: Pick<Context, "profile" | "now">) => HeaderList;
  /** Of the body, as JSON or as text; absent: any bytes. */
  readonly schema?: JsonSchema;
  /** Absent: the body is empty. */
  body?(context: Context, details: Details): Buffer | string;
}

/** Any response that can be declared, whatever fills it in. */
export type AnyDeclaredResponse = DeclaredResponse<never>;

/** Responses that depend on the profile, or not. */
export type DeclaredResponses =
  | readonly AnyDeclaredResponse[]
  | ((profile: Profile) => readonly AnyDeclaredResponse[]);

export const responsesUnder = (declared: DeclaredResponses, profile: Profile) =>
  typeof declared === "function" ? declared(profile) : declared;

/** A declared response with what fills it in. */
export class PreparedResponse {
  constructor(
    readonly declared: AnyDeclaredResponse,
    readonly respond: (context: Context) => ApiResponse,
  ) {}
}

/** A request refused: the response, and one plain sentence that says what to change (without any secret in it). */
export class Refusal extends PreparedResponse {
  constructor(
    declared: AnyDeclaredResponse,
    respond: (context: Context) => ApiResponse,
    readonly reason: string,
    /** The documented answer while something is being processed: the client is to ask again, and did nothing wrong. */
    readonly isNotYet = false,
  ) {
    super(declared, respond);
  }
}

type DetailsArgument<Details> = undefined extends Details ? [details?: Details] : [details: Details];

/** What a handler answers when all went well. */
export function ok<Details>(
  declared: DeclaredResponse<Details>,
  ...[details]: DetailsArgument<Details>
): PreparedResponse {
  return new PreparedResponse(declared, (context) => makeResponse(declared, context, details as Details));
}

/** What a check or a handler answers when it refuses a request. */
export function refuse<Details>(
  declared: DeclaredResponse<Details>,
  reason: string,
  ...[details]: DetailsArgument<Details>
): Refusal {
  return new Refusal(declared, (context) => makeResponse(declared, context, details as Details), reason);
}

/** What those who poll get until something is ready: no refusal in the journal, but it says why. */
export function notYet<Details>(
  declared: DeclaredResponse<Details>,
  reason: string,
  ...[details]: DetailsArgument<Details>
): Refusal {
  const respond = (context: Context) => makeResponse(declared, context, details as Details);
  return new Refusal(declared, respond, reason, true);
}

const NO_BODY = Buffer.alloc(0);

/** A declared response to one request. */
export function makeResponse<Details>(
  { status, headers, body, resultCode }: DeclaredResponse<Details>,
  context: Context,
  details: Details,
): ApiResponse {
  const content = body?.(context, details) ?? NO_BODY;
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return {
    status,
    headers: [...headers(context), ["Content-Length", String(bytes.length)]],
    body: bytes,
    ...(resultCode !== undefined && { resultCode }),
  };
}

/** @throws Error when the response is none of those declared: a defect of this package, not of a request. */
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

/** The `Date` header of a response. */
export const dateOf = ({ now }: Pick<Context, "now">): string => rfc1123Date(new Date(now));

/** A new transaction id or query id. */
export const transactionId = ({ random }: Pick<Context, "random">): string => random.hex(32);
