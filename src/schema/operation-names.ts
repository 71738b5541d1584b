/** The APIs, in the order in which hints name them. */
export const SERVICES = ["target", "modelTarget", "query", "manager"] as const;
/** One of the four APIs. */
export type Service = (typeof SERVICES)[number];

/** The operations of the target API on cloud databases. */
const TARGET_OPERATIONS = [
  "addTarget",
  "listTargets",
  "getTarget",
  "updateTarget",
  "deleteTarget",
  "getDuplicates",
  "databaseSummary",
  "targetSummary",
] as const;

/** The operations of all APIs but the target manager. */
export const OPERATIONS = [
  ...TARGET_OPERATIONS,
  "generateInstance",
  "requestReport",
  "downloadReport",
  "query",
  "token",
  "listCredentials",
  "createCredential",
  "updateCredentialScopes",
  "deleteCredential",
  "createDataset",
  "datasetStatus",
  "downloadDataset",
  "deleteDataset",
] as const;

/** The name of an operation, as the journal and fault rules use it. */
export type Operation = (typeof OPERATIONS)[number] | `manager.${string}`;

/** The valid names of operations, for messages. */
export const OPERATION_NAMES = `${OPERATIONS.join(", ")}, or one of the manager's, which begin with "manager."`;

/** Whether it is the name of an operation. */
export const isOperation = (name: unknown): name is Operation =>
  typeof name === "string" && (name.startsWith("manager.") || OPERATIONS.some((known) => known === name));
