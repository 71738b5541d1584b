import { onTestFinished } from "vitest";
import type { Outcome, RequestHandler } from "../../src/http/outcome.ts";
import type { HeaderList, WireRequest } from "../../src/http/wire-message.ts";
import type { Interception, Interceptor } from "../../src/interception/interceptor.ts";
import { interceptWithNock } from "../../src/interception/nock-interceptor.ts";
import type { ReplyWay } from "../../src/interception/nock-session.ts";

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
  readonly way?: ReplyWay;
}

/** Intercepts one base URL with nock until the test is over. */
export function mock({
  baseUrl = HOST,
  handle = async () => reply("ours"),
  way = "direct",
  unhandledRequests = "bypass",
}: MockOptions = {}): RunningMock {
  const requests: WireRequest[] = [];
  const recorded: RequestHandler = (request) => {
    requests.push(request);
    return handle(request);
  };
  const hosts = [{ baseUrl: new URL(baseUrl), handle: recorded }];
  const interceptor = interceptWithNock({ hosts, unhandledRequests }, way);
  onTestFinished(() => interceptor.stop());
  return { requests, stop: interceptor.stop };
}
