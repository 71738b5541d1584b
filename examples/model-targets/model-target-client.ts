export interface Model {
  readonly name: string;
  readonly cadDataUrl: string;
  readonly views: readonly { readonly name: string }[];
}

/** A typical application's client: it calls the real service's host with the global `fetch` and does not know about the mock. */
export class ModelTargetClient {
  private constructor(
    private readonly baseUrl: string,
    private readonly token: string,
  ) {}

  /** Exchanges a client id and its secret for a token. */
  static async login(
    id: string,
    secret: string,
    baseUrl = "https://vws.vuforia.com",
  ): Promise<ModelTargetClient> {
    const response = await fetch(`${baseUrl}/oauth2/token`, {
      method: "POST",
      headers: { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` },
      body: new URLSearchParams({
        grant_type: "client_credentials",
        scope: "modeltargets.standardmodeltarget.all",
      }),
    });
    const { access_token } = await contentOf(response);
    return new ModelTargetClient(baseUrl, String(access_token));
  }

  /** Starts training a dataset and returns its UUID. */
  async create(name: string, model: Model): Promise<string> {
    const response = await this.call(
      "POST",
      "",
      JSON.stringify({ name, targetSdk: "10.9", models: [model] }),
    );
    return String((await contentOf(response)).uuid);
  }

  /** `processing`, `done` or `failed`, and when training ends or ended. */
  async status(uuid: string): Promise<{ readonly status: string; readonly over: string }> {
    const { status, eta, completedAt } = await contentOf(await this.call("GET", `/${uuid}/status`));
    return { status: String(status), over: String(eta ?? completedAt) };
  }

  /** The trained dataset, a zip. */
  async download(uuid: string): Promise<Uint8Array> {
    const response = await accepted(await this.call("GET", `/${uuid}/dataset`));
    return new Uint8Array(await response.arrayBuffer());
  }

  async delete(uuid: string): Promise<void> {
    await accepted(await this.call("DELETE", `/${uuid}`));
  }

  private call(method: string, path: string, body?: string): Promise<Response> {
    return fetch(`${this.baseUrl}/modeltargets/datasets${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.token}`,
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body }),
    });
  }
}

async function contentOf(response: Response): Promise<Record<string, unknown>> {
  const content: Record<string, unknown> = JSON.parse(await (await accepted(response)).text());
  return content;
}

async function accepted(response: Response): Promise<Response> {
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return response;
}
