import type { VuMarkDatabase } from "../../domain/database.ts";
import type { NewTemplateTarget, NewVuMarkDatabase } from "../../domain/new-database.ts";
import type { TemplateTarget } from "../../domain/target.ts";
import { withoutUndefined } from "../../domain/without-undefined.ts";
import { moment, seconds, secretText, stateName, text } from "./field-kinds.ts";
import type { Fields } from "./fields.ts";

/** A VuMark database as the target manager shows it (protocol section 6). */
export const vuMarkDatabaseResource = (database: VuMarkDatabase, templates: readonly TemplateTarget[]) => ({
  database_name: database.name,
  server_access_key: database.serverAccessKey,
  server_secret_key: database.serverSecretKey,
  vumark_targets: templates.map(templateTargetResource),
  state_name: database.state,
});

/** A template target as the target manager shows it (protocol section 6). */
export const templateTargetResource = (target: TemplateTarget) => ({
  target_id: target.id,
  name: target.name,
  processing_time_seconds: target.processingTimeSeconds,
  last_modified_date: new Date(target.modifiedAt).toISOString(),
  upload_date: new Date(target.uploadedAt).toISOString(),
});

/** What a new VuMark database is given; unknown keys and `vumark_targets` are ignored. */
export const readVuMarkDatabase = (fields: Fields): NewVuMarkDatabase => ({
  name: fields.optional("database_name", text),
  serverAccessKey: fields.optional("server_access_key", secretText),
  serverSecretKey: fields.optional("server_secret_key", secretText),
  state: fields.optional("state_name", stateName),
});

/** What of a VuMark database may change while it is used. */
export const readVuMarkState = (fields: Fields): Partial<Pick<VuMarkDatabase, "state">> =>
  withoutUndefined({ state: fields.optional("state_name", stateName) });

export const readTemplateTarget = (fields: Fields): NewTemplateTarget => ({
  id: fields.optional("target_id", text),
  name: fields.required("name", text),
  processingTimeSeconds: fields.optional("processing_time_seconds", seconds),
  modifiedAt: fields.optional("last_modified_date", moment),
  uploadedAt: fields.optional("upload_date", moment),
});
