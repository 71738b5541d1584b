import type { Service } from "../schema/operation-names.ts";
import type { AnyCheck } from "./check.ts";
import type { ApiResponse, Context } from "./context.ts";
import type { FaultRule } from "./faults.ts";
import type { MaybePromise } from "./message.ts";
import type { ApiOperation } from "./operation.ts";
import type { Profile } from "./profiles.ts";
import type { DeclaredResponse, PreparedResponse } from "./response.ts";

/** Why the bytes on a socket could not be read as a complete request. */
export type MalformedKind = "contentLength" | "headersTooLarge" | "malformed" | "bodyTooLarge" | "overloaded";

type SettingsOf<Services> = Services extends { readonly settings: infer Settings } ? Settings : never;

/** One API: its operations, and how it answers requests that match none of them. */
export interface Api<Services = never> {
  readonly name: Service;
  /** Its name in hints and in the OpenAPI document. */
  readonly title: string;
  /** The option that sets its base URL. */
  readonly urlOption: string;
  readonly operations: readonly ApiOperation<Services>[];
  /** Checks that also apply to requests that match no operation. */
  readonly unservedChecks?: readonly AnyCheck[];
  /** Answers requests that match no operation. */
  readonly unserved: (context: Context) => PreparedResponse;
  /** A failure in the API's own envelope, for faults. */
  readonly failure: (code: string, status: number, operation?: ApiOperation) => PreparedResponse;
  /** A line of text from the emulator's server rather than from the emulated service; the details are that line. */
  readonly serverText: (status: number) => DeclaredResponse<string>;
  /** Answers malformed requests, by kind; the details are the reason. */
  readonly malformed: Readonly<Record<MalformedKind, DeclaredResponse<string>>>;
  /** Permanent faults that its settings define; they apply before any check. */
  readonly presetFaults?: (settings: SettingsOf<Services>) => readonly FaultRule[];
  /** Adds what all responses of the API share. Not applied to configured responses. */
  readonly finish?: (
    response: ApiResponse,
    context: Context,
    services: Services,
  ) => MaybePromise<ApiResponse>;
  /** Headers that {@link finish} may add. */
  readonly addedHeaders?: (profile: Profile) => readonly string[];
  /** Whether its bodies contain keys, passwords or tokens by design. */
  readonly holdsSecrets: boolean;
  /** Whether the configured response delay applies. */
  readonly isDelayed: boolean;
  /** Finds the database that a request belongs to, by the access key or the token in its `Authorization`. */
  readonly owner: (
    authorization: string | undefined,
    services: Services,
  ) => MaybePromise<{ readonly databaseName: string } | undefined>;
}
