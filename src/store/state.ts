import type { ClientCredential } from "../schema/credential.ts";
import type { Database } from "../schema/database.ts";
import type { Dataset } from "../schema/dataset.ts";
import type { Report } from "../schema/report.ts";
import type { Target } from "../schema/target.ts";
import type { TemplateTarget } from "../schema/vumark-database.ts";
import type { KeptImage } from "./image-blobs.ts";

/** All that belongs to one database. */
export interface DatabaseRecords {
  readonly database: Database;
  /** By upload date; those that are deleted have no image any more. */
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
  /** All undeleted targets' images, by SHA-256. */
  readonly images: ReadonlyMap<string, KeptImage>;
}
