import type { ClientCredential, Dataset } from "../schema/model-target.ts";
import { freeId, type Write } from "./records.ts";
import { GLOBAL, type PlainChange } from "./store.ts";

/* Changes of the records that belong to no database: datasets and credentials. */

/** Adds, or replaces the one with its uuid, unless `anotherId` draws another one then. */
export const createDataset = (dataset: Dataset, anotherId?: () => string): PlainChange<Dataset> => ({
  key: GLOBAL,
  decide: (records) => {
    const uuid = freeId(dataset.uuid, (id) => records?.datasets.has(id) ?? false, anotherId);
    const record = { ...dataset, uuid };
    return { result: record, writes: [{ kind: "dataset", key: uuid, record }] };
  },
});

const putOf = (credential: ClientCredential): Write => ({
  kind: "credential",
  key: credential.clientId,
  record: credential,
});

export const createCredential = (
  credential: ClientCredential,
  maximum: number,
): PlainChange<"created" | "full"> => ({
  key: GLOBAL,
  decide: (records) =>
    (records?.credentials.size ?? 0) >= maximum
      ? { result: "full" }
      : { result: "created", writes: [putOf(credential)] },
});

/** Adds, or replaces the one with the same client id. */
export const putCredential = (credential: ClientCredential): PlainChange<void> => ({
  key: GLOBAL,
  decide: () => ({ result: undefined, writes: [putOf(credential)] }),
});

export const setCredentialScopes = (
  clientId: string,
  scopes: readonly string[],
): PlainChange<ClientCredential | undefined> => ({
  key: GLOBAL,
  decide: (records) => {
    const credential = records?.credentials.get(clientId);
    if (credential === undefined) return { result: undefined };
    const record = { ...credential, scopes };
    return { result: record, writes: [putOf(record)] };
  },
});

const deletionOf = (kind: "dataset" | "credential", key: string): PlainChange<boolean> => ({
  key: GLOBAL,
  decide: (records) =>
    records?.[`${kind}s`].has(key) === true
      ? { result: true, writes: [{ kind, key, record: null }] }
      : { result: false },
});

/** Returns false if there was none. */
export const deleteDataset = (uuid: string): PlainChange<boolean> => deletionOf("dataset", uuid);

/** Returns false if there was none. */
export const deleteCredential = (clientId: string): PlainChange<boolean> =>
  deletionOf("credential", clientId);
