import * as z from "zod/mini";
import {
  type CloudDatabase,
  cloudDatabaseRecord,
  type DatabaseState,
  type HexSource,
  stateName,
} from "./cloud-database.ts";
import { byKind, optional, record, storedRecord } from "./zod/record.ts";
import {
  key,
  kind,
  list,
  listOf,
  oneOf,
  pathName,
  seconds,
  text,
  timestamp,
  trueOrFalse,
} from "./zod/values.ts";
import { wireForm } from "./zod/wire.ts";

/** Fields of a new template (VuMark) target. */
export interface TemplateTargetFields {
  /** At least one character. */
  readonly name: string;
  /** Default: 32 hexadecimal digits. */
  readonly targetId?: string;
  /** Default 0: processed at once. */
  readonly processingTimeSeconds?: number;
}

/** Fields of a VuMark database that can be changed. */
export interface VuMarkDatabaseChanges {
  /** Default `WORKING`. */
  readonly stateName?: DatabaseState;
}

/** Fields of a new VuMark database, besides its targets. */
interface NewVuMarkDatabase extends VuMarkDatabaseChanges {
  /** Unique; default: 32 hexadecimal digits. */
  readonly databaseName?: string;
  /** Sent with instance requests. Unique; default: 32 hexadecimal digits. */
  readonly serverAccessKey?: string;
  /** Signs instance requests. Unique; default: 32 hexadecimal digits. */
  readonly serverSecretKey?: string;
}

/** Fields of a new VuMark database. */
export interface VuMarkDatabaseFields extends NewVuMarkDatabase {
  /** Its first template targets. */
  readonly targets?: readonly TemplateTargetFields[];
}

/** A template target of a VuMark database. */
export interface TemplateTarget extends Required<TemplateTargetFields> {
  readonly uploadDate: number;
  readonly lastModifiedDate: number;
  readonly processed: boolean;
}

/** A VuMark (template) database. Its name is also its id. */
export interface VuMarkDatabase extends Required<NewVuMarkDatabase> {
  readonly kind: "vumark";
}

const identity = { databaseName: pathName, serverAccessKey: key, serverSecretKey: key };
const dates = { lastModifiedDate: timestamp, uploadDate: timestamp };
const template = { targetId: pathName, name: text, processingTimeSeconds: seconds, ...dates };

export const vuMarkDatabaseFields = z.lazy(() => {
  const ids = optional({ targetId: pathName, processingTimeSeconds: seconds });
  const target = record<TemplateTargetFields>({ name: text, ...ids });
  return record<VuMarkDatabaseFields>(optional({ ...identity, stateName, targets: listOf(target) }));
});
export const vuMarkDatabaseChanges = z.lazy(() => record<VuMarkDatabaseChanges>(optional({ stateName })));

export const vuMarkDatabaseRecord = z.lazy(() =>
  record<VuMarkDatabase>({ kind: oneOf("vumark"), ...identity, stateName }),
);
export const templateTargetRecord = z.lazy(() =>
  storedRecord<TemplateTarget>({ ...template, processed: trueOrFalse }),
);

const templateTargetView = z.lazy(() => record(template));

/** As the target manager returns it. */
export const templateTargetJson = wireForm(templateTargetView);
export const vuMarkDatabaseJson = wireForm(
  z.lazy(() => record({ ...identity, vumarkTargets: list(templateTargetView), stateName })),
);

/** `POST /vumark_databases`: a new database is empty, whatever `vumark_targets` holds. */
export const postedVuMarkDatabase = wireForm(
  z.lazy(() =>
    record<NewVuMarkDatabase>({
      ...optional(identity),
      ...optional({ stateName }, { stateName: "WORKING" }),
    }),
  ),
  { resource: vuMarkDatabaseJson },
);

export const seededVuMarkDatabase = z.lazy(() => {
  const ids = optional({ targetId: pathName, processingTimeSeconds: seconds, ...dates });
  const vumarkTargets = kind(
    "a list of template targets",
    list(record<PostedTemplateTarget>({ name: text, ...ids })),
  );
  return record(optional({ ...identity, stateName, vumarkTargets }));
});

/** `PUT /vumark_databases/{database_name}`. */
export const putVuMarkDatabase = wireForm(vuMarkDatabaseChanges, { resource: vuMarkDatabaseJson });

interface PostedTemplateTarget extends TemplateTargetFields {
  readonly uploadDate?: number;
  readonly lastModifiedDate?: number;
}

/** `POST …/vumark_targets`. */
export const postedTemplateTarget = wireForm(
  z.lazy(() =>
    record<PostedTemplateTarget>({
      name: text,
      ...optional({ targetId: pathName, ...dates }),
      ...optional({ processingTimeSeconds: seconds }, { processingTimeSeconds: 0 }),
    }),
  ),
);

/** Generates the name and keys that are not given. */
export function newVuMarkDatabase(given: NewVuMarkDatabase, random: HexSource): VuMarkDatabase {
  const generated = () => random.hex(32);
  return {
    kind: "vumark",
    databaseName: given.databaseName ?? generated(),
    serverAccessKey: given.serverAccessKey ?? generated(),
    serverSecretKey: given.serverSecretKey ?? generated(),
    stateName: given.stateName ?? "WORKING",
  };
}

/** By default uploaded now, and processed at once. */
export function newTemplateTarget(
  given: PostedTemplateTarget & { readonly processed?: boolean },
  random: HexSource,
  now: number,
): TemplateTarget {
  const uploadDate = given.uploadDate ?? now;
  return {
    targetId: given.targetId ?? random.hex(32),
    name: given.name,
    processingTimeSeconds: given.processingTimeSeconds ?? 0,
    uploadDate,
    lastModifiedDate: given.lastModifiedDate ?? uploadDate,
    processed: given.processed ?? false,
  };
}

export type Database = CloudDatabase | VuMarkDatabase;

export const databaseRecord = z.lazy(() =>
  byKind<Database>("a database", [cloudDatabaseRecord, vuMarkDatabaseRecord]),
);
