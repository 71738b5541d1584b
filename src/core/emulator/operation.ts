import type { ApiName, Operation } from "../schema/protocol.ts";
import type { AnyCheck, CheckTable } from "./check.ts";
import {
  type ApiResponse,
  type BodyKeys,
  type Context,
  type OperationContext,
  type PathParams,
  pathMatcher,
} from "./context.ts";
import type { JsonSchema } from "./json-schemas.ts";
import type { MalformedKind } from "./message.ts";
import type { Profile } from "./profiles.ts";
import type { BodySchema, DeclaredResponse, DeclaredResponses, PreparedResponse } from "./response.ts";

export interface DeclaredBody {
  readonly contentType: string;
  readonly schema: BodySchema | ((profile: Profile) => JsonSchema);
  /** The keys that a JSON object may have. */
  readonly keys?: BodyKeys;
}

/** The authentication of an operation. */
export type SecurityScheme = "serverKeys" | "clientKeys" | "oauthClient" | "bearer";

interface OperationFacts {
  readonly method: string;
  /** With parameters: `/targets/{id}`, `/reports/{file:[^/]+\.csv}`. */
  readonly path: string;
  /** Its effect, in one sentence. */
  readonly summary: string;
  /** Absent: no authentication. */
  readonly security?: SecurityScheme;
  readonly body?: DeclaredBody;
  readonly query?: (profile: Profile) => Readonly<Record<string, JsonSchema>>;
  /** Every response of the handler, refusals included. */
  readonly responses: DeclaredResponses;
}

/** One operation of one API. */
export interface ApiOperation<Services = never> extends OperationFacts {
  readonly name: Operation;
  readonly checks: readonly AnyCheck[];
  readonly match: (path: string) => PathParams | undefined;
  /** Runs after all checks. May still refuse a conflict that only the store sees. */
  handle(context: OperationContext<Services>): Promise<PreparedResponse>;
}

/** Defines an operation, with its own checks of the table. */
export function operation<
  Services,
  Contexts extends { readonly [Key in keyof Contexts]: OperationContext<Services> },
  Name extends Operation & keyof Contexts,
>({
  name,
  checks: table,
  handle,
  ...facts
}: OperationFacts & {
  readonly name: Name;
  readonly checks: CheckTable<Contexts>;
  readonly handle: (context: Contexts[Name]) => Promise<PreparedResponse>;
}): ApiOperation<Services> {
  return { name, ...facts, checks: table.for(name), match: pathMatcher(facts.path), handle };
}

/** One API: its operations, and how it answers requests that match none of them. */
export interface Api<Services = never> {
  readonly name: ApiName;
  /** Its name in hints and in the OpenAPI document. */
  readonly title: string;
  /** The option that sets its base URL. */
  readonly urlOption: string;
  readonly operations: readonly ApiOperation<Services>[];
  /** Checks that also apply to requests that match no operation. */
  readonly unservedChecks?: readonly AnyCheck[];
  readonly unserved: (context: Context) => PreparedResponse;
  /** A failure in the API's own envelope, for faults. */
  readonly failure: (code: string, status: number, operation?: ApiOperation) => PreparedResponse;
  /** A line of text from the emulator's server rather than from the emulated service; the details are that line. */
  readonly serverText: (status: number) => DeclaredResponse<string>;
  /** Answers malformed requests that no check of an operation answers, by kind; the details are the reason. */
  readonly malformed: Readonly<Record<MalformedKind, DeclaredResponse<string>>>;
  /** The checks that refuse the same in requests that can be read: the journal names them. */
  readonly malformedChecks: Readonly<Partial<Record<MalformedKind, AnyCheck>>>;
  /** Adds what all responses of the API share. Not applied to configured responses. */
  readonly encode?: (response: ApiResponse, context: Context, services: Services) => Promise<ApiResponse>;
  /** Headers that {@link encode} may add. */
  readonly addedHeaders?: (profile: Profile) => readonly string[];
  /** Whether its bodies contain keys, passwords or tokens by design. */
  readonly holdsSecrets: boolean;
  readonly isDelayed: boolean;
  /** Finds the database that a request belongs to, by the access key or the token in its `Authorization`. */
  readonly databaseOf: (
    authorization: string | undefined,
    services: Services,
  ) => Promise<{ readonly databaseName: string } | undefined>;
}
