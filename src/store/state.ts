import type { ClientCredential } from "../domain/credential.ts";
import type { Database } from "../domain/database.ts";
import type { Dataset } from "../domain/dataset.ts";
import type { Report } from "../domain/report.ts";
import type { Target, TemplateTarget } from "../domain/target.ts";

/** All that belongs to one database. */
export interface DatabaseRecords {
  readonly database: Database;
  /** Those that are not deleted, in order of creation, and then those that are. */
  readonly targets: readonly Target[];
  readonly templates: readonly TemplateTarget[];
  readonly reports: readonly Report[];
  /** When requests were accepted, in milliseconds since the epoch, by the limit that they count for. */
  readonly accepted: readonly { readonly limit: string; readonly moments: readonly number[] }[];
}

/** Everything that a store holds at one moment. The records are immutable, so that keeping them costs next to nothing. */
export interface StoreState {
  readonly databases: readonly DatabaseRecords[];
  readonly datasets: readonly Dataset[];
  readonly credentials: readonly ClientCredential[];
  /** Bytes of all targets' images, by SHA-256. */
  readonly images: ReadonlyMap<string, Buffer>;
}

/**
 * A mock's whole state as plain JSON: databases with their keys and targets, reports, rate-limit histories, datasets and
 * credentials, and every image once. Frozen. Holds secrets, but not the journal.
 */
export interface Snapshot {
  /** Of the form, for later ones. */
  readonly version: 1;
  /** With their keys, targets, reports and rate-limit histories. */
  readonly databases: readonly (Omit<DatabaseRecords, "targets"> & {
    /** Each with its image's SHA-256 in place of the image. */
    readonly targets: readonly (Omit<Target, "image"> & {
      /** SHA-256. */
      readonly image: string;
    })[];
  })[];
  /** Of both families. */
  readonly datasets: readonly Dataset[];
  /** Of OAuth 2.0 clients. */
  readonly credentials: readonly ClientCredential[];
  /** Base64 by SHA-256. */
  readonly images: Readonly<Record<string, string>>;
}
