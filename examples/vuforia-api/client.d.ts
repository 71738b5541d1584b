/** Types for the part of the npm package `vuforia-api` that the example uses; the package has none. */
declare module "vuforia-api" {
  export type Callback<Result> = (error: Error | null, result: Result) => void;

  export interface TargetFields {
    readonly name?: string;
    readonly width?: number;
    /** Base64. */
    readonly image?: string;
    readonly active_flag?: boolean;
    /** Base64. */
    readonly application_metadata?: string;
  }

  interface Result {
    readonly result_code: string;
    readonly transaction_id: string;
  }
  interface TargetRecord {
    readonly target_id: string;
    readonly name: string;
    readonly active_flag: boolean;
  }
  interface Match {
    readonly target_id: string;
    readonly target_data?: { readonly name: string; readonly application_metadata: string | null };
  }

  export interface Client {
    addTarget(target: TargetFields, callback: Callback<Result & { target_id: string }>): void;
    listTargets(callback: Callback<Result & { results: string[] }>): void;
    retrieveTarget(
      id: string,
      callback: Callback<Result & { status: string; target_record: TargetRecord }>,
    ): void;
    updateTarget(id: string, target: TargetFields, callback: Callback<Result>): void;
    retrieveTargetSummary(
      id: string,
      callback: Callback<Result & { target_name: string; database_name: string }>,
    ): void;
    checkForDuplicateTargets(id: string, callback: Callback<Result & { similar_targets: string[] }>): void;
    deleteTarget(id: string, callback: Callback<Result>): void;
    /** @param image - one character per byte. */
    cloudRecoQuery(
      image: string,
      maxNumResults: number,
      callback: Callback<{ result_code: string; results: Match[] }>,
    ): void;
  }

  export function client(keys: {
    readonly serverAccessKey: string;
    readonly serverSecretKey: string;
    readonly clientAccessKey: string;
    readonly clientSecretKey: string;
  }): Client;
}
