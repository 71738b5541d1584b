import { Additions } from "./additions.ts";
import { fieldsOf } from "./database.ts";
import { type Exchanges, NotTried } from "./exchanges.ts";
import type { Keys, Received, RequestParts } from "./fact.ts";

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
