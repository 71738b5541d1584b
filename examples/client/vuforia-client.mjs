import { authorizationHeader, rfc1123Date } from "mock-cloud-reco";

/**
 * A typical application's client: it calls the real service's hosts with the global `fetch` and does not know about the
 * mock. It signs requests with this package's helper; any other works too.
 */
export class VuforiaClient {
  #keys;
  #targetUrl;
  #queryUrl;

  constructor(keys, targetUrl = "https://vws.vuforia.com", queryUrl = "https://cloudreco.vuforia.com") {
    this.#keys = keys;
    this.#targetUrl = targetUrl;
    this.#queryUrl = queryUrl;
  }

  async addTarget(name, image) {
    const body = { name, width: 1, image: Buffer.from(image).toString("base64") };
    const { target_id } = await this.#call("POST", "/targets", body);
    return String(target_id);
  }

  /** `processing`, `success` or `failed`. */
  async statusOf(targetId) {
    const { status } = await this.#call("GET", `/targets/${targetId}`);
    return String(status);
  }

  async summary() {
    return this.#call("GET", "/summary");
  }

  async find(image) {
    const { clientAccessKey: accessKey, clientSecretKey: secretKey } = this.#keys;
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
    const response = await fetch(this.#queryUrl + path, {
      method: "POST",
      headers: { Authorization: authorization, Date: date, "Content-Type": contentType },
      body,
    });
    if (!response.ok) throw new Error(`query: ${response.status} ${await response.text()}`);
    const { results } = JSON.parse(await response.text());
    return results;
  }

  async #call(method, path, content) {
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = this.#keys;
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
    const response = await fetch(this.#targetUrl + path, {
      method,
      headers: {
        Authorization: authorization,
        Date: date,
        ...(contentType && { "Content-Type": contentType }),
      },
      ...(body !== undefined && { body }),
    });
    const answer = JSON.parse(await response.text());
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${String(answer.result_code)}`);
    return answer;
  }
}
