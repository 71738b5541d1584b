const { createHash, createHmac } = require("node:crypto");

/**
 * A typical application's client: it calls the real service's hosts with the global `fetch` and does not know about the
 * mock.
 */
class VuforiaClient {
  #keys;
  #targetUrl;
  #queryUrl;

  constructor(keys, targetUrl = "https://vws.vuforia.com", queryUrl = "https://cloudreco.vuforia.com") {
    if (keys === undefined)
      throw new TypeError(
        "expected the keys of a database; got undefined: import test from mock-cloud-reco/vitest",
      );
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
    const date = new Date().toUTCString();
    const path = "/v1/query";
    const authorization = sign({
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
    const { results } = await contentOf(response, "query");
    return results;
  }

  async #call(method, path, content) {
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = this.#keys;
    const date = new Date().toUTCString();
    const body = content === undefined ? undefined : JSON.stringify(content);
    const contentType = content === undefined ? undefined : "application/json";
    const authorization = sign({
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
    return contentOf(response, `${method} ${path}`);
  }
}

/** Reads the status before the JSON: during an outage, the body may be empty, or a page. */
async function contentOf(response, request) {
  const text = await response.text();
  const [, reason = text] = /"result_code":\s*"(\w+)"/.exec(text) ?? [];
  if (!response.ok) throw new Error(`${request}: ${response.status} ${reason}`);
  return JSON.parse(text);
}

/** The value of `Authorization`, as the service documents it. */
function sign({ accessKey, secretKey, method, path, date, body = "", contentType = "" }) {
  const md5 = createHash("md5").update(body).digest("hex");
  // Without parameters such as the boundary.
  const type = contentType.split(";", 1)[0];
  const text = [method, md5, type, date, path].join("\n");
  return `VWS ${accessKey}:${createHmac("sha1", secretKey).update(text).digest("base64")}`;
}

module.exports = { VuforiaClient };
