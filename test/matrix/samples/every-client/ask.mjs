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

/**
 * Milliseconds after which a request counts as hanging. Answers come within 1 s of the last byte, those of servers to a short body
 * within 2 s, and one is delayed by 1 s; the time-outs of clients are longer.
 */
const LIMIT = 5000;
const TICK = 50;
/** Counts time in which this process runs: other programs may have the processor for seconds. */
let ticks = 0;
setInterval(() => {
  ticks += 1;
}, TICK);

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
  ...lengths({
    "too small": "3",
    "too large": "5000",
    "no number": "abc",
    negative: "-1",
    "a fraction": "1.5",
    empty: "",
  }),
  "a chunked POST": own("POST", "/targets", target, { ...JSON_TYPE, "Transfer-Encoding": "chunked" }),
  "an Expect: 100-continue": own("POST", "/targets", target, { ...JSON_TYPE, Expect: "100-continue" }),
  "a second Expect: 100-continue": own("POST", "/targets", target, { ...JSON_TYPE, Expect: "100-continue" }),
  "another Expect": own("POST", "/targets", target, { ...JSON_TYPE, Expect: "something" }),
  "a path with two slashes": plain("GET", "//summary"),
  "a path with a slash at its end": plain("GET", "/summary/"),
  "a path in capitals": plain("GET", "/SUMMARY"),
  "a path with dots": plain("GET", "/targets/../summary"),
  "a path with escaped dots": plain("GET", "/targets/%2e%2e"),
  "an empty query": plain("GET", "/summary?"),
  // Clients without signals send these whole, and are answered.
  "aborted before it is sent": { ...plain("GET", "/summary"), abort: "before" },
  "aborted while its body is sent": {
    ...own("POST", "/targets/slow/instances", Buffer.alloc(5_000_000, "a")),
    abort: "sending",
  },
  "aborted while its response is awaited": { ...plain("GET", "/summary/slow"), abort: "waiting" },
  "aborted after its response": { ...plain("GET", "/summary"), abort: "after" },
};

/** POSTs with a wrong Content-Length. */
function lengths(values) {
  const requests = Object.entries(values).map(([what, length]) => [
    `a Content-Length that is ${what}`,
    {
      ...plain(
        "POST",
        "/targets",
        { ...signed("POST", "/targets", target, JSON_TYPE), "Content-Length": length },
        target,
      ),
      ends: true,
      // Not every client sends all of them.
      without: length === "5000" || length === "abc" ? undefined : /fetch|ky|wretch/,
    },
  ]);
  return Object.fromEntries(requests);
}

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

const late = () =>
  new Promise((_, reject) => {
    const end = ticks + LIMIT / TICK;
    const timer = setInterval(() => {
      if (ticks < end) return;
      clearInterval(timer);
      reject(new Error("HANGS"));
    }, TICK);
  });

/** Where nothing is served, servers answer as a web server, and mocks fail the connection with an error that names the nearest path. */
const NOTHING = { error: "nothing is served there" };
// Not all clients hand on headers, or decode the page.
const isUnserved = ({ status, headers, body }) =>
  status === 404 && (!body.length || /html/.test(headers["content-type"]) || /<html/.test(body));

/** The codes of an error and of what caused it: the only thing about it that clients share. */
function codesOf(error) {
  const codes = [];
  for (let cause = error; cause; cause = cause.cause) if (cause.code) codes.push(cause.code);
  return codes.length > 0 ? codes : [error.name];
}

async function askOne(urls, client, { api = "target", path, ends, abort, without: _, ...rest }) {
  const url = urls[path.startsWith("/v1/") ? "query" : api].replace(/\/$/, "") + path;
  const controller = new AbortController();
  const { signal } = controller;
  if (abort === "before") controller.abort();
  const answered = Promise.race([client({ url, ...rest, ...(abort && { signal }) }), late()]);
  if (abort === "sending") setImmediate(() => controller.abort());
  if (abort === "waiting") setTimeout(() => controller.abort(), 100);
  return answered
    .then(
      (response) => (isUnserved(response) ? NOTHING : stable(response)),
      (error) => {
        if (error.message === "HANGS") return { error: "HANGS" };
        const codes = codesOf(error);
        if (codes.includes("ECONNREFUSED")) return NOTHING;
        return { error: ends || abort ? "an error" : `${codes[0]}` };
      },
    )
    .finally(() => controller.abort());
}

/** The milliseconds from each call to its end, by mode and request. */
const times = {};

/** Asks in turn, except for what waits for something. Leaves out the requests whose names match `without`. */
async function ask(mode, { urls, addFault }, client, without) {
  // In memory, a body may be read, and answered, before the client can give up.
  await addFault({ operation: ["targetSummary", "generateInstance"], delaySeconds: 1 });
  const requests = Object.entries(REQUESTS).filter(
    ([what, request]) => !request.without?.test(name) && !without?.test(what),
  );
  const isSlow = ({ abort, headers }) =>
    /waiting|sending/.test(abort) || headers["Content-Length"] === "5000";
  const slow = requests.filter(([, request]) => isSlow(request));
  times[mode] = {};
  const timed = async ([what, request]) => {
    const start = ticks;
    const received = await askOne(urls, client, request);
    times[mode][what] = (ticks - start) * TICK;
    return [what, received];
  };
  const answers = [];
  for (const [what, request] of requests) {
    if (isSlow(request)) continue;
    answers.push(await timed([what, request]));
    // Lets clients notice that the server ends the connection, or they may send the next request on it.
    if (request.ends) await new Promise((resolve) => setTimeout(resolve, 60));
  }
  // At the end, as servers then close connections that they called kept alive.
  answers.push(...(await Promise.all(slow.map(timed))));
  return Object.fromEntries(answers);
}

/** What Node's fetch refuses to send, and `mock.fetch`, which sends nothing, answers. */
const FETCH_REFUSES = /Content-Length|Expect|chunked/;

const controlOf = (control) => ({ urls: control.urls, addFault: (fault) => control.addFault(fault) });

const results = {};
for (const intercept of ["nock", "sockets"].filter((mode) => modes.includes(mode))) {
  const mock = new MockCloudReco({ intercept });
  mock.addCloudDatabase(KEYS);
  results[intercept] = await ask(intercept, controlOf(mock), await CLIENTS[name]());
  results[`${intercept} journal`] = mock.requests.length;
  mock.stop();
  // Lets clients notice that the last connection has ended.
  await new Promise(setImmediate);
}
if (name === "fetch" && modes.includes("mock.fetch")) {
  const mock = new MockCloudReco({ intercept: false });
  mock.addCloudDatabase(KEYS);
  results["mock.fetch"] = await ask(
    "mock.fetch",
    controlOf(mock),
    async ({ url, ...init }) => {
      const response = await mock.fetch(url, init);
      const body = Buffer.from(await response.arrayBuffer());
      return { status: response.status, headers: Object.fromEntries(response.headers), body };
    },
    FETCH_REFUSES,
  );
  mock.stop();
}
if (modes.includes("servers")) {
  const servers = await startServers({ logLevel: "silent" });
  servers.addCloudDatabase(KEYS);
  results.servers = await ask("servers", controlOf(servers), await CLIENTS[name]());
  results["servers journal"] = servers.requests.length;
  await servers.stop();
}
console.log(JSON.stringify({ ...results, times }));
process.exit(0);
