import { Emulator } from "../../../src/emulator.ts";
import { type ProfileName, profiles } from "../../../src/profiles.ts";
import type { JournalEntry } from "../../../src/runtime/journal.ts";
import { createRandom } from "../../../src/runtime/random.ts";
import type { Settings } from "../../../src/services.ts";
import { MemoryStore } from "../../../src/store/memory-store.ts";

export type ApiOptions = { readonly profile?: ProfileName } & Partial<Settings>;

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

/** An emulator's Model Target API, however it is reached. */
export interface Api {
  send(request: Sent): Promise<Received>;
  advance(seconds: number): void;
  /** What the journal says about the latest request. */
  latest(): JournalEntry | undefined;
}

export const START = Date.UTC(2026, 10, 21, 10, 42);

const unused = () => {
  throw new Error("Model Targets have no images");
};

/** Opens an emulator of its own for one test. */
export async function openApi({ profile = "neutral", ...settings }: ApiOptions = {}): Promise<Api> {
  let now = START;
  const emulator = new Emulator(
    {
      store: new MemoryStore(unused),
      clock: { now: () => new Date(now) },
      random: createRandom(),
      profile: profiles[profile],
      settings: {
        processingTimeSeconds: 0.5,
        queryMatcher: unused,
        duplicatesMatcher: unused,
        queryContentEncoding: "gzip",
        responseDelaySeconds: 0,
        delay: unused,
        reportBaseUrl: "https://vws.vuforia.com",
        modelTargetTrainingAllowanceExceeded: false,
        modelTargetClient: { id: "client-id", secret: "client-secret" },
        modelTargetUser: { name: "user@example.com", password: "password" },
        ...settings,
      },
    },
    { unservedPaths: "notFound" },
  );
  return {
    async send({ method, path, headers = {}, body }) {
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
    advance: (seconds) => {
      now += seconds * 1000;
    },
    latest: () => emulator.journal.entries.at(-1),
  };
}

function bytesOf(body: unknown): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}
