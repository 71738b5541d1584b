import { percentDecoded } from "../../http/route.ts";
import { header, type WireRequest, type WireResponse } from "../../http/wire-message.ts";
import type { Journal } from "../../runtime/journal.ts";
import { messageOf } from "../../runtime/message-of.ts";
import type { MovableClock } from "../../runtime/movable-clock.ts";
import { encodeTarget, toText } from "../../store/codec.ts";
import {
  CLOCK_PATH,
  DATABASE_KEYS,
  type DatabaseKey,
  INTERNAL_PREFIX,
  JOURNAL_PATH,
  packClock,
  packResult,
  unpackCall,
} from "../../store/internal-protocol.ts";
import { packJournal, unpackJournal } from "../../store/journal-codec.ts";
import type { MemoryStore } from "../../store/memory-store.ts";
import { exactly, isText } from "../../store/record-guards.ts";
import { Arguments, verbs } from "./verbs.ts";

const isDatabaseKey = exactly(...DATABASE_KEYS);

/** The target manager's routes for the other servers; see `internal-protocol.ts`. Journalled nowhere. */
export class InternalApi {
  /** @param epoch - names this run of the manager: what an earlier one said about revisions means nothing now. */
  constructor(
    private readonly store: MemoryStore,
    private readonly journal: Journal,
    private readonly clock: MovableClock,
    private readonly epoch: string,
  ) {}

  /** Whether the path is one of these routes, served or not. */
  serves({ path }: WireRequest): boolean {
    return path.startsWith(INTERNAL_PREFIX);
  }

  async answer(request: WireRequest): Promise<WireResponse> {
    const { headers, ...response } = await this.route(request);
    return { ...response, headers: [...headers, ...packClock(this.clock.setting)] };
  }

  private async route(request: WireRequest): Promise<WireResponse> {
    const [kind, first = "", second = "", ...more] = request.path.slice(INTERNAL_PREFIX.length).split("/");
    if (request.method === "GET" && kind === "databases" && isDatabaseKey(first) && more.length === 0) {
      return this.database(first, second, header(request, "if-none-match"));
    }
    if (request.method === "GET" && kind === "images" && second === "") return this.image(first);
    if (request.method === "GET" && request.path === CLOCK_PATH) return reply(204);
    if (request.path === JOURNAL_PATH) return this.journalPage(request);
    const isVerb =
      request.method === "POST" && kind === "store" && second === "" && Object.hasOwn(verbs, first);
    const verb = isVerb ? verbs[first] : undefined;
    if (verb === undefined) return reply(404);
    return orRefused(async () => {
      const { args, image } = unpackCall(request.body);
      return packResult(await verb(this.store, new Arguments(args, image)));
    });
  }

  private async journalPage({ method, body }: WireRequest): Promise<WireResponse> {
    if (method === "GET") return reply(200, packJournal(this.journal));
    if (method !== "POST") return reply(404);
    return orRefused(async () => {
      for (const { time, api, operation, method, path, ...result } of unpackJournal(body).entries)
        this.journal.open({ time, api, operation, method, path })(result);
      return Buffer.alloc(0);
    });
  }

  private database(key: DatabaseKey, encoded: string, seen: string | undefined): WireResponse {
    const value = jsonText(percentDecoded(encoded));
    const name = value === undefined ? undefined : this.databaseName(key, value);
    const state = name === undefined ? undefined : this.store.databaseState(name, this.tagIn(seen));
    if (state === undefined) return reply(204);
    if (state === "unchanged") return reply(304);
    const { tag, targets, ...rest } = state;
    const body = Buffer.from(toText({ ...rest, targets: targets.map(encodeTarget) }));
    return reply(200, body, [["ETag", `"${this.epoch}:${tag}"`]]);
  }

  private databaseName(key: DatabaseKey, value: string): string | undefined {
    if (key === "name") return value;
    return key === "serverAccessKey"
      ? this.store.findDatabaseByServerAccessKey(value)?.name
      : this.store.findDatabaseByClientAccessKey(value)?.name;
  }

  private tagIn(etag: string | undefined): string | undefined {
    const mine = `"${this.epoch}:`;
    return etag?.startsWith(mine) ? etag.slice(mine.length, -1) : undefined;
  }

  private image(sha256: string): WireResponse {
    const bytes = this.store.findImage(sha256);
    return bytes === undefined ? reply(404) : reply(200, bytes);
  }
}

/** What is wrong with a call is the other server's fault; a failing rater says so too. */
async function orRefused(act: () => Promise<Buffer>): Promise<WireResponse> {
  try {
    return reply(200, await act());
  } catch (error) {
    return reply(400, Buffer.from(messageOf(error)));
  }
}

function jsonText(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isText(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function reply(
  status: number,
  body: Buffer = Buffer.alloc(0),
  headers: WireResponse["headers"] = [],
): WireResponse {
  const length = status === 204 || status === 304 ? [] : [["Content-Length", String(body.length)] as const];
  return { status, headers: [...headers, ...length], body };
}
