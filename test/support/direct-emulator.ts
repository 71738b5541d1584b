import { Emulator } from "../../src/emulator.ts";
import { header, type WireResponse } from "../../src/http/wire-message.ts";
import { assessImage } from "../../src/images/assess.ts";
import { exactMatcher } from "../../src/images/matchers.ts";
import { fixedRater } from "../../src/images/raters.ts";
import { type ProfileName, profiles } from "../../src/profiles.ts";
import type { Service } from "../../src/runtime/operation.ts";
import { createRandom } from "../../src/runtime/random.ts";
import { realDelay } from "../../src/runtime/real-time.ts";
import type { Services, Settings } from "../../src/services.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";

/** A response as a test looks at it. */
export interface Answered {
  readonly status: number;
  readonly body: Buffer;
  readonly text: string;
  /** Header names as sent, in order. */
  readonly headerNames: readonly string[];
  header(name: string): string | undefined;
  /** The body as JSON. */
  readonly json: unknown;
}

export interface Sent {
  readonly method: string;
  /** May carry a query string. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A value is sent as JSON, bytes and text as they are. */
  readonly body?: unknown;
}

/** An emulator without a transport, for tests that send thousands of requests or look at single bytes. */
export class DirectEmulator {
  /** The clock's present moment, in milliseconds since the epoch. */
  now = Date.UTC(2026, 10, 21, 10, 42, 0);
  readonly services: Omit<Services, "journal">;
  readonly emulator: Emulator;

  constructor(settings: Partial<Settings> = {}, profile: ProfileName = "neutral") {
    this.services = {
      store: new MemoryStore((image) => assessImage(image, fixedRater(4))),
      clock: { now: () => new Date(this.now) },
      random: createRandom("test"),
      profile: profiles[profile],
      settings: {
        processingTimeSeconds: 2,
        queryMatcher: exactMatcher,
        duplicatesMatcher: exactMatcher,
        queryContentEncoding: "gzip",
        responseDelaySeconds: 0,
        delay: realDelay,
        reportBaseUrl: "https://vws.vuforia.com",
        modelTargetTrainingAllowanceExceeded: false,
        modelTargetClient: { id: "client-id", secret: "client-secret" },
        modelTargetUser: { name: "user@example.com", password: "password" },
        ...settings,
      },
    };
    this.emulator = new Emulator(this.services, { unservedPaths: "notFound" });
  }

  async send(api: Service, { method, path, headers = {}, body }: Sent): Promise<Answered> {
    const [rawPath = "", ...query] = path.split("?");
    const { response } = await this.emulator.handle([api], {
      method,
      path: rawPath,
      query: query.join("?"),
      headers: Object.entries(headers),
      body: toBytes(body),
    });
    if (response === undefined) throw new Error(`${method} ${path} got no response`);
    return answered(response);
  }

  /** A request to the target manager. */
  manage(method: string, path: string, body?: unknown): Promise<Answered> {
    return this.send("manager", { method, path, body });
  }
}

const answered = (response: WireResponse): Answered => ({
  status: response.status,
  body: response.body,
  text: response.body.toString("utf8"),
  headerNames: response.headers.map(([name]) => name),
  header: (name) => header(response, name),
  get json() {
    return JSON.parse(this.text);
  },
});

function toBytes(body: unknown): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}
