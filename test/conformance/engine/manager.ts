import { messageOf } from "../../support/values.ts";
import { type AddedTarget, fieldsOf } from "./database.ts";
import { type Exchanges, NotTried } from "./exchanges.ts";
import type { Keys, Received } from "./fact.ts";
import type { Verified } from "./verified.ts";

type Settings = Readonly<Record<string, unknown>>;

/** A database that a run created. */
interface Created {
  readonly databaseName: string;
  readonly keys: Keys;
}

/** What a run has a target manager create, and removes again. */
export class Manager {
  readonly #created: string[] = [];
  #hasAnswered = false;
  /** It never answered, and is not asked again. */
  #isAway = false;

  constructor(
    private readonly url: string,
    private readonly exchanges: Exchanges,
    private readonly verified: Verified,
  ) {}

  async cloudDatabase(settings: Settings): Promise<Created> {
    return this.#database("/cloud_databases", settings);
  }

  /** A VuMark database with one target. */
  async template(database: Settings, target: Settings): Promise<Created & AddedTarget> {
    const path = "/vumark_databases";
    const created = await this.#database(path, database);
    const targetName = "template";
    const fields = { name: targetName, ...target };
    const added = await this.#send("POST", `${path}/${created.databaseName}/vumark_targets`, fields);
    return { ...created, targetName, targetId: text(added, "target_id") };
  }

  async credential(): Promise<Keys> {
    const client_id = `${this.verified.prefix}client`;
    const client_secret = `${client_id}-secret`;
    const path = "/oauth2_client_credentials";
    const scopes = ["modeltargets.all", "oauth2.clientcredentials.all"];
    this.#created.push(`${path}/${client_id}`);
    await this.#send("POST", path, { client_id, client_secret, scopes });
    return { modelTargetClientId: client_id, modelTargetClientSecret: client_secret };
  }

  async #database(path: string, settings: Settings): Promise<Created> {
    const databaseName = `${this.verified.prefix}${this.#created.length + 1}`;
    // Before it is created: the response may be lost.
    this.#created.push(`${path}/${databaseName}`);
    const made = await this.#send("POST", path, { database_name: databaseName, ...settings });
    const keys = {
      serverAccessKey: text(made, "server_access_key"),
      serverSecretKey: text(made, "server_secret_key"),
      clientAccessKey: text(made, "client_access_key"),
      clientSecretKey: text(made, "client_secret_key"),
      databaseId: text(made, "database_id"),
    };
    return { databaseName, keys };
  }

  async #send(method: string, path: string, fields?: Settings): Promise<Received> {
    if (this.#isAway) throw new NotTried("the target manager did not answer");
    const headers = { "Content-Type": "application/json" };
    const body = fields === undefined ? undefined : Buffer.from(JSON.stringify(fields));
    const { send } = this.verified;
    const request = { method, path, headers, body };
    const response = await send(this.url, request, this.exchanges.signal).catch((error: unknown) => {
      this.#isAway = !this.#hasAnswered;
      throw new NotTried(`the target manager did not answer: ${messageOf(error)}`);
    });
    this.#hasAnswered = true;
    if (response.status < 300 || (method === "DELETE" && response.status === 404)) return response;
    throw new NotTried(`the target manager answered ${response.status} to ${method} ${path}`);
  }

  /** Removes everything, and returns what could not be removed. */
  async cleanUp(): Promise<readonly string[]> {
    const left: string[] = [];
    for (const path of this.#created) await this.#send("DELETE", path).catch(() => left.push(path));
    return left;
  }
}

const text = (response: Received, name: string): string => String(fieldsOf(response)[name] ?? "");
