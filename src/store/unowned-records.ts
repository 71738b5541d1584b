import type { ClientCredential } from "../domain/credential.ts";
import type { Dataset } from "../domain/dataset.ts";

/** The records that belong to no database: Model Target datasets and client credentials. */
export class UnownedRecords {
  protected readonly datasets = new Map<string, Dataset>();
  protected readonly credentials = new Map<string, ClientCredential>();

  createDataset(dataset: Dataset): void {
    this.datasets.set(dataset.uuid, dataset);
  }

  findDataset(uuid: string): Dataset | undefined {
    return this.datasets.get(uuid);
  }

  listDatasets(): readonly Dataset[] {
    return [...this.datasets.values()];
  }

  deleteDataset(uuid: string): boolean {
    return this.datasets.delete(uuid);
  }

  createCredential(credential: ClientCredential, maximum: number): "created" | "full" {
    if (this.credentials.size >= maximum) return "full";
    this.putCredential(credential);
    return "created";
  }

  putCredential(credential: ClientCredential): void {
    this.credentials.set(credential.clientId, credential);
  }

  findCredential(clientId: string): ClientCredential | undefined {
    return this.credentials.get(clientId);
  }

  listCredentials(): readonly ClientCredential[] {
    return [...this.credentials.values()];
  }

  setCredentialScopes(clientId: string, scopes: readonly string[]): ClientCredential | undefined {
    const credential = this.credentials.get(clientId);
    if (credential === undefined) return undefined;
    const changed = { ...credential, scopes };
    this.credentials.set(clientId, changed);
    return changed;
  }

  deleteCredential(clientId: string): boolean {
    return this.credentials.delete(clientId);
  }
}
