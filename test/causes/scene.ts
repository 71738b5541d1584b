import { createHash, createHmac } from "node:crypto";
import {
  ManualClock,
  type MockCloudDatabase,
  MockCloudReco,
  type MockCloudRecoOptions,
} from "mock-cloud-reco";
import { expect, it } from "vitest";
import { makePng } from "../support/png.ts";
import { type SignedParts, signedRequest } from "../support/signed-request.ts";
import { expectAdviceFirst } from "./advice.ts";

export const NOW = new Date("2026-11-21T12:00:00.000Z");
export const DATE = NOW.toUTCString();
export const image = makePng();

/** The parts of a form, as text or bytes; an image is a file. */
export type Form = Readonly<Record<string, string | Buffer>>;

const BOUNDARY = "b0undary";

function formOf(fields: Form): Buffer {
  const parts = Object.entries(fields).flatMap(([name, value]) => {
    const file = name === "image" ? '; filename="image"' : "";
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value), Buffer.from("\r\n")];
  });
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

interface Sent {
  readonly status: number | undefined;
  readonly text: string;
}

/** A mock with a database, and requests to it that are right but for what a test changes. */
export class Scene {
  readonly clock = new ManualClock(NOW);
  readonly mock: MockCloudReco;
  readonly database: MockCloudDatabase;

  constructor(options: MockCloudRecoOptions = {}) {
    this.mock = new MockCloudReco({
      intercept: false,
      clock: this.clock,
      processingTimeSeconds: 0,
      targetRater: () => 5,
      ...options,
    });
    this.database = this.mock.addCloudDatabase({ databaseName: "shop" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.mock.stop();
  }

  /** Sends a request as it is. */
  async raw(
    url: string,
    init: { method?: string; headers?: Record<string, string>; body?: Buffer | string } = {},
  ): Promise<Sent> {
    try {
      const response = await this.mock.fetch(url, init as RequestInit);
      return { status: response.status, text: await response.text() };
    } catch {
      // The connection fails; the journal says why.
      return { status: undefined, text: "" };
    }
  }

  /** Sends a signed request to the target API. */
  target(method: string, path: string, parts: Partial<SignedParts> = {}): Promise<Sent> {
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = this.database;
    const baseUrl = this.mock.urls.target;
    const now = this.clock.now();
    const { url, ...init } = signedRequest({ method, path, baseUrl, accessKey, secretKey, now, ...parts });
    return this.raw(url, { ...init, ...(init.body && { body: init.body }) } as Parameters<Scene["raw"]>[1]);
  }

  add(fields: Readonly<Record<string, unknown>> = {}): Promise<Sent> {
    const body = { name: "poster", width: 1, image: image.toString("base64"), ...fields };
    return this.target("POST", "/targets", { body });
  }

  async added(fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { target_id: id } = JSON.parse((await this.add(fields)).text);
    return String(id);
  }

  query(form: Form = { image }, parts: Partial<SignedParts> = {}): Promise<Sent> {
    const { clientAccessKey: accessKey, clientSecretKey: secretKey } = this.database;
    const { headers = {}, ...others } = parts;
    const type = `multipart/form-data; boundary=${BOUNDARY}`;
    const { url, ...init } = signedRequest({
      method: "POST",
      path: "/v1/query",
      baseUrl: this.mock.urls.query,
      accessKey,
      secretKey,
      now: this.clock.now(),
      contentType: "multipart/form-data",
      body: formOf(form),
      headers: { "Content-Type": type, ...headers },
      ...others,
    });
    return this.raw(url, init as Parameters<Scene["raw"]>[1]);
  }

  /** Sends `GET /targets`, signed in another way. */
  signed(
    change: Partial<{ key: string | Buffer; date: string; path: string; method: string; separator: string }>,
    inForm: (hmac: Buffer) => string = (hmac) => hmac.toString("base64"),
    algorithm = "sha1",
  ): Promise<Sent> {
    const { key = this.database.serverSecretKey, date = DATE, path = "/targets", method = "GET" } = change;
    const empty = createHash("md5").digest("hex");
    const toSign = [method, empty, "", date, path].join(change.separator ?? "\n");
    const signature = inForm(createHmac(algorithm, key).update(toSign).digest());
    return this.authorized(`VWS ${this.database.serverAccessKey}:${signature}`);
  }

  authorized(authorization: string): Promise<Sent> {
    const headers = { Date: DATE, Authorization: authorization };
    return this.raw(`${this.mock.urls.target}/targets`, { headers });
  }

  manager(method: string, path: string, body?: unknown): Promise<Sent> {
    const headers = { "Content-Type": "application/json" };
    return this.raw(`${this.mock.urls.manager}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** All codes in the journal: of causes, of further ones and of targets. */
  codes(): readonly string[] {
    return this.mock.requests.flatMap(({ cause, considered = [], otherTargets = [] }) => [
      ...(cause === undefined ? [] : [cause.code, ...(cause.also ?? []).map(({ code }) => code)]),
      ...considered.map(({ code }) => code),
      ...otherTargets.map(({ code }) => code),
    ]);
  }
}

export type Producer = (scene: Scene) => Promise<unknown>;

/** Tries that each code occurs, and that its entry has a sentence. */
export function producesCodes(
  table: Readonly<Record<string, Producer>>,
  options?: MockCloudRecoOptions,
): void {
  it.each(Object.entries(table))("%s", async (code, produce) => {
    await using scene = new Scene(options);
    await produce(scene);
    expect(scene.codes()).toContain(code);
    expect(
      scene.mock.requests.filter(({ cause, reason }) => (cause === undefined) !== (reason === undefined)),
    ).toEqual([]);
    expectAdviceFirst(scene.mock.requests);
  });
}
