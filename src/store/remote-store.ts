import type { ClientCredential } from "../domain/credential.ts";
import type { CloudDatabase, Database, DatabaseSettings, VuMarkDatabase } from "../domain/database.ts";
import type { Dataset } from "../domain/dataset.ts";
import type { Report } from "../domain/report.ts";
import type { RecognitionCounts, Target, TargetStatus, TemplateTarget } from "../domain/target.ts";
import {
  decoded,
  decodeTarget,
  isCloudDatabaseRecord,
  isConflict,
  isCredentialRecord,
  isDatabaseRecord,
  isDatasetRecord,
  isRateRule,
  isReportRecord,
  isTargetRecord,
  isVuMarkDatabaseRecord,
  type TargetRecord,
} from "./codec.ts";
import type { DatabaseView } from "./database-view.ts";
import type { DatabaseKey } from "./internal-protocol.ts";
import type { ManagerClient } from "./manager-client.ts";
import {
  eitherOf,
  exactly,
  type Guard,
  isBoolean,
  isNothing,
  isText,
  listOf,
  optional,
} from "./record-guards.ts";
import { isSnapshot } from "./snapshot.ts";
import type { Snapshot } from "./state.ts";
import type { Conflict, NewTarget, RateRule, Store, TargetChanges } from "./store.ts";

/**
 * The target manager's state, read and changed over HTTP. Every verb that can conflict is decided in the manager.
 *
 * @throws ManagerUnavailableError from every verb while the manager is away.
 */
export class RemoteStore implements Store {
  /** Present while one request is answered: databases as they were when the request first read them. */
  private readonly read: Map<string, Promise<DatabaseView | undefined>> | undefined;

  constructor(
    private readonly manager: ManagerClient,
    options: { readonly forOneRequest?: boolean } = {},
  ) {
    this.read = options.forOneRequest === true ? new Map() : undefined;
  }

  /** The store as one request sees it: a database is read once, which is one small exchange when it is unchanged. */
  forRequest(): RemoteStore {
    return new RemoteStore(this.manager, { forOneRequest: true });
  }

  createDatabase(database: Database): Promise<Conflict | undefined> {
    return this.change("createDatabase", [database], optional(isConflict));
  }

  listCloudDatabases(): Promise<readonly CloudDatabase[]> {
    return this.ask("listCloudDatabases", [], listOf(isCloudDatabaseRecord));
  }

  listVuMarkDatabases(): Promise<readonly VuMarkDatabase[]> {
    return this.ask("listVuMarkDatabases", [], listOf(isVuMarkDatabaseRecord));
  }

  async findDatabaseByName(name: string): Promise<Database | undefined> {
    return (await this.view("name", name))?.database;
  }

  async findDatabaseByServerAccessKey(key: string): Promise<Database | undefined> {
    return (await this.view("serverAccessKey", key))?.database;
  }

  async findDatabaseByClientAccessKey(key: string): Promise<CloudDatabase | undefined> {
    const database = (await this.view("clientAccessKey", key))?.database;
    return database?.kind === "cloud" ? database : undefined;
  }

  updateDatabase(name: string, changes: Partial<DatabaseSettings>): Promise<Database | undefined> {
    return this.change("updateDatabase", [name, changes], optional(isDatabaseRecord));
  }

  deleteDatabase(name: string): Promise<boolean> {
    return this.change("deleteDatabase", [name], isBoolean);
  }

  takeRateToken(name: string, rules: readonly RateRule[], now: number): Promise<RateRule | undefined> {
    return this.ask("takeRateToken", [name, rules, now], optional(isRateRule));
  }

  async listTargets(name: string, { deleted } = { deleted: false }): Promise<readonly Target[]> {
    if (!deleted) return [...((await this.view("name", name))?.targets.values() ?? [])];
    const records = await this.ask("listTargets", [name, { deleted }], listOf(isTargetRecord));
    return records.map((record) => this.target(record));
  }

  async countTargets(name: string): Promise<number> {
    return (await this.view("name", name))?.targets.size ?? 0;
  }

  async findTarget(name: string, targetId: string): Promise<Target | undefined> {
    return (await this.view("name", name))?.targets.get(targetId);
  }

  async findTargetByName(databaseName: string, name: string): Promise<Target | undefined> {
    return (await this.view("name", databaseName))?.targetNamed(name);
  }

  async createTarget(
    name: string,
    { image, processed = false, ...given }: NewTarget,
    now: number,
  ): Promise<Target | "unknownDatabase" | "nameTaken" | "idTaken" | "quotaReached"> {
    const conflicts = exactly("unknownDatabase", "nameTaken", "idTaken", "quotaReached");
    const args = [name, { ...given, processed }, now];
    return this.stored(
      await this.change("createTarget", args, eitherOf(isTargetRecord, conflicts), image),
      image,
    );
  }

  async updateTarget(
    name: string,
    targetId: string,
    { image, ...changes }: TargetChanges,
    now: number,
    onlyAfter: readonly TargetStatus[],
  ): Promise<Target | "unknown" | "nameTaken" | "wrongStatus"> {
    const conflicts = exactly("unknown", "nameTaken", "wrongStatus");
    const args = [name, targetId, { ...changes, newImage: image !== undefined }, now, onlyAfter];
    return this.stored(
      await this.change("updateTarget", args, eitherOf(isTargetRecord, conflicts), image),
      image,
    );
  }

  async deleteTarget(
    name: string,
    targetId: string,
    now: number,
    evenProcessing = false,
  ): Promise<Target | "unknown" | "processing"> {
    const conflicts = exactly("unknown", "processing");
    const args = [name, targetId, now, evenProcessing];
    return this.stored(await this.change("deleteTarget", args, eitherOf(isTargetRecord, conflicts)));
  }

  async setRecognitionCounts(
    name: string,
    targetId: string,
    counts: Partial<RecognitionCounts>,
  ): Promise<Target | undefined> {
    const args = [name, targetId, counts];
    return this.stored(await this.change("setRecognitionCounts", args, eitherOf(isTargetRecord, isNothing)));
  }

  addTemplateTarget(name: string, target: TemplateTarget): Promise<boolean> {
    return this.change("addTemplateTarget", [name, target], isBoolean);
  }

  async listTemplateTargets(name: string): Promise<readonly TemplateTarget[]> {
    return [...((await this.view("name", name))?.templates.values() ?? [])];
  }

  async findTemplateTarget(name: string, targetId: string): Promise<TemplateTarget | undefined> {
    return (await this.view("name", name))?.templates.get(targetId);
  }

  openReport(report: Report): Promise<Report> {
    return this.ask("openReport", [report], isReportRecord);
  }

  findReport(databaseId: string, file: string): Promise<Report | undefined> {
    return this.ask("findReport", [databaseId, file], optional(isReportRecord));
  }

  createDataset(dataset: Dataset): Promise<void> {
    return this.ask("createDataset", [dataset], isNothing);
  }

  findDataset(uuid: string): Promise<Dataset | undefined> {
    return this.ask("findDataset", [uuid], optional(isDatasetRecord));
  }

  listDatasets(): Promise<readonly Dataset[]> {
    return this.ask("listDatasets", [], listOf(isDatasetRecord));
  }

  deleteDataset(uuid: string): Promise<boolean> {
    return this.ask("deleteDataset", [uuid], isBoolean);
  }

  createCredential(credential: ClientCredential, maximum: number): Promise<"created" | "full"> {
    return this.ask("createCredential", [credential, maximum], exactly("created", "full"));
  }

  putCredential(credential: ClientCredential): Promise<void> {
    return this.ask("putCredential", [credential], isNothing);
  }

  findCredential(clientId: string): Promise<ClientCredential | undefined> {
    return this.ask("findCredential", [clientId], optional(isCredentialRecord));
  }

  listCredentials(): Promise<readonly ClientCredential[]> {
    return this.ask("listCredentials", [], listOf(isCredentialRecord));
  }

  setCredentialScopes(clientId: string, scopes: readonly string[]): Promise<ClientCredential | undefined> {
    return this.ask("setCredentialScopes", [clientId, scopes], optional(isCredentialRecord));
  }

  deleteCredential(clientId: string): Promise<boolean> {
    return this.ask("deleteCredential", [clientId], isBoolean);
  }

  finishProcessing(): Promise<void> {
    return this.change("finishProcessing", [], isNothing);
  }

  reset(): Promise<void> {
    return this.change("reset", [], isNothing);
  }

  snapshot(): Promise<Snapshot> {
    return this.ask("snapshot", [], isSnapshot);
  }

  restore(snapshot: unknown): Promise<string | undefined> {
    return this.change("restore", [snapshot], optional(isText));
  }

  private view(key: DatabaseKey, value: string): Promise<DatabaseView | undefined> {
    const place = `${key}:${value}`;
    const known = this.read?.get(place);
    if (known !== undefined) return known;
    const reading = this.manager.view(key, value).then((view) => {
      // Found by a key, a database is known by its name too.
      if (view !== undefined) this.read?.set(`name:${view.database.name}`, reading);
      return view;
    });
    this.read?.set(place, reading);
    return reading;
  }

  /** A verb after which what was read of databases no longer holds. */
  private async change<T>(
    verb: string,
    args: readonly unknown[],
    result: Guard<T>,
    image?: Buffer,
  ): Promise<T> {
    try {
      return await this.ask(verb, args, result, image);
    } finally {
      this.read?.clear();
    }
  }

  private async ask<T>(verb: string, args: readonly unknown[], result: Guard<T>, image?: Buffer): Promise<T> {
    return decoded(result, await this.manager.call(verb, args, image), `the result of ${verb}`);
  }

  private target(record: TargetRecord): Target {
    return decodeTarget(record, (sha256) => this.manager.image(sha256));
  }

  /** The target of a change that was made, whose new image need not be loaded again. */
  private stored<Conflict extends string | undefined>(
    result: TargetRecord | Conflict,
    image?: Buffer,
  ): Target | Conflict {
    if (typeof result !== "object") return result;
    if (image !== undefined) this.manager.keepImage(result.image, image);
    return this.target(result);
  }
}
