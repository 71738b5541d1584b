import { createHash } from "node:crypto";
import type { Cluster, Redis } from "iovalkey";
import { type ClockShift, UNMOVED } from "../core/emulator/clock.ts";
import { systemRandom } from "../core/emulator/random.ts";
import { realTimers } from "../core/general/real-timers.ts";
import { messageOf } from "../core/general/text.ts";
import type { Database } from "../core/schema/database.ts";
import { decoded } from "../core/store/codec.ts";
import { type DatabaseRecords, uniqueValues } from "../core/store/state.ts";
import { StateUnavailableError } from "../core/store/store.ts";
import { clockShift, fromText, type StoredWrite, storedWrite, toText } from "./codec.ts";
import { FORMAT, OTHER_VERSION, SCRIPT } from "./script.ts";

const SCRIPT_SHA = createHash("sha1").update(SCRIPT).digest("hex");
/** May write to a full Redis. Redis before version 7 refuses it. */
const FREEING_SCRIPT = `#!lua flags=allow-oom\n${SCRIPT}`;
/** Operations that store little, and that freeing memory needs. */
const SMALL = new Set(["take", "faults", "clear", "sweep"]);
/** Another server takes a claim over so long after its server died. */
const CLAIM_MILLISECONDS = 3000;
const CLAIM_PAUSE = { least: 10, most: 200 };
/** Errors of clients if a server without TLS waits during their handshake, or refuses it as a command. */
const WITHOUT_TLS = /connect ETIMEDOUT|wrong version number|packet length too long/;
const NO_HANDSHAKE = "it does not answer with TLS; if the port has no TLS, use redis://";
const MOVING = "the cluster is moving its keys to another node; repeat the request afterwards";
/** What the client library says while no command can be sent. */
const CLOSED = /isn't writeable|isn't ready|Connection is closed|None of startup nodes/;

/** The state in Redis cannot be used: it has another version, or the password is wrong. */
export class StateRefusedError extends StateUnavailableError {
  override readonly name = "StateRefusedError";
}

export class RedisConnection {
  private readonly prefix: string;
  /** The client library's reason for a missing connection. */
  private problem: string | undefined;

  /** @param shown - the URL without user and password. */
  constructor(
    private client: Redis | Cluster,
    prefix: string,
    readonly shown: string,
  ) {
    this.prefix = `{${prefix}}:`;
    this.watch(client);
  }

  /** Uses another client from now on. */
  use(client: Cluster): void {
    this.client.disconnect();
    this.client = client;
    this.watch(client);
  }

  private watch(client: Redis | Cluster): void {
    for (const event of ["error", "node error"])
      client.on(event, (error: unknown) => {
        const why = oneLine(error);
        this.problem = this.shown.startsWith("rediss:") && WITHOUT_TLS.test(why) ? NO_HANDSHAKE : why;
      });
    client.on("ready", () => {
      this.problem = undefined;
    });
  }

  /** @throws StateRefusedError if the state has another version; StateUnavailableError. */
  async open(): Promise<void> {
    await this.run("hello", []);
  }

  /** Acts while no other server does under that name. A server that does not renew its claim counts as dead. */
  async exclusively<T>(what: string, act: () => Promise<T>): Promise<T> {
    const claim = newName();
    const key = this.key(`claim:${what}`);
    let pause = CLAIM_PAUSE.least;
    while ((await this.ask((client) => client.set(key, claim, "PX", CLAIM_MILLISECONDS, "NX"))) === null) {
      const milliseconds = pause;
      await new Promise((resolve) => realTimers.setTimeout(resolve, milliseconds));
      pause = Math.min(2 * pause, CLAIM_PAUSE.most);
    }
    const renew = () => this.run("renew", [what, claim, String(CLAIM_MILLISECONDS)]).catch(() => {});
    const renewal = realTimers.setInterval(() => void renew(), CLAIM_MILLISECONDS / 3).unref();
    try {
      return await act();
    } finally {
      realTimers.clearInterval(renewal);
      await this.run("release", [what, claim]).catch(() => {});
    }
  }

  key(name: string): string {
    return this.prefix + name;
  }

  /**
   * Runs the script by its hash: sending it takes longer than running it.
   *
   * @param frees - whether the operation frees memory: it must work in a full Redis.
   */
  run(operation: string, args: readonly (string | Buffer)[], frees = SMALL.has(operation)): Promise<unknown> {
    return this.ask(async () => {
      try {
        return await this.client.evalsha(SCRIPT_SHA, 1, this.prefix, operation, ...args);
      } catch (error) {
        const isFull = messageOf(error).startsWith("OOM");
        if (isFull ? !frees : !messageOf(error).startsWith("NOSCRIPT")) throw error;
        return this.client.eval(isFull ? FREEING_SCRIPT : SCRIPT, 1, this.prefix, operation, ...args);
      }
    });
  }

  /** Removes the records of deleted databases. */
  async sweep(): Promise<void> {
    while (Number(await this.run("sweep", [])) > 0);
  }

  /** @throws StateUnavailableError; its message is one line. */
  async ask<T>(act: (client: Redis | Cluster) => Promise<T>): Promise<T> {
    try {
      return await act(this.client);
    } catch (error) {
      const why = oneLine(error);
      const [, other] = new RegExp(`^${OTHER_VERSION} (.*)`).exec(why) ?? [];
      if (other !== undefined)
        throw new StateRefusedError(
          `the state at ${this.shown} has version ${other}; expected version ${FORMAT}`,
        );
      throw new StateUnavailableError(`the state at ${this.shown} cannot be used: ${this.explained(why)}`);
    }
  }

  /** The client library names its own options. */
  private explained(why: string): string {
    if (why.startsWith("ASK ")) return MOVING;
    if (!CLOSED.test(why)) return why;
    return `there is no connection to it${this.problem === undefined ? "" : `: ${this.problem}`}`;
  }

  close(): void {
    this.client.disconnect();
  }
}

const oneLine = (error: unknown): string => messageOf(error).replace(/\s+/g, " ");

export const newName = (): string => systemRandom.hex(8);

/* The arguments and replies of the script, which are flat lists of text. */

export const counted = (pairs: readonly (readonly string[])[]): readonly string[] => [
  String(pairs.length),
  ...pairs.flat(),
];

export const uniquePairs = (database: Database): readonly string[] =>
  counted(uniqueValues(database).map(({ conflict, value }) => [conflict, JSON.stringify(value)]));

export const recordPairs = (changes: readonly StoredWrite[]): readonly string[] =>
  counted(
    changes.map(({ kind, key, record }) => [
      `${kind} ${JSON.stringify(key)}`,
      record === null ? "" : toText(record),
    ]),
  );

export const arrayIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const pairsOf = (flat: unknown): readonly (readonly [string, string])[] =>
  arrayIn(flat).flatMap((recordKey, index, all) =>
    index % 2 === 0 ? [[String(recordKey), String(all[index + 1])] as const] : [],
  );

export const changesIn = (flat: unknown): readonly StoredWrite[] =>
  pairsOf(flat).map(([recordKey, text]) => {
    const space = recordKey.indexOf(" ");
    const value = {
      kind: recordKey.slice(0, space),
      key: fromText(recordKey.slice(space + 1)),
      record: text === "" ? null : fromText(text),
    };
    return decoded(storedWrite, value, "record");
  });

export function acceptedIn(reply: unknown): DatabaseRecords["accepted"][number] {
  const [limit, moments] = arrayIn(reply);
  return { limit: String(limit), moments: pairsOf(moments).map(([, moment]) => Number(moment)) };
}

export function clockIn(text: unknown): ClockShift {
  return typeof text === "string" ? decoded(clockShift, JSON.parse(text), "clock") : UNMOVED;
}
