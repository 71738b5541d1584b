import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";

export interface DatabaseKeys {
  readonly serverAccessKey: string;
  readonly serverSecretKey: string;
  readonly clientAccessKey: string;
  readonly clientSecretKey: string;
}

export interface QueryResult {
  readonly target_id: string;
  readonly target_data?: { readonly name: string; readonly target_timestamp: number };
}

/**
 * A typical application's client: it calls the real service's hosts with the global `fetch` and does not know about the
 * mock. It signs requests with this package's helper; any other works too.
 */
export class VuforiaClient {
  constructor(
    private readonly keys: DatabaseKeys,
    private readonly targetUrl = "https://vws.vuforia.com",
    private readonly queryUrl = "https://cloudreco.vuforia.com",
  ) {}

  async addTarget(name: string, image: Uint8Array): Promise<string> {
    const body = { name, width: 1, image: Buffer.from(image).toString("base64") };
    const { target_id } = await this.call("POST", "/targets", body);
    return String(target_id);
  }

  /** `processing`, `success` or `failed`. */
  async statusOf(targetId: string): Promise<string> {
    const { status } = await this.call("GET", `/targets/${targetId}`);
    return String(status);
  }

  async summary(): Promise<Record<string, unknown>> {
    return this.call("GET", "/summary");
  }

  async find(image: Uint8Array): Promise<readonly QueryResult[]> {
    const { clientAccessKey: accessKey, clientSecretKey: secretKey } = this.keys;
    const form = new FormData();
    form.append("image", new Blob([new Uint8Array(image)]), "image.jpg");
    form.append("max_num_results", "10");
    // The signature covers the encoded form, so encode it first.
    const encoded = new Response(form);
    const contentType = encoded.headers.get("content-type") ?? "";
    const body = new Uint8Array(await encoded.arrayBuffer());
    const date = rfc1123Date();
    const path = "/v1/query";
    const authorization = authorizationHeader({
      accessKey,
      secretKey,
      method: "POST",
      path,
      body,
      contentType,
      date,
    });
    const response = await fetch(this.queryUrl + path, {
      method: "POST",
      headers: { Authorization: authorization, Date: date, "Content-Type": contentType },
      body,
    });
    if (!response.ok) throw new Error(`query: ${response.status} ${await response.text()}`);
    const { results }: { results: readonly QueryResult[] } = JSON.parse(await response.text());
    return results;
  }

  private async call(method: string, path: string, content?: object): Promise<Record<string, unknown>> {
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = this.keys;
    const date = rfc1123Date();
    const body = content === undefined ? undefined : JSON.stringify(content);
    const contentType = content === undefined ? undefined : "application/json";
    const authorization = authorizationHeader({
      accessKey,
      secretKey,
      method,
      path,
      body,
      contentType,
      date,
    });
    const response = await fetch(this.targetUrl + path, {
      method,
      headers: {
        Authorization: authorization,
        Date: date,
        ...(contentType && { "Content-Type": contentType }),
      },
      ...(body !== undefined && { body }),
    });
    const answer: Record<string, unknown> = JSON.parse(await response.text());
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${String(answer.result_code)}`);
    return answer;
  }
}
