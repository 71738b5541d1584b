// Sends the same requests with one client in every mode: `node ask.mjs CLIENT [MODE…]`. Prints what the client received, by mode and request.
import { gzipSync } from "node:zlib";
import { authorizationHeader, MockCloudReco, rfc1123Date } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { CLIENTS } from "./clients.mjs";

const [name, ...given] = process.argv.slice(2);
const modes = given.length > 0 ? given : ["nock", "sockets", "mock.fetch", "servers"];
const KEYS = {
  databaseName: "shop",
  serverAccessKey: "server-access",
  serverSecretKey: "server-secret",
  clientAccessKey: "client-access",
  clientSecretKey: "client-secret",
};
const JSON_TYPE = { "Content-Type": "application/json" };
const LATE = 8000;

function signed(method, path, body = Buffer.alloc(0), headers = {}, keys = "server") {
  const date = rfc1123Date();
  const contentType = headers["Content-Type"]?.split(";")[0] ?? "";
  const [accessKey, secretKey] = [KEYS[`${keys}AccessKey`], KEYS[`${keys}SecretKey`]];
  const authorization = authorizationHeader({ accessKey, secretKey, method, path, contentType, date, body });
  return { ...headers, Date: date, Authorization: authorization };
}

const own = (method, path, body, headers) => ({
  method,
  path,
  body,
  headers: signed(method, path, body, headers),
});
const plain = (method, path, headers = {}, body = undefined) => ({ method, path, headers, body });
const target = Buffer.from(JSON.stringify({ name: "a", width: 1, image: "AAAA" }));
const form = Buffer.from(
  '--b\r\nContent-Disposition: form-data; name="max_num_results"\r\n\r\n1\r\n--b--\r\n',
);
const formType = { "Content-Type": "multipart/form-data; boundary=b" };
const many = Object.fromEntries([...Array(40).keys()].map((n) => [`X-Long-${n}`, "a".repeat(500)]));

const REQUESTS = {
  "a signed GET": own("GET", "/summary"),
  "a GET with a query": own("GET", "/targets?x=%20a&b"),
  "an unsigned GET": plain("GET", "/targets"),
  "a signed POST with a bad image": own("POST", "/targets", target, JSON_TYPE),
  "a POST without a body": plain("POST", "/targets", signed("POST", "/targets", undefined, JSON_TYPE)),
  "a POST of malformed JSON": own("POST", "/targets", Buffer.from('{"name": \xff', "latin1"), JSON_TYPE),
  "a POST of gzip": own("POST", "/targets", gzipSync(target), { ...JSON_TYPE, "Content-Encoding": "gzip" }),
  "a POST labelled gzip": own("POST", "/targets", target, { ...JSON_TYPE, "Content-Encoding": "gzip" }),
  "a PUT": own("PUT", "/targets/unknown", target, JSON_TYPE),
  "a DELETE": own("DELETE", "/targets/unknown"),
  "a HEAD": plain("HEAD", "/summary"),
  "an OPTIONS": plain("OPTIONS", "/summary"),
  "a PATCH": plain("PATCH", "/summary", {}, target),
  "a PROPFIND": plain("PROPFIND", "/summary"),
  "a path with a space": own("GET", "/targets/%20"),
  "a path with odd characters": own("GET", "/targets/a!$&'()*+,;=:@"),
  "a header of 9,000 bytes": plain("GET", "/summary", { "X-Long": "a".repeat(9000) }),
  "40 headers of 500 bytes": own("GET", "/summary", undefined, many),
  "a body of 300 kB": own("POST", "/targets", Buffer.alloc(300_000, "a"), JSON_TYPE),
  "a body of 5 MB": own("POST", "/targets", Buffer.alloc(5_000_000, "a"), JSON_TYPE),
  "a query without an image": {
    api: "query",
    method: "POST",
    path: "/v1/query",
    body: form,
    headers: signed("POST", "/v1/query", form, formType, "client"),
  },
  "a query without a boundary": plain("POST", "/v1/query", { "Content-Type": "multipart/form-data" }, form),
  "a token request": plain(
    "POST",
    "/oauth2/token",
    { "Content-Type": "application/x-www-form-urlencoded" },
    Buffer.from("grant_type=client_credentials"),
  ),
  "a Content-Length that is too small": {
    ...plain(
      "POST",
      "/targets",
      { ...signed("POST", "/targets", target, JSON_TYPE), "Content-Length": "3" },
      target,
    ),
    ends: true,
    // Node's fetch hangs, whatever it talks to.
    without: /fetch|ky|wretch/,
  },
};

/** What differs from request to request. */
const stable = ({ status, headers, body }) => {
  const { date, connection, "keep-alive": _, ...kept } = headers;
  const times = Object.entries(kept).map(([header, value]) => [
    header,
    /upstream/.test(header) ? "N" : value,
  ]);
  const text = body.length > 2000 ? `${body.length} bytes` : body.toString("latin1");
  return { status, headers: Object.fromEntries(times.sort()), body: text.replace(/[0-9a-f]{32}/g, "ID") };
};

const late = () => new Promise((_, reject) => setTimeout(() => reject(new Error("HANGS")), LATE));

async function ask(urls, client) {
  const received = {};
  for (const [request, { api = "target", path, ends, without, ...rest }] of Object.entries(REQUESTS)) {
    if (without?.test(name)) continue;
    const url = urls[path.startsWith("/v1/") ? "query" : api].replace(/\/$/, "") + path;
    received[request] = await Promise.race([client({ url, ...rest }), late()]).then(stable, (error) => ({
      error:
        error.message === "HANGS"
          ? "HANGS"
          : ends
            ? "an error"
            : `${error.cause?.code ?? error.code ?? error.name}`,
    }));
  }
  return received;
}

const results = {};
for (const intercept of ["nock", "sockets"].filter((mode) => modes.includes(mode))) {
  const mock = new MockCloudReco({ intercept });
  mock.addCloudDatabase(KEYS);
  results[intercept] = await ask(mock.urls, await CLIENTS[name]());
  results[`${intercept} journal`] = mock.requests.length;
  mock.stop();
  // Lets clients notice that the last connection has ended.
  await new Promise(setImmediate);
}
if (name === "fetch" && modes.includes("mock.fetch")) {
  const mock = new MockCloudReco({ intercept: false });
  mock.addCloudDatabase(KEYS);
  results["mock.fetch"] = await ask(mock.urls, async ({ url, ...init }) => {
    const response = await mock.fetch(url, init);
    const body = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: Object.fromEntries(response.headers), body };
  });
  mock.stop();
}
if (modes.includes("servers")) {
  const servers = await startServers({ logLevel: "silent" });
  servers.addCloudDatabase(KEYS);
  results.servers = await ask(servers.urls, await CLIENTS[name]());
  results["servers journal"] = servers.requests.length;
  await servers.stop();
}
console.log(JSON.stringify(results));
process.exit(0);
