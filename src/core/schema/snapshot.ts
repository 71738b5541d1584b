import * as z from "zod/mini";
import { seededCloudDatabase } from "./cloud-database.ts";
import {
  type Database,
  databaseRecord,
  seededVuMarkDatabase,
  type TemplateTarget,
  templateTargetRecord,
} from "./database.ts";
import {
  type ClientCredential,
  credentialRecord,
  type Dataset,
  datasetRecord,
  postedCredential,
  postedDataset,
} from "./model-target.ts";
import { type Report, reportRecord } from "./report.ts";
import { type TargetRecord, targetRecord } from "./target.ts";
import { optional, record } from "./zod/record.ts";
import { kind, list, listOf, table, text } from "./zod/values.ts";
import { wireForm } from "./zod/wire.ts";

/** When the requests that count towards a limit were accepted. */
interface AcceptedRequests {
  readonly limit: string;
  /** In milliseconds since the epoch. */
  readonly moments: readonly number[];
}

/** A database and everything that belongs to it. */
export interface SnapshotDatabase<StoredTarget = TargetRecord> {
  /** With its keys. */
  readonly database: Database;
  /** By upload date; deleted targets have no image and no metadata. */
  readonly targets: readonly StoredTarget[];
  /** Template targets, in order of creation. */
  readonly templates: readonly TemplateTarget[];
  /** Recognition-counts reports. */
  readonly reports: readonly Report[];
  /** By limit. */
  readonly accepted: readonly AcceptedRequests[];
}

/** The records that belong to no database. */
export interface GlobalRecords {
  /** Of both families. */
  readonly datasets: readonly Dataset[];
  /** Of OAuth 2.0 clients. */
  readonly credentials: readonly ClientCredential[];
}

/**
 * A mock's whole state as plain JSON: databases with their keys and targets, reports, rate-limit histories, datasets,
 * credentials, and every image once. Frozen. Contains secrets, but not the journal.
 */
export interface Snapshot extends GlobalRecords {
  /** Version of the format. */
  readonly version: 2;
  /** With their keys, targets, reports and rate-limit histories. */
  readonly databases: readonly SnapshotDatabase[];
  /** Base64 by SHA-256. */
  readonly images: Readonly<Record<string, string>>;
}

export const targetRecords = z.lazy(() => listOf(targetRecord));

/** Building the state checks that keys are unique and all images are present. */
export const snapshot = z.lazy(() =>
  record<Snapshot>({
    version: kind("2", z.literal(2)),
    databases: listOf(
      record<SnapshotDatabase>({
        database: databaseRecord,
        targets: targetRecords,
        templates: listOf(templateTargetRecord),
        reports: listOf(reportRecord),
        accepted: listOf(record<AcceptedRequests>({ limit: text, moments: listOf(z.number()) })),
      }),
    ),
    datasets: listOf(datasetRecord),
    credentials: listOf(credentialRecord),
    images: kind("an object of base64 by SHA-256", table(z.string(), kind("base64", z.string()))),
  }),
);

/** The initial state of servers, a seed file: the target manager's resources, with targets inside their databases; read-only fields are refused. */
export const seed = wireForm(
  z.lazy(() => {
    const lists = {
      cloudDatabases: kind("a list of cloud databases", list(seededCloudDatabase)),
      vumarkDatabases: kind("a list of VuMark databases", list(seededVuMarkDatabase)),
      oauth2ClientCredentials: kind("a list of client credentials", list(postedCredential.schema)),
      modelTargetDatasets: kind("a list of Model Target datasets", list(postedDataset.schema)),
    };
    return record(optional(lists));
  }),
);

/** A snapshot that cannot be restored. The message says what is wrong, without values, because they may be secrets. */
export class InvalidSnapshotError extends TypeError {
  /** Identifies the error. */
  override readonly name = "InvalidSnapshotError";
}
