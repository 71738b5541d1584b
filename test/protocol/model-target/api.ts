import { ManualClock, MockCloudReco, type MockCloudRecoOptions } from "mock-cloud-reco";
import { createEmulator } from "../../../src/core/apis/index.ts";
import { MovableClock } from "../../../src/core/emulator/clock.ts";
import { createRandom } from "../../../src/core/emulator/random.ts";
import { MemoryStore } from "../../../src/core/store/memory-store.ts";
import { resolveOptions } from "../../../src/options/options.ts";
import { type BackendOptions, describeBackends, type Refused } from "../../support/backends.ts";
import { nodeClient } from "../../support/clients.ts";

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes and text are sent as they are, other values as JSON. */
  readonly body?: unknown;
}

export interface Received {
  readonly status: number;
  /** In order, with the case in which they were sent. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
}

/** An emulator's Model Target API on any backend. */
export interface Api extends AsyncDisposable {
  send(request: Sent): Promise<Received>;
  now(): Date;
  advance(seconds: number): void;
  /** What the journal says about the latest request. */
  latest(): Promise<Refused>;
}

export type OpenApi = (options?: BackendOptions) => Promise<Api>;

interface Service extends AsyncDisposable {
  readonly urls: { readonly modelTarget: string };
  readonly clock: ManualClock;
  latest(): Promise<Refused>;
}

/** Runs the same tests on every backend, through a real client. */
export function describeApi(name: string, define: (openApi: OpenApi) => void): void {
  describeBackends(name, (backend) => define(async (options) => throughClient(await backend.open(options))));
}

/** For options that are available in process only. */
export function openMock(options: MockCloudRecoOptions): Api {
  const clock = new ManualClock();
  const mock = new MockCloudReco({ ...options, clock });
  return throughClient({
    urls: mock.urls,
    clock,
    latest: async () => mock.requests.at(-1) ?? {},
    [Symbol.asyncDispose]: () => mock[Symbol.asyncDispose](),
  });
}

/** Without a transport: for thousands of requests, and for requests that no client sends. */
export function openDirectly(options: MockCloudRecoOptions = {}): Api {
  const clock = new ManualClock();
  const { profile, answerOptions } = resolveOptions(options);
  const store = new MemoryStore(() => Promise.reject(new Error("Model Targets have no images")));
  const emulator = createEmulator(
    { store, clock: new MovableClock(clock), random: createRandom(), profile, answerOptions },
    { unservedPaths: "notFound" },
  );
  return {
    async send({ method, path, headers = {}, body = "" }) {
      const { response } = await emulator.handle(["modelTarget"], {
        method,
        path,
        query: "",
        headers: Object.entries(headers),
        body: bytesOf(body),
      });
      if (response === undefined) throw new Error(`${method} ${path} got no response`);
      return response;
    },
    now: () => clock.now(),
    advance: (seconds) => clock.advance(seconds),
    latest: async () => emulator.journal.entries.at(-1) ?? {},
    [Symbol.asyncDispose]: async () => {},
  };
}

function throughClient(service: Service): Api {
  const { urls, clock } = service;
  return {
    async send({ method, path, headers = {}, body }) {
      const request = {
        method,
        url: urls.modelTarget + path,
        headers,
        body: body === undefined ? undefined : bytesOf(body),
      };
      const { status, rawHeaders = [], body: received } = await nodeClient(request);
      return { status, headers: rawHeaders, body: received };
    },
    now: () => clock.now(),
    advance: (seconds) => clock.advance(seconds),
    latest: () => service.latest(),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

function bytesOf(body: unknown): Buffer {
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}
