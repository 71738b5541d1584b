import { onTestFinished } from "vitest";
import type { Outcome, RequestHandler } from "../../src/http/outcome.ts";
import type { HeaderList, WireRequest } from "../../src/http/wire-message.ts";
import type { Interception, Interceptor } from "../../src/interception/interceptor.ts";
import { interceptWithNock } from "../../src/interception/nock-interceptor.ts";
import type { ReplyWay } from "../../src/interception/nock-session.ts";
import {
  axiosClient,
  axiosFetchClient,
  type Client,
  type ClientRequest,
  fetchClient,
  gotClient,
  nodeClient,
} from "../support/clients.ts";

export const HOST = "https://service.example";

export const reply = (body: string | Buffer, status = 200, headers: HeaderList = []): Outcome => ({
  response: { status, headers, body: Buffer.from(body) },
});

export interface RunningMock extends Interceptor {
  /** Every request that reached it. */
  readonly requests: readonly WireRequest[];
}

export interface MockOptions extends Partial<Interception> {
  readonly baseUrl?: string;
  readonly handle?: RequestHandler;
  readonly intercept?: (interception: Interception) => Interceptor;
}

/** nock, answering in a certain way. */
export const nockBy = (way: ReplyWay) => (interception: Interception) => interceptWithNock(interception, way);

/** Intercepts one base URL, with nock if nothing else is said, until the test is over. */
export function mock({
  baseUrl = HOST,
  handle = async () => reply("ours"),
  intercept = interceptWithNock,
  unhandledRequests = "bypass",
}: MockOptions = {}): RunningMock {
  const requests: WireRequest[] = [];
  const recorded: RequestHandler = (request) => {
    requests.push(request);
    return handle(request);
  };
  const { stop } = intercept({ hosts: [{ baseUrl: new URL(baseUrl), handle: recorded }], unhandledRequests });
  onTestFinished(stop);
  return { requests, stop };
}

const from =
  (client: Client) =>
  (url: string, rest: Partial<Omit<ClientRequest, "url">> = {}) =>
    client({ method: "GET", headers: {}, ...rest, url });

export const viaFetch = from(fetchClient);

/** The clients that nock serves. */
export const CLIENTS = {
  fetch: viaFetch,
  "node:http(s)": from(nodeClient),
  "axios (http)": from(axiosClient),
  "axios (fetch)": from(axiosFetchClient),
  got: from(gotClient),
};

export const WAYS: readonly ReplyWay[] = ["direct", "documented"];

/** Every client with every way of answering. */
export const CLIENTS_AND_WAYS = Object.entries(CLIENTS).flatMap(([name, client]) =>
  WAYS.map((way) => ({ name, client, way, intercept: nockBy(way) })),
);
