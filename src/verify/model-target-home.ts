import { type Sending, Untried } from "./exchanges.ts";
import type { Keys, Received, RequestParts } from "./fact.ts";
import { fieldsOf } from "./home.ts";
import { basic } from "./requests.ts";

/** What a run adds to the Model Target API and removes again: datasets and client credentials. */
export class ModelTargetHome {
  readonly #added = new Set<string>();
  /** Creations whose response was lost. */
  readonly #unsure: string[] = [];
  #token: string | undefined;

  constructor(
    readonly keys: Keys,
    private readonly send: (request: RequestParts, sending: Sending) => Promise<Received>,
    private readonly keepSecret: (secret: string) => void,
  ) {}

  async token(): Promise<string> {
    if (this.#token !== undefined) return this.#token;
    const { modelTargetClientId = "", modelTargetClientSecret = "" } = this.keys;
    const request = {
      method: "POST",
      path: "/oauth2/token",
      headers: {
        Authorization: basic(modelTargetClientId, modelTargetClientSecret),
        "Content-Type": "application/x-www-form-urlencoded",
      },
      body: Buffer.from("grant_type=client_credentials"),
    };
    const response = await this.send(request, { isSafe: true });
    const { access_token: token } = fieldsOf(response);
    if (typeof token !== "string") throw new Untried(`no token was issued: ${response.status}`);
    this.#token = token;
    this.keepSecret(token);
    return token;
  }

  /** Remembers what a request added. */
  note(request: RequestParts, response: Received): void {
    const { method, path } = request;
    const { uuid, client_id: id, client_secret: secret, access_token: token } = fieldsOf(response);
    for (const given of [secret, token]) if (typeof given === "string") this.keepSecret(given);
    if (response.status >= 500) this.noteLost(request, `the status ${response.status}`);
    if (method !== "POST" || response.status >= 300) return;
    if (typeof uuid === "string") this.#added.add(`${path}/${uuid}`);
    if (typeof id === "string") this.#added.add(`${path}/${id}`);
  }

  noteLost({ method, path }: RequestParts, got: string): void {
    if (method === "POST" && path !== "/oauth2/token")
      this.#unsure.push(`what POST ${path} may have added, which got ${got}`);
  }

  /** Removes everything, and returns what could not be removed. */
  async cleanUp(): Promise<readonly string[]> {
    const left = [...this.#unsure];
    for (const path of this.#added) if (!(await this.#delete(path))) left.push(path);
    return left;
  }

  async #delete(path: string): Promise<boolean> {
    try {
      const headers = { Authorization: `Bearer ${await this.token()}` };
      const { status } = await this.send({ method: "DELETE", path, headers }, { isSafe: true });
      return status < 300 || status === 404;
    } catch {
      return false;
    }
  }
}
