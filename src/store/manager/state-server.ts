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
  /** Results of changes by id, the latest last. */
  private readonly changes = new Map<string, Promise<unknown>>();

  /** @param run - names this run of the manager. */
  constructor(
    private readonly state: StateCalls & Pick<SharedState, "clock" | "hasFaults" | "journalEra">,
    private readonly run: string,
  ) {}

  /** Whether the path is below that of the protocol. */
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
      if (again !== undefined && again !== this.run && CALLS[name].reads !== true)
        return this.reply(409, "the manager was restarted, and may have made this change before");
      const result = await this.once(header(request, CHANGE_HEADER), () => this.act(name, given));
      const { clock, hasFaults, journalEra } = this.state;
      return this.reply(200, pack([result, clock, hasFaults, journalEra]));
    } catch (error) {
      return this.reply(400, messageOf(error));
    }
  }

  private async act(name: keyof StateCalls, given: readonly unknown[]): Promise<unknown> {
    const method = this.state[name] as (...given: readonly unknown[]) => Promise<unknown>;
    return method.apply(this.state, [...given]);
  }

  /** Makes a change, unless it is being made or was made. */
  private once(id: string | undefined, act: () => Promise<unknown>): Promise<unknown> {
    if (id === undefined) return act();
    const known = this.changes.get(id);
    if (known !== undefined) return known;
    const result = act();
    this.changes.set(id, result);
    for (const oldest of this.changes.keys()) {
      if (this.changes.size <= REMEMBERED_CHANGES) break;
      this.changes.delete(oldest);
    }
    return result;
  }

  private reply(status: number, content: string | Buffer): WireResponse {
    const body = Buffer.from(content);
    const self = [SERVER_HEADER, `target-manager ${this.run}`] as const;
    return { status, headers: [self, ["Content-Length", String(body.length)]], body };
  }
}

const isCall = (name: string): name is keyof StateCalls => Object.hasOwn(CALLS, name);
