import { createHash, createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { CLIENTS } from "./clients.ts";

/** Adds a target with each client, with a wrong key and with the right one, and finds it. Prints what each of them saw. */
const [targetApi = "", queryApi = "", manager = "", picture = ""] = process.argv.slice(2);
const send = globalThis.fetch;

async function keysOfNewDatabase(): Promise<Readonly<Record<string, string>>> {
  const response = await send(`${manager}/cloud_databases`, { method: "POST", body: "{}" });
  return response.json();
}

/** Generated clients know neither the signature nor, in part, the server. */
function signing(keys: Readonly<Record<string, string>>): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, "http://signed.test");
    const request = input instanceof Request ? input : new Request(url, init);
    const body = Buffer.from(await request.arrayBuffer());
    const contentType = request.headers.get("Content-Type") ?? "";
    const isQuery = url.pathname === "/v1/query";
    const [accessKey, secretKey = ""] = isQuery
      ? [keys.client_access_key, keys.client_secret_key]
      : [keys.server_access_key, keys.server_secret_key];
    const date = new Date().toUTCString();
    const md5 = createHash("md5").update(body).digest("hex");
    const signed = [request.method, md5, contentType.split(";", 1)[0], date, url.pathname].join("\n");
    const signature = createHmac("sha1", secretKey).update(signed).digest("base64");
    const headers = {
      "Content-Type": contentType,
      Date: date,
      Authorization: `VWS ${accessKey}:${signature}`,
    };
    return send(`${isQuery ? queryApi : targetApi}${url.pathname}`, {
      method: request.method,
      headers,
      body,
    });
  };
}

const image = new Blob([await readFile(picture)]);
const seen: Record<string, unknown> = {};
for (const [name, client] of Object.entries(CLIENTS)) {
  const keys = await keysOfNewDatabase();
  const statuses: number[] = [];
  const counting =
    (signed: typeof fetch): typeof fetch =>
    async (input, init) => {
      const response = await signed(input, init);
      statuses.push(response.status);
      return response;
    };
  globalThis.fetch = counting(signing({ ...keys, server_secret_key: "wrong" }));
  const refused = await client.add("poster", image);
  globalThis.fetch = counting(signing(keys));
  const added = await client.add("poster", image);
  const found = await client.find(image);
  seen[name] = { statuses, works: refused === undefined && added !== undefined && found[0] === added };
}
console.log(JSON.stringify(seen));
