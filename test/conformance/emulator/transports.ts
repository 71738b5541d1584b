import type { MockCloudReco } from "mock-cloud-reco";
import type { ServiceUnderTest } from "../../support/backends.ts";
import { fetchBy } from "../../support/clients.ts";
import { overTheWire } from "../engine/emulator-run.ts";
import type { SendRequest } from "../engine/wire-client.ts";

/** In process no bytes are sent, so a wrong `Content-Length` is given to the only function that passes it on. */
export const inProcess =
  (mocked: ServiceUnderTest["fetch"] = fetch): SendRequest =>
  async (baseUrl, request) => {
    const { method, path, headers, body, contentLength } = request;
    const url = baseUrl + path;
    if (contentLength === undefined) return overTheWire(baseUrl, request);
    const sent = { ...headers, "Content-Length": contentLength };
    const response = await fetchBy(mocked)({ method, url, headers: sent, body });
    // fetch shows neither the case of names nor the encoding.
    const named = Object.entries(response.headers).filter(([name]) => name !== "content-length");
    const length = ["Content-Length", String(response.body.length)] as const;
    return { status: response.status, headers: [...named.map(originalCase), length], body: response.body };
  };

/** Fetch decodes bodies and shows names in lower case. */
export const byMockFetch =
  (mock: Pick<MockCloudReco, "fetch">): SendRequest =>
  async (baseUrl, { method, path, headers, body, contentLength }) => {
    const sent = { ...headers, ...(contentLength !== undefined && { "Content-Length": contentLength }) };
    const response = await mock.fetch(baseUrl + path, { method, headers: sent, ...(body && { body }) });
    const received = Buffer.from(await response.arrayBuffer());
    const named = [...response.headers].filter(([name]) => name !== "content-length").map(originalCase);
    const length = ["Content-Length", String(received.length)] as const;
    return { status: response.status, headers: [...named, length], body: received };
  };

const CASES = [
  ...["Cache-Control", "Connection", "Content-Disposition", "Content-Encoding", "Content-Type", "Date"],
  ...["Server", "WWW-Authenticate"],
];
/** Envoy writes its own name in lower case. */
const originalCase = ([name, value]: [string, string]): [string, string] => [
  value === "envoy" ? name : (CASES.find((one) => one.toLowerCase() === name) ?? name),
  value,
];
