const { createHash, createHmac } = require("node:crypto");

/** Code under test: part of an application that does not know about the mock. */
class PictureShelf {
  constructor({ serverAccessKey, serverSecretKey }) {
    this.accessKey = serverAccessKey;
    this.secretKey = serverSecretKey;
  }

  /** Adds a picture and returns its id. */
  async add(name, picture) {
    const { target_id } = await this.call("POST", "/targets", {
      name,
      width: 1,
      image: picture.toString("base64"),
    });
    return target_id;
  }

  /** Whether a picture can be found yet. */
  async isReady(id) {
    const { status } = await this.call("GET", `/targets/${id}`);
    return status === "success";
  }

  async call(method, path, content) {
    const body = content && JSON.stringify(content);
    const type = content ? "application/json" : "";
    const date = new Date().toUTCString();
    const digest = createHash("md5")
      .update(body ?? "")
      .digest("hex");
    const signature = createHmac("sha1", this.secretKey)
      .update([method, digest, type, date, path].join("\n"))
      .digest("base64");
    const response = await fetch(`https://vws.vuforia.com${path}`, {
      method,
      body,
      headers: {
        Authorization: `VWS ${this.accessKey}:${signature}`,
        Date: date,
        ...(content && { "Content-Type": type }),
      },
    });
    // During an outage, the body may be no JSON.
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return response.json();
  }
}

module.exports = { PictureShelf };
