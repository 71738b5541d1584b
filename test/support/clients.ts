import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import axios from "axios";
import got from "got";
import { request as undiciRequest } from "undici";

export interface ClientRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  readonly signal?: AbortSignal;
}

export interface ClientResponse {
  readonly status: number;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names and values as sent, in order; only node:http(s) and got expose them. */
  readonly rawHeaders?: readonly (readonly [string, string])[];
  /** The body as the client returns it: fetch, axios and got decode gzip, node:http(s) does not. */
  readonly body: Buffer;
}

/** Sends a request with a real client and reads the complete response. */
export type Client = (request: ClientRequest) => Promise<ClientResponse>;

const pairs = (flat: readonly string[]): [string, string][] =>
  flat.flatMap((name, index) =>
    index % 2 === 0 ? [[name, flat[index + 1] ?? ""] satisfies [string, string]] : [],
  );

const byLowerCaseName = (list: Iterable<readonly [string, unknown]>): Record<string, string> =>
  Object.fromEntries([...list].map(([name, value]) => [name.toLowerCase(), String(value)]));

/** A client that calls a function like `fetch`; a mock's own passes a wrong `Content-Length` on, which `fetch` refuses. */
export const fetchBy =
  (send: (url: string, init: RequestInit) => Promise<Response>): Client =>
  async ({ method, url, headers, body, signal }) => {
    const response = await send(url, {
      method,
      headers,
      ...(body !== undefined && { body: new Uint8Array(body) }),
      ...(signal !== undefined && { signal }),
    });
    return {
      status: response.status,
      headers: byLowerCaseName(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    };
  };

export const fetchClient = fetchBy((url, init) => fetch(url, init));

export const nodeClient: Client = ({ method, url, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const open = url.startsWith("https:") ? httpsRequest : httpRequest;
    const length =
      body === undefined || hasHeader(headers, "content-length") ? {} : { "Content-Length": body.length };
    const request = open(
      url,
      { method, headers: { ...headers, ...length }, ...(signal && { signal }) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const rawHeaders = pairs(response.rawHeaders);
          resolve({
            status: response.statusCode ?? 0,
            headers: byLowerCaseName(rawHeaders),
            rawHeaders,
            body: Buffer.concat(chunks),
          });
        });
      },
    );
    request.on("error", reject);
    request.end(body);
  });

const hasHeader = (headers: Readonly<Record<string, string>>, name: string): boolean =>
  Object.keys(headers).some((given) => given.toLowerCase() === name);

const axiosWith =
  (adapter: "http" | "fetch"): Client =>
  async ({ method, url, headers, body, signal }) => {
    const response = await axios.request<ArrayBuffer>({
      adapter,
      method,
      url,
      // axios sends its own Accept and Content-Type unless told otherwise.
      headers: { Accept: "*/*", "Content-Type": null, ...headers },
      responseType: "arraybuffer",
      validateStatus: () => true,
      ...(body !== undefined && { data: body }),
      ...(signal !== undefined && { signal }),
    });
    return {
      status: response.status,
      headers: byLowerCaseName(Object.entries(response.headers)),
      body: Buffer.from(response.data ?? []),
    };
  };

export const axiosClient = axiosWith("http");
export const axiosFetchClient = axiosWith("fetch");

export const gotClient: Client = async ({ method, url, headers, body, signal }) => {
  const response = await got(url, {
    // got's type lists methods; tests also send others.
    method: method as "GET",
    headers,
    responseType: "buffer",
    throwHttpErrors: false,
    retry: { limit: 0 },
    allowGetBody: true,
    ...(body !== undefined && { body }),
    ...(signal !== undefined && { signal }),
  });
  return {
    status: response.statusCode,
    headers: byLowerCaseName(Object.entries(response.headers)),
    rawHeaders: pairs(response.rawHeaders),
    body: Buffer.from(response.rawBody),
  };
};

/** `request` of the undici package, which does not use the global fetch. */
export const undiciClient: Client = async ({ method, url, headers, body, signal }) => {
  const response = await undiciRequest(url, {
    method,
    headers,
    ...(body !== undefined && { body }),
    ...(signal !== undefined && { signal }),
  });
  return {
    status: response.statusCode,
    headers: byLowerCaseName(Object.entries(response.headers)),
    body: Buffer.from(await response.body.arrayBuffer()),
  };
};

export const clients: Readonly<Record<"fetch" | "node" | "axios" | "got" | "undici", Client>> = {
  fetch: fetchClient,
  node: nodeClient,
  axios: axiosClient,
  got: gotClient,
  undici: undiciClient,
};
