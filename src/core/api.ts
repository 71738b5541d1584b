import type { AnyCheck } from "./check.ts";
import type { ApiResponse, Context } from "./context.ts";
import type { FaultRule } from "./faults.ts";
import type { MaybePromise } from "./message.ts";
import type { ApiOperation } from "./operation.ts";
import type { Service } from "./operation-names.ts";
import type { Profile } from "./profiles.ts";
import type { DeclaredResponse, PreparedResponse } from "./response.ts";

/** Why no whole request could be made of what came over a socket. */
export type MalformedKind = "contentLength" | "headersTooLarge" | "malformed" | "bodyTooLarge" | "overloaded";

/** One API: its operations, and how it answers what is no request to any of them. */
export interface Api<Services = never> {
  readonly name: Service;
  /** As hints and the OpenAPI document call it. */
  readonly title: string;
  /** The option that holds its base URL. */
  readonly urlOption: string;
  readonly operations: readonly ApiOperation<Services>[];
  /** Checks that apply to requests that nothing serves, too. */
  readonly unservedChecks?: readonly AnyCheck[];
  /** Answers what nothing serves. */
  readonly unserved: (context: Context) => PreparedResponse;
  /** Any failure, in the API's own envelope; for faults. */
  readonly failure: (code: string, status: number, operation?: ApiOperation) => PreparedResponse;
  /** One line of text that a server says, and not the service; the details. */
  readonly serverText: (status: number) => DeclaredResponse<string>;
  /** Answers what could not be read as a request; the details are the reason. */
  readonly malformed: Readonly<Record<MalformedKind, DeclaredResponse<string>>>;
  /** The faults that its settings name: they come before any check, and never end. */
  readonly presetFaults?: (services: Services) => readonly FaultRule[];
  /** Gives every response what all of them have; configured responses are sent as they are. */
  readonly finish?: (
    response: ApiResponse,
    context: Context,
    services: Services,
  ) => MaybePromise<ApiResponse>;
  /** Headers that {@link finish} may add. */
  readonly addedHeaders?: (profile: Profile) => readonly string[];
  /** Whether its bodies have keys, passwords and tokens in them by design. */
  readonly holdsSecrets: boolean;
  /** Whether the configured response delay applies. */
  readonly isDelayed: boolean;
  /** The database whose key a request names. */
  readonly keyOwner: (
    accessKey: string,
    services: Services,
  ) => MaybePromise<{ readonly databaseName: string } | undefined>;
}
