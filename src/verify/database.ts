import { isJsonObject, type JsonObject } from "../schema/kernel/values.ts";
import { NotTried } from "./exchanges.ts";
import type { Fact, Keys, NeededTarget, Received, RequestParts, Situation } from "./fact.ts";
import { draftOf, makePng, written } from "./requests.ts";

/** A target that a run added. */
export interface AddedTarget {
  readonly targetId: string;
  readonly targetName: string;
}

/** What a database needs of the run that uses it. */
export interface DatabaseRun {
  /** Sends to the target API; retries what is safe. */
  readonly send: (request: RequestParts, isSafe: boolean) => Promise<Received>;
  readonly sleep: (seconds: number) => Promise<void>;
  readonly situation: (keys: Keys) => Situation;
  /** How long a target may be processed. */
  readonly waitSeconds: number;
  readonly isStopped: () => boolean;
}

export const fieldsOf = ({ body }: Received): JsonObject => {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
};

const FIRST_POLL_SECONDS = 1;
const LONGEST_POLL_SECONDS = 15;
/** One colour: its processing fails. */
const flatImage = (): string => makePng({ fill: () => 200 }).toString("base64");

/** One database, and the targets that a run adds to it. */
export class Database {
  readonly #added = new Set<string>();
  readonly #shared = new Map<NeededTarget, AddedTarget>();
  readonly #spare: AddedTarget[] = [];
  /** The ids before the first addition; those that appear later may be of an addition whose response was lost. */
  #before: readonly string[] | undefined;
  #isUnsure = false;
  #count = 0;

  constructor(
    readonly keys: Keys,
    private readonly run: DatabaseRun,
    /** Set for databases that the run created, which take their targets with them. */
    readonly databaseName?: string,
  ) {}

  /** A target as a fact needs it. Facts that leave it as it was hand it back with {@link release}. */
  async target(needed: NeededTarget): Promise<AddedTarget> {
    if (needed === "processed" || needed === "failed") return this.#sharedTarget(needed);
    const spare = needed === "own" ? this.#spare.pop() : undefined;
    if (spare === undefined) this.#count += 1;
    const target = spare ?? (await this.#add(`${needed} target ${this.#count}`));
    if (needed === "own") await this.#processed(target);
    return target;
  }

  release(target: AddedTarget): void {
    this.#spare.push(target);
  }

  async #sharedTarget(kind: NeededTarget): Promise<AddedTarget> {
    const name = kind === "failed" ? "failed" : "existing";
    const target =
      this.#shared.get(kind) ?? (await this.#add(name, kind === "failed" ? flatImage() : undefined));
    this.#shared.set(kind, target);
    await this.#processed(target);
    return target;
  }

  async #add(name: string, image?: string): Promise<AddedTarget> {
    const at = this.run.situation(this.keys);
    await this.noteTargets();
    const draft = draftOf("add", at);
    const targetName = at.named(name);
    draft.fields = { ...draft.fields, name: targetName, ...(image !== undefined && { image }) };
    const response = await this.send(written(draft, at), false);
    const { target_id: targetId } = fieldsOf(response);
    if (response.status !== 201 || typeof targetId !== "string") {
      throw new NotTried(
        `no target could be added: ${response.status} ${String(fieldsOf(response).result_code ?? "")}`,
      );
    }
    return { targetId, targetName };
  }

  /** Sends a request, and notes every target that it adds, wanted or not. */
  async send(request: RequestParts, isSafe: boolean): Promise<Received> {
    try {
      const response = await this.run.send(request, isSafe);
      this.note(request, response);
      return response;
    } catch (error) {
      this.noteLost(request);
      throw error;
    }
  }

  note(request: RequestParts, response: Received): void {
    const { method, path } = request;
    const { target_id: id } = fieldsOf(response);
    // It may have been carried out all the same.
    if (response.status >= 500) this.noteLost(request);
    if (method === "POST" && path === "/targets" && response.status < 300 && typeof id === "string") {
      this.#added.add(id);
    }
  }

  noteLost({ method, path }: RequestParts): void {
    if (method === "POST" && path === "/targets") this.#isUnsure = true;
  }

  /** Remembers the targets that are not this run's. */
  async noteTargets(): Promise<void> {
    this.#before ??= this.databaseName === undefined ? await this.#listed() : [];
  }

  async #listed(): Promise<readonly string[]> {
    const at = this.run.situation(this.keys);
    const { results } = fieldsOf(await this.run.send(written(draftOf("list", at), at), true));
    return Array.isArray(results) ? results.map(String) : [];
  }

  async #processed({ targetId }: AddedTarget): Promise<void> {
    let [waited, pause] = [0, FIRST_POLL_SECONDS];
    for (;;) {
      const at = { ...this.run.situation(this.keys), targetId };
      const { status } = fieldsOf(await this.run.send(written(draftOf("get", at), at), true));
      if (status === "success" || status === "failed") return;
      if (status !== "processing") throw new NotTried("the status of a new target could not be read");
      if (waited >= this.run.waitSeconds || this.run.isStopped()) {
        throw new NotTried(`a new target was still being processed after ${Math.round(waited)} s`);
      }
      await this.run.sleep(pause);
      waited += pause;
      pause = Math.min(LONGEST_POLL_SECONDS, pause * 1.5);
    }
  }

  /** Deletes every target of this run, and returns what is left. */
  async cleanUp(sleep: DatabaseRun["sleep"]): Promise<readonly string[]> {
    const lost = this.#isUnsure ? await this.#lost() : [];
    const unknown =
      lost === undefined
        ? [`perhaps a target whose name begins with ${this.run.situation(this.keys).named("")}`]
        : [];
    let [waited, pause] = [0, FIRST_POLL_SECONDS];
    let remaining: readonly string[] = [...this.#added, ...(lost ?? [])];
    for (;;) {
      const left: string[] = [];
      for (const id of remaining) if (!(await this.#delete(id))) left.push(id);
      remaining = left;
      if (left.length === 0 || waited >= this.run.waitSeconds || this.run.isStopped())
        return [...left.map((id) => `target ${id}`), ...unknown];
      // A target that is being processed cannot be deleted yet.
      await sleep(pause);
      waited += pause;
      pause = Math.min(LONGEST_POLL_SECONDS, pause * 1.5);
    }
  }

  async #delete(targetId: string): Promise<boolean> {
    try {
      const at = { ...this.run.situation(this.keys), targetId };
      const { status } = await this.run.send(written(draftOf("delete", at), at), true);
      return status === 200 || status === 404;
    } catch {
      return false;
    }
  }

  /** Targets that appeared during the run under its prefix, although no response named them. */
  async #lost(): Promise<readonly string[] | undefined> {
    const found: string[] = [];
    try {
      const mine = this.run.situation(this.keys).named("");
      const known = new Set([...(this.#before ?? []), ...this.#added]);
      for (const targetId of await this.#listed()) {
        if (known.has(targetId)) continue;
        const at = { ...this.run.situation(this.keys), targetId };
        const { target_record: record } = fieldsOf(
          await this.run.send(written(draftOf("get", at), at), true),
        );
        if (isJsonObject(record) && String(record.name).startsWith(mine)) found.push(targetId);
      }
    } catch {
      // What cannot be listed cannot be deleted.
      return undefined;
    }
    return found;
  }
}

/** Whether a fact leaves the target that it used for the next one. */
export const leavesTarget = ({ before, request }: Fact, at: Situation): boolean =>
  ![...(before ?? []), request].some((make) => make(at).method === "DELETE");
