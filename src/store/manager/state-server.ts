import { LRUCache } from "lru-cache";
import type * as z from "zod/mini";
import { header, type WireRequest, type WireResponse } from "../../emulator/message.ts";
import { messageOf } from "../../emulator/text.ts";
import type { SharedState } from "../backing.ts";
import { decoded, pack, unpack } from "../codec.ts";
import {
  CALLS,
  CHANGE_HEADER,
  INTERNAL_PREFIX,
  RUN_HEADER,
  SERVER_HEADER,
  type StateCalls,
} from "./protocol.ts";

/** How many changes are remembered, so that one that arrives again is not made again. */
const REMEMBERED_CHANGES = 4096;

/** Answers other servers' requests to a target manager; see `protocol.ts`. These requests are not in the journal. */
export class StateServer {
  private readonly changes = new LRUCache<string, Promise<unknown>>({ max: REMEMBERED_CHANGES });

  /** @param run - names this run of the manager. */
  constructor(
    private readonly state: StateCalls & Pick<SharedState, "clock" | "hasFaults" | "journalEra">,
    private readonly run: string,
  ) {}

  serves({ path }: WireRequest): boolean {
    return path.startsWith(INTERNAL_PREFIX);
  }

  /** Any error is a 400: the other server's request is invalid, or a rater failed. */
  async answer(request: WireRequest): Promise<WireResponse> {
    const name = request.path.slice(INTERNAL_PREFIX.length);
    if (!isCall(name) || request.method !== "POST") return this.reply(404, "there is no such call");
    try {
      const takes: z.ZodMiniType<readonly unknown[]> = CALLS[name].takes;
      const given = decoded(takes, await unpack(request.body), name);
      const again = header(request, RUN_HEADER);
      if (again !== undefined && again !== this.run && !CALLS[name].reads)
        return this.reply(409, "the manager was restarted, and may have made this change before");
      const method = this.state[name] as (...given: readonly unknown[]) => Promise<unknown>;
      const act = () => method.apply(this.state, [...given]);
      const result = await this.once(header(request, CHANGE_HEADER), act);
      const { clock, hasFaults, journalEra } = this.state;
      return this.reply(200, pack([result, clock, hasFaults, journalEra]));
    } catch (error) {
      return this.reply(400, messageOf(error));
    }
  }

  /** Makes a change, unless it is being made or was made. */
  private once(id: string | undefined, act: () => Promise<unknown>): Promise<unknown> {
    if (id === undefined) return act();
    const result = this.changes.get(id) ?? act();
    this.changes.set(id, result);
    return result;
  }

  private reply(status: number, content: string | Buffer): WireResponse {
    const body = Buffer.from(content);
    const self = [SERVER_HEADER, `target-manager ${this.run}`] as const;
    return { status, headers: [self, ["Content-Length", String(body.length)]], body };
  }
}

const isCall = (name: string): name is keyof StateCalls => Object.hasOwn(CALLS, name);
