/** The hosts of protocol section 1, by what they serve. */
export const SERVICES = ["target", "modelTarget", "query", "manager"] as const;
export type Service = (typeof SERVICES)[number];

/** What a request asked for, by the name that the journal and fault rules use. */
export type Operation =
  | "addTarget"
  | "listTargets"
  | "getTarget"
  | "updateTarget"
  | "deleteTarget"
  | "getDuplicates"
  | "databaseSummary"
  | "targetSummary"
  | "generateInstance"
  | "requestReport"
  | "downloadReport"
  | "query"
  | "token"
  | "listCredentials"
  | "createCredential"
  | "updateCredentialScopes"
  | "deleteCredential"
  | "createDataset"
  | "datasetStatus"
  | "downloadDataset"
  | "deleteDataset"
  | `manager.${string}`;
