// Clients of HTTP by name. Each sends { url, method, headers, body } and returns { status, headers, body }.
import http from "node:http";
import https from "node:https";
import net from "node:net";

const load = async (name) => {
  const module = await import(name);
  return module.default ?? module;
};
const lower = (list) =>
  Object.fromEntries([...list].map(([name, value]) => [name.toLowerCase(), String(value)]));
const record = (headers) => lower(Object.entries(headers));
const ofFetch = async (response) => ({
  status: response.status,
  headers: lower(response.headers),
  body: Buffer.from(await response.arrayBuffer()),
});
const withFetch =
  (fetch, more = {}) =>
  async ({ url, ...request }) =>
    ofFetch(await fetch(url, { ...request, ...more }));
const bytesOf = async (stream) => {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** node:http or node:https, with options of `request`. */
const withNode =
  (more = {}, modules = { http, https }) =>
  ({ url, body, ...options }) =>
    new Promise((resolve, reject) => {
      const { request: open } = url.startsWith("https:") ? modules.https : modules.http;
      const request = open(url, { ...options, ...more }, (response) => {
        bytesOf(response).then(
          (bytes) => resolve({ status: response.statusCode, headers: record(response.headers), body: bytes }),
          reject,
        );
      });
      request.on("error", reject);
      request.end(body);
    });

const withUndici = async (name, how) => {
  const undici = await load(name);
  const { request, Pool, Client, Agent } = undici;
  const ofUndici = async ({ statusCode, headers, body }) => ({
    status: statusCode,
    headers: record(headers),
    body: Buffer.from(await body.arrayBuffer()),
  });
  return {
    request: async ({ url, ...options }) => ofUndici(await request(url, options)),
    agent: async ({ url, ...options }) =>
      ofUndici(await request(url, { ...options, dispatcher: new Agent() })),
    pool: async ({ url, ...options }) => {
      const { origin, pathname, search } = new URL(url);
      return ofUndici(await new Pool(origin).request({ path: pathname + search, ...options }));
    },
    client: async ({ url, ...options }) => {
      const { origin, pathname, search } = new URL(url);
      return ofUndici(await new Client(origin).request({ path: pathname + search, ...options }));
    },
    fetch: withFetch(undici.fetch),
    stream: async ({ url, ...options }) => {
      const { PassThrough } = await import("node:stream");
      let head;
      const through = new PassThrough();
      const reading = bytesOf(through);
      await undici.stream(url, options, ({ statusCode, headers }) => {
        head = { status: statusCode, headers: record(headers) };
        return through;
      });
      return { ...head, body: await reading };
    },
    pipeline: async ({ url, body, ...options }) => {
      let head;
      const duplex = undici.pipeline(url, options, ({ statusCode, headers, body: received }) => {
        head = { status: statusCode, headers: record(headers) };
        return received;
      });
      duplex.end(body);
      const bytes = await bytesOf(duplex);
      return { ...head, body: bytes };
    },
  }[how];
};

const ofAxios = async (adapter) => {
  const axios = await load("axios");
  return async ({ url, method, headers, body, signal }) => {
    const options = {
      url,
      method,
      headers,
      signal,
      adapter,
      responseType: "arraybuffer",
      validateStatus: () => true,
    };
    const response = await axios({ ...options, data: body, transformRequest: (data) => data });
    return { status: response.status, headers: record(response.headers), body: Buffer.from(response.data) };
  };
};

const ofGot = async (name, more = {}) => {
  const got = await load(name);
  return async ({ url, method, headers, body, signal }) => {
    const options = {
      method,
      headers,
      body,
      signal,
      responseType: "buffer",
      throwHttpErrors: false,
      retry: { limit: 0 },
      ...more,
    };
    const response = await got(url, { allowGetBody: true, ...options });
    return {
      status: response.statusCode,
      headers: record(response.headers),
      body: Buffer.from(response.rawBody),
    };
  };
};

/** A proxy that never answers: no request may need it. */
async function silentProxy() {
  const proxy = net.createServer(() => {}).listen(0, "127.0.0.1");
  proxy.unref();
  await new Promise((resolve) => proxy.once("listening", resolve));
  return `http://127.0.0.1:${proxy.address().port}`;
}

export const CLIENTS = {
  fetch: async () => withFetch(globalThis.fetch),
  "fetch of a Request": async () => {
    // Node forgets the signal of a Request that is garbage.
    const kept = [];
    return async ({ url, ...init }) => {
      const request = new Request(url, init);
      kept.push(request);
      return ofFetch(await fetch(request));
    };
  },
  "node:http(s)": async () => withNode(),
  "node:http(s), kept alive": async () => (request) => {
    const { Agent } = request.url.startsWith("https:") ? https : http;
    return withNode({ agent: new Agent({ keepAlive: true }) })(request);
  },
  "node:http(s), no agent": async () => withNode({ agent: false }),
  ClientRequest:
    async () =>
    ({ url, body, ...options }) => {
      const { protocol, hostname, port, pathname, search } = new URL(url);
      const isSecure = protocol === "https:";
      const own = { http: { request: (_, given, done) => new http.ClientRequest(given, done) } };
      own.https = own.http;
      const agent = isSecure ? https.globalAgent : http.globalAgent;
      const at = { protocol, hostname, port: port || (isSecure ? 443 : 80), path: pathname + search, agent };
      return withNode(at, own)({ url, body, ...options });
    },
  agentkeepalive: async () => {
    const Agent = await load("agentkeepalive");
    return (request) =>
      withNode({ agent: request.url.startsWith("https:") ? new Agent.HttpsAgent() : new Agent() })(request);
  },
  "https-proxy-agent": async () => {
    const { HttpsProxyAgent } = await import("https-proxy-agent");
    const agent = new HttpsProxyAgent(await silentProxy());
    return (request) => withNode(request.url.startsWith("https:") ? { agent } : {})(request);
  },
  "proxy-agent": async () => {
    const { ProxyAgent } = await import("proxy-agent");
    return withNode({ agent: new ProxyAgent() });
  },
  "axios (http)": () => ofAxios("http"),
  "axios (fetch)": () => ofAxios("fetch"),
  "got 14": () => ofGot("got"),
  "got, http2": () => ofGot("got", { http2: true }),
  "got 15": () => ofGot("got-15"),
  "got 16": () => ofGot("got-16"),
  ky: async () => withFetch(await load("ky"), { throwHttpErrors: false, retry: 0, timeout: false }),
  ofetch: async () => {
    const { ofetch } = await import("ofetch");
    return async ({ url, ...request }) => {
      const response = await ofetch.raw(url, {
        ...request,
        ignoreResponseError: true,
        responseType: "arrayBuffer",
        retry: 0,
      });
      return {
        status: response.status,
        headers: lower(response.headers),
        body: Buffer.from(response._data ?? ""),
      };
    };
  },
  wretch: async () => {
    const wretch = await load("wretch");
    return ({ url, method, ...options }) =>
      wretch(url)
        .options(options)
        .fetch(method)
        .res()
        .then(ofFetch)
        .catch(async (error) => {
          if (error.response === undefined) throw error;
          const { status, headers } = error.response;
          return { status, headers: lower(headers), body: Buffer.from(error.text ?? "") };
        });
  },
  "node-fetch 2": async () => withFetch(await load("node-fetch-2")),
  "node-fetch 3": async () => withFetch(await load("node-fetch")),
  "cross-fetch": async () => withFetch(await load("cross-fetch")),
  "isomorphic-unfetch": async () => withFetch(await load("isomorphic-unfetch")),
  "@adobe/fetch": async () => withFetch((await import("@adobe/fetch")).fetch),
  "minipass-fetch": async () => withFetch(await load("minipass-fetch")),
  "make-fetch-happen": async () =>
    withFetch(await load("make-fetch-happen"), { retry: false, cache: "no-store" }),
  superagent: async () => {
    const superagent = await load("superagent");
    return async ({ url, method, headers, body }) => {
      const response = await superagent(method, url)
        .set(headers)
        // By itself it writes the bytes as a JSON array, which takes seconds.
        .serialize((bytes) => bytes)
        .ok(() => true)
        .buffer(true)
        .parse((given, done) => bytesOf(given).then((bytes) => done(null, bytes), done))
        .send(body);
      return { status: response.status, headers: record(response.headers), body: response.body };
    };
  },
  request: async () => {
    const request = await load("request");
    return ({ url, ...options }) =>
      new Promise((resolve, reject) => {
        request({ url, ...options, encoding: null, gzip: true }, (error, response, body) =>
          error
            ? reject(error)
            : resolve({ status: response.statusCode, headers: record(response.headers), body }),
        );
      });
  },
  needle: async () => {
    const needle = await load("needle");
    return async ({ url, method, headers, body }) => {
      const response = await needle(method.toLowerCase(), url, body ?? null, {
        headers,
        parse: false,
        compressed: true,
      });
      return {
        status: response.statusCode,
        headers: record(response.headers),
        body: Buffer.from(response.body),
      };
    };
  },
  phin: async () => {
    const phin = await load("phin");
    const axiosOpts = {
      responseType: "arraybuffer",
      transformRequest: (data) => data,
      validateStatus: () => true,
    };
    return async ({ body, ...options }) => {
      const response = await phin({ ...options, data: body, axiosOpts });
      return {
        status: response.statusCode,
        headers: record(response.headers),
        body: Buffer.from(response.body),
      };
    };
  },
  gaxios: async () => {
    const { request } = await import("gaxios");
    return async ({ body, ...options }) => {
      const response = await request({
        ...options,
        data: body,
        responseType: "arraybuffer",
        validateStatus: () => true,
      });
      const headers =
        response.headers instanceof Headers ? lower(response.headers) : record(response.headers);
      return { status: response.status, headers, body: Buffer.from(response.data) };
    };
  },
  "simple-get": async () => {
    const get = await load("simple-get");
    return (options) =>
      new Promise((resolve, reject) => {
        get.concat(options, (error, response, body) =>
          error
            ? reject(error)
            : resolve({ status: response.statusCode, headers: record(response.headers), body }),
        );
      });
  },
  urllib: async () => {
    const { request } = await import("urllib");
    return async ({ url, body, ...options }) => {
      const response = await request(url, { ...options, content: body, dataType: "buffer" });
      return {
        status: response.status,
        headers: record(response.headers),
        body: response.data ?? Buffer.alloc(0),
      };
    };
  },
  wreck: async () => {
    const Wreck = await load("@hapi/wreck");
    return async ({ url, method, headers, body }) => {
      const response = await Wreck.request(method, url, { headers, payload: body });
      return {
        status: response.statusCode,
        headers: record(response.headers),
        body: await Wreck.read(response),
      };
    };
  },
  "teeny-request": async () => {
    const { teenyRequest } = await import("teeny-request");
    return ({ url, ...options }) =>
      new Promise((resolve, reject) => {
        teenyRequest({ uri: url, ...options }, (error, response, body) => {
          if (error) return reject(error);
          const text = typeof body === "string" ? body : JSON.stringify(body);
          return resolve({
            status: response.statusCode,
            headers: record(response.headers),
            body: Buffer.from(text ?? ""),
          });
        });
      });
  },
  "follow-redirects": async () => withNode({ maxRedirects: 5 }, await load("follow-redirects")),
  bent: async () => {
    const bent = await load("bent");
    return async ({ url, method, headers, body }) => {
      const response = await bent(method, ...[...Array(500).keys()].map((n) => n + 100))(url, body, headers);
      return {
        status: response.statusCode,
        headers: record(response.headers),
        body: Buffer.from(await response.arrayBuffer()),
      };
    };
  },
  centra: async () => {
    const centra = await load("centra");
    return async ({ url, method, headers, body }) => {
      const asked = centra(url, method).header(headers);
      const response = await (body === undefined ? asked : asked.body(body)).send();
      return { status: response.statusCode, headers: record(response.headers), body: response.body };
    };
  },
  "http2-wrapper": async () => {
    const http2 = await load("http2-wrapper");
    return async ({ url, body, ...options }) => {
      const request = await http2.auto(url, options);
      return new Promise((resolve, reject) => {
        request.on("error", reject).on("response", (response) => {
          bytesOf(response).then(
            (bytes) =>
              resolve({ status: response.statusCode, headers: record(response.headers), body: bytes }),
            reject,
          );
        });
        request.end(body);
      });
    };
  },
  "undici 7 request": () => withUndici("undici", "request"),
  "undici 7 Agent": () => withUndici("undici", "agent"),
  "undici 7 Pool": () => withUndici("undici", "pool"),
  "undici 7 Client": () => withUndici("undici", "client"),
  "undici 7 fetch": () => withUndici("undici", "fetch"),
  "undici 7 stream": () => withUndici("undici", "stream"),
  "undici 7 pipeline": () => withUndici("undici", "pipeline"),
  "undici 6 request": () => withUndici("undici-6", "request"),
  "undici 6 fetch": () => withUndici("undici-6", "fetch"),
  "undici 8 request": () => withUndici("undici-8", "request"),
  "undici 8 Pool": () => withUndici("undici-8", "pool"),
  "undici 8 fetch": () => withUndici("undici-8", "fetch"),
};
