import { makePng } from "../../support/png.ts";
import { isJsonObject, type JsonObject } from "../../support/values.ts";
import { requestTo } from "../request.ts";
import { Additions } from "./additions.ts";
import { type Exchanges, NotTried, type Sending } from "./exchanges.ts";
import type { Fact, FactApi, Keys, NeededTarget, Received, RequestParts, Situation } from "./fact.ts";

/** A target that a run added. */
export interface AddedTarget {
  readonly targetId: string;
  readonly targetName: string;
}

export const fieldsOf = ({ body }: Received): JsonObject => {
  try {
    const value: unknown = JSON.parse(body.toString());
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
};

/** One colour: its processing fails. */
const flatImage = (): string => makePng({ fill: 200 }).toString("base64");

/** One database, and the targets that a run adds to it. */
export class Database extends Additions {
  readonly #added = new Set<string>();
  readonly #shared = new Map<NeededTarget, AddedTarget>();
  readonly #spare: AddedTarget[] = [];
  /** The ids before the first addition; those that appear later may be of an addition whose response was lost. */
  #before: readonly string[] | undefined;
  #isUnsure = false;
  #count = 0;

  constructor(
    keys: Keys,
    exchanges: Exchanges,
    private readonly situation: () => Situation,
    /** Set for databases that the run created, which take their targets with them. */
    private readonly databaseName?: string,
  ) {
    super(keys, exchanges);
  }

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
    const at = this.situation();
    const targetName = at.named(name);
    const fields = { name: targetName, ...(image !== undefined && { image }) };
    const response = await this.send("target", requestTo("add", { fields }, at), { isSafe: false });
    const { target_id: targetId, result_code: code = "" } = fieldsOf(response);
    if (response.status === 201 && typeof targetId === "string") return { targetId, targetName };
    throw new NotTried(`no target could be added: ${response.status} ${String(code)}`);
  }

  /** Before the first addition, remembers the targets that are not this run's. */
  override async send(api: FactApi, request: RequestParts, sending: Sending): Promise<Received> {
    if (isAddition(request)) this.#before ??= this.databaseName === undefined ? await this.#listed() : [];
    return super.send(api, request, sending);
  }

  protected note(request: RequestParts, response: Received): void {
    const { target_id: id } = fieldsOf(response);
    if (isAddition(request) && response.status < 300 && typeof id === "string") this.#added.add(id);
  }

  protected noteLost(request: RequestParts): void {
    if (isAddition(request)) this.#isUnsure = true;
  }

  /** Sends a request that is right in every point. */
  #ask(on: string, targetId = ""): Promise<Received> {
    const at = { ...this.situation(), targetId };
    return this.exchanges.send("target", requestTo(on, {}, at), { isSafe: true });
  }

  async #listed(): Promise<readonly string[]> {
    const { results } = fieldsOf(await this.#ask("list"));
    return Array.isArray(results) ? results.map(String) : [];
  }

  async #processed({ targetId }: AddedTarget): Promise<void> {
    const { result: status, seconds } = await this.exchanges.repeat(
      async () => fieldsOf(await this.#ask("get", targetId)).status,
      (status) => status !== "processing",
    );
    if (status === "success" || status === "failed") return;
    throw new NotTried(
      status === "processing"
        ? `a new target was still being processed after ${Math.round(seconds)} s`
        : "the status of a new target could not be read",
    );
  }

  /** Deletes every target of this run, and returns what is left. */
  async cleanUp(): Promise<readonly string[]> {
    // What cannot be listed cannot be deleted.
    const lost = this.#isUnsure ? await this.#lost().catch(() => undefined) : [];
    let left: readonly string[] = [...this.#added, ...(lost ?? [])];
    // A target that is being processed cannot be deleted yet.
    await this.exchanges.repeat(
      async () => {
        left = await this.leftOf(left, (id) => this.#ask("delete", id));
      },
      () => left.length === 0,
    );
    return [
      ...left.map((id) => `target ${id}`),
      ...(lost === undefined
        ? [`perhaps a target whose name begins with ${this.situation().named("")}`]
        : []),
    ];
  }

  /** Targets that appeared during the run under its prefix, although no response named them. */
  async #lost(): Promise<readonly string[]> {
    const found: string[] = [];
    const prefix = this.situation().named("");
    const known = new Set([...(this.#before ?? []), ...this.#added]);
    for (const targetId of await this.#listed()) {
      if (known.has(targetId)) continue;
      const { target_record: record } = fieldsOf(await this.#ask("get", targetId));
      if (isJsonObject(record) && String(record.name).startsWith(prefix)) found.push(targetId);
    }
    return found;
  }
}

const isAddition = ({ method, path }: RequestParts): boolean => method === "POST" && path === "/targets";

/** Whether a fact leaves the target that it used for the next one. */
export const leavesTarget = ({ before, request }: Fact, at: Situation): boolean =>
  ![...(before ?? []), request].some((make) => make(at).method === "DELETE");
