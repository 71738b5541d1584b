import type { Database } from "../domain/database.ts";
import type { Target, TargetImage, TemplateTarget } from "../domain/target.ts";
import { decodeTarget, isDatabaseRecord, isTargetRecord, isTemplateTargetRecord } from "./codec.ts";
import { isBoolean, listOf, objectOf } from "./record-guards.ts";

/** A database's state, or how it differs from an earlier one, as the target manager sends it. */
export const isStateRecord = objectOf({
  complete: isBoolean,
  database: isDatabaseRecord,
  targets: listOf(isTargetRecord),
  templates: listOf(isTemplateTargetRecord),
});
export type StateRecord = typeof isStateRecord extends (value: unknown) => value is infer T ? T : never;

/** One state of a database as a server read it. Immutable: a request that began with it ends with it. */
export class DatabaseView {
  private ids: ReadonlyMap<string, string> | undefined;

  private constructor(
    /** Names the state; what the manager is asked with next time. */
    readonly etag: string,
    readonly database: Database,
    /** Undeleted targets by id, in order of creation. */
    readonly targets: ReadonlyMap<string, Target>,
    readonly templates: ReadonlyMap<string, TemplateTarget>,
  ) {}

  /** @param before - the state that the record is relative to, unless it is complete. */
  static read(
    etag: string,
    record: StateRecord,
    before: DatabaseView | undefined,
    imageOf: (sha256: string) => TargetImage,
  ): DatabaseView {
    const targets = new Map(record.complete ? [] : before?.targets);
    for (const each of record.targets) {
      if (each.deletedAt === null) targets.set(each.id, decodeTarget(each, imageOf));
      else targets.delete(each.id);
    }
    const templates = new Map(record.templates.map((template) => [template.id, template]));
    return new DatabaseView(etag, record.database, targets, templates);
  }

  targetNamed(name: string): Target | undefined {
    this.ids ??= new Map([...this.targets.values()].map((target) => [target.name, target.id]));
    return this.targets.get(this.ids.get(name) ?? "");
  }
}
