import { messageOf } from "../../../src/emulator/text.ts";
import { type AddedTarget, fieldsOf } from "./database.ts";
import { Additions, type Exchanges, NotTried, type Verified } from "./exchanges.ts";
import type { Keys, Received, RequestParts } from "./fact.ts";

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

/** What a run adds to the Model Target API and removes again: datasets and client credentials. */
export class ModelTargets extends Additions {
  readonly #added = new Set<string>();
  /** Creations whose response was lost. */
  readonly #unsure: string[] = [];
  #token: string | undefined;

  constructor(
    keys: Keys,
    exchanges: Exchanges,
    private readonly keepSecret: (secret: string) => void,
  ) {
    super(keys, exchanges);
  }

  async token(): Promise<string> {
    if (this.#token !== undefined) return this.#token;
    const { modelTargetClientId = "", modelTargetClientSecret = "" } = this.keys;
    const request = {
      method: "POST",
      path: "/oauth2/token",
      headers: {
        Authorization: `Basic ${Buffer.from(`${modelTargetClientId}:${modelTargetClientSecret}`).toString("base64")}`,
        "Content-Type": "application/x-www-form-urlencoded",
      },
      body: Buffer.from("grant_type=client_credentials"),
    };
    const response = await this.send("model-target", request, { isSafe: true });
    const { access_token: token } = fieldsOf(response);
    if (typeof token !== "string") throw new NotTried(`no token was issued: ${response.status}`);
    this.#token = token;
    return token;
  }

  protected note({ method, path }: RequestParts, response: Received): void {
    const { uuid, client_id: id, client_secret: secret, access_token: token } = fieldsOf(response);
    for (const given of [secret, token]) if (typeof given === "string") this.keepSecret(given);
    if (method !== "POST" || response.status >= 300) return;
    for (const added of [uuid, id]) if (typeof added === "string") this.#added.add(`${path}/${added}`);
  }

  protected noteLost({ method, path }: RequestParts, got: string): void {
    if (method === "POST" && path !== "/oauth2/token")
      this.#unsure.push(`what POST ${path} may have added, which got ${got}`);
  }

  /** Removes everything, and returns what could not be removed. */
  async cleanUp(): Promise<readonly string[]> {
    const left = await this.leftOf(this.#added, async (path) => {
      const headers = { Authorization: `Bearer ${await this.token()}` };
      return this.exchanges.send("model-target", { method: "DELETE", path, headers }, { isSafe: true });
    });
    return [...this.#unsure, ...left];
  }
}
