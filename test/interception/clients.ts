import http from "node:http";
import https from "node:https";
import axios from "axios";
import got from "got";

export interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer;
  readonly signal?: AbortSignal;
}

export interface Received {
  readonly status: number;
  /** As the client shows them: `node:http` alone keeps their case. */
  readonly headers: Record<string, string>;
  /** Decoded, by clients that decode. */
  readonly body: Buffer;
}

export type Client = (url: string, sent?: Sent) => Promise<Received>;

const nodeClient =
  (request: typeof http.request): Client =>
  (url, { method = "GET", headers = {}, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const sending = request(url, { method, headers, ...(signal && { signal }) }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: pairs(response.rawHeaders),
            body: Buffer.concat(chunks),
          }),
        );
      });
      sending.on("error", reject);
      sending.end(body);
    });

const axiosClient =
  (adapter: "http" | "fetch"): Client =>
  async (url, { method = "GET", headers = {}, body, signal } = {}) => {
    const response = await axios.request({
      url,
      method,
      headers,
      adapter,
      responseType: "arraybuffer",
      validateStatus: () => true,
      ...(body && { data: body }),
      ...(signal && { signal }),
    });
    const received = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
    return {
      status: response.status,
      headers: Object.fromEntries(received),
      body: Buffer.from(response.data ?? []),
    };
  };

export const viaFetch: Client = async (url, { method = "GET", headers = {}, body, signal } = {}) => {
  const response = await fetch(url, { method, headers, ...(body && { body }), ...(signal && { signal }) });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
  };
};

/** The clients that nock serves. Looked up when called, as a user's code would. */
export const CLIENTS: Record<string, Client> = {
  fetch: viaFetch,
  "node:http(s)": (url, sent) =>
    nodeClient(url.startsWith("https:") ? https.request : http.request)(url, sent),
  "axios (http)": axiosClient("http"),
  "axios (fetch)": axiosClient("fetch"),
  got: async (url, { method = "GET", headers = {}, body, signal } = {}) => {
    const response = await got(url, {
      method: isGotMethod(method) ? method : "GET",
      headers,
      throwHttpErrors: false,
      responseType: "buffer",
      retry: { limit: 0 },
      allowGetBody: true,
      ...(body && { body }),
      ...(signal && { signal }),
    });
    return { status: response.statusCode, headers: pairs(response.rawHeaders), body: response.body };
  },
};

const isGotMethod = (method: string): method is "GET" => /^[A-Z]+$/.test(method);

function pairs(raw: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ""]] : [])),
  );
}
