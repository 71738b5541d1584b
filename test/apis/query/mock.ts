import { gunzipSync } from "node:zlib";
import type { CloudDatabase } from "../../../src/domain/database.ts";
import { type NewCloudDatabase, newCloudDatabase } from "../../../src/domain/new-database.ts";
import { Emulator } from "../../../src/emulator.ts";
import type { HeaderList, WireRequest } from "../../../src/http/wire-message.ts";
import { exactMatcher } from "../../../src/images/matchers.ts";
import { type ProfileName, profiles } from "../../../src/profiles.ts";
import type { JournalEntry } from "../../../src/runtime/journal.ts";
import { createRandom } from "../../../src/runtime/random.ts";
import type { Settings } from "../../../src/services.ts";
import { MemoryStore } from "../../../src/store/memory-store.ts";
import type { NewTarget } from "../../../src/store/store.ts";

export interface Response {
  readonly status: number;
  readonly headers: HeaderList;
  /** As on the wire. */
  readonly bytes: Buffer;
  /** Decoded. */
  readonly text: string;
}

/** 2026-11-21 10:42:00 GMT, a Saturday. */
export const START = Date.UTC(2026, 10, 21, 10, 42);

/** An emulator with one database and a clock that a test moves. */
export class Mock {
  now = START;
  readonly store = new MemoryStore(async () => ({ outcome: this.outcome, rating: this.rating }));
  /** What becomes of the targets that are added from now on. */
  outcome: "success" | "failed" = "success";
  rating = 5;
  readonly database: CloudDatabase;
  private readonly emulator: Emulator;
  private readonly random = createRandom(1);

  constructor(
    settings: Partial<Settings> = {},
    { profile = "neutral", ...given }: NewCloudDatabase & { profile?: ProfileName } = {},
  ) {
    this.database = newCloudDatabase(given, this.random);
    this.store.createDatabase(this.database);
    this.emulator = new Emulator(
      {
        store: this.store,
        clock: { now: () => new Date(this.now) },
        random: this.random,
        profile: profiles[profile],
        settings: {
          processingTimeSeconds: 0.5,
          queryMatcher: exactMatcher,
          duplicatesMatcher: exactMatcher,
          queryContentEncoding: "gzip",
          responseDelaySeconds: 0,
          delay: async () => undefined,
          reportBaseUrl: "https://vws.example",
          modelTargetTrainingAllowanceExceeded: false,
          modelTargetClient: { id: "client-id", secret: "client-secret" },
          modelTargetUser: { name: "user@example.com", password: "password" },
          ...settings,
        },
      },
      { unservedPaths: "notFound" },
    );
  }

  async send(request: WireRequest): Promise<Response> {
    const { response } = await this.emulator.handle(["query"], request);
    if (response === undefined) throw new Error("no response");
    const { status, headers, body: bytes } = response;
    const gzipped = headers.some(([name, value]) => name === "Content-Encoding" && value === "gzip");
    return { status, headers, bytes, text: (gzipped ? gunzipSync(bytes) : bytes).toString() };
  }

  /** Adds a target that needs no processing, unless it is said to. */
  async addTarget(image: Buffer, given: Partial<NewTarget> = {}): Promise<string> {
    const id = this.random.hex(32);
    const target = await this.store.createTarget(
      this.database.name,
      { id, name: id, width: 1, image, active: true, metadata: null, processingTimeSeconds: 0, ...given },
      this.now,
    );
    if (typeof target === "string") throw new Error(target);
    return target.id;
  }

  get lastEntry(): JournalEntry | undefined {
    return this.emulator.journal.entries.at(-1);
  }
}
