import { onTestFinished } from "vitest";
import type { HeaderList, RequestHandler, Result, WireRequest } from "../../src/core/emulator/message.ts";
import {
  type Interception,
  type Interceptor,
  intercept as startIntercepting,
} from "../../src/intercept/interception.ts";
import {
  axiosClient,
  axiosFetchClient,
  type Client,
  type ClientRequest,
  fetchClient,
  gotClient,
  nodeClient,
} from "../support/clients.ts";
import { codesOf, messagesOf } from "./failures.ts";

export const HOST = "https://service.example";

export const reply = (body: string | Buffer, status = 200, headers: HeaderList = []): Result => ({
  response: { status, headers, body: Buffer.from(body) },
});

export interface RunningMock extends Interceptor {
  /** Every request that reached the mock. */
  readonly requests: readonly WireRequest[];
}

/** How a mock intercepts. */
export type Way = Pick<Interception, "intercept" | "replyMode">;

export interface MockOptions extends Partial<Way>, Pick<Interception, "unhandledRequests"> {
  readonly baseUrl?: string;
  readonly handle?: RequestHandler;
  /** Another copy of the code. */
  readonly start?: typeof startIntercepting;
}

/** Intercepts one base URL until the test ends, by default with nock. */
export function mock({
  baseUrl = HOST,
  handle = async () => reply("ours"),
  intercept = "nock",
  start = startIntercepting,
  ...options
}: MockOptions = {}): RunningMock {
  const requests: WireRequest[] = [];
  const recorded: RequestHandler = (request) => {
    requests.push(request);
    return handle(request);
  };
  const { stop } = start({ hosts: [{ baseUrl: new URL(baseUrl), handle: recorded }], intercept, ...options });
  onTestFinished(stop);
  return { requests, stop };
}

const from =
  (client: Client) =>
  (url: string, rest: Partial<Omit<ClientRequest, "url">> = {}) =>
    client({ method: "GET", headers: {}, ...rest, url });

export const viaFetch = from(fetchClient);

/** The clients that both `nock` and `sockets` intercept. */
export const CLIENTS = {
  fetch: viaFetch,
  "node:http(s)": from(nodeClient),
  "axios (http)": from(axiosClient),
  "axios (fetch)": from(axiosFetchClient),
  got: from(gotClient),
};

/** Returns the response of a URL, or the error of the request. */
export async function ask(url: string, method = "GET"): Promise<string> {
  return await viaFetch(url, { method }).then(
    ({ body }) => String(body),
    (error: unknown) => codesOf(error).find((code) => code !== undefined) ?? messagesOf(error).join(": "),
  );
}
