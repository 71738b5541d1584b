import { START } from "../protocol/query/send.ts";
import type { DatabaseKeys } from "../support/backends.ts";
import { type ClientResponse, nodeClient } from "../support/clients.ts";
import { makePng } from "../support/png.ts";
import { goodPlan, imagePart, multipart } from "../support/query-plan.ts";
import { type SignedParts, signedRequest } from "../support/signed-request.ts";

/** What all workers share. */
export interface Shop {
  readonly database: DatabaseKeys;
  /** A database that accepts this many requests and no more. */
  readonly limited: DatabaseKeys;
  /** A database that takes this many targets and no more. */
  readonly small: DatabaseKeys;
  /** The address of a server of that kind, as a load balancer would choose it. */
  choose(role: "target-api" | "query"): string;
}

/** The answer to a request; undefined: the connection broke, or the state was unavailable, so that nobody knows what happened. */
type Outcome = { readonly status: number; readonly code: string; readonly json: Answer } | undefined;
interface Answer {
  readonly result_code?: string;
  readonly target_id?: string;
  readonly results?: readonly { readonly target_id: string }[];
}

/** A target as its worker knows it. A change without an answer leaves several possibilities. */
interface Known {
  readonly names: Set<string>;
  readonly images: Set<number>;
  mayBeDeleted: boolean;
}

/** One client with targets of its own. */
export class Worker {
  /** Targets whose addition was acknowledged, and whose deletion was not. */
  readonly targets = new Map<string, Known>();
  readonly deleted = new Set<string>();
  /** Names and images of additions without an answer. */
  readonly unsure = new Map<string, number>();
  /** Contended names that this worker's additions got. */
  readonly won: string[] = [];
  readonly statuses = new Map<string, number>();
  readonly wrong: string[] = [];
  /** Requests that a limit or a quota let through, and those without an answer. */
  readonly accepted = { limited: 0, small: 0 };
  readonly unanswered = { limited: 0, small: 0 };
  private count = 0;

  constructor(
    private readonly index: number,
    private readonly shop: Shop,
  ) {}

  async work(round: number): Promise<void> {
    const [oldest] = this.targets.keys();
    switch (round % 8) {
      case 0:
      case 4:
        return this.add();
      case 1:
        return this.contend(`contended ${Math.floor(round / 8)}`);
      case 2:
        return oldest === undefined ? undefined : this.update(oldest);
      case 3:
        return this.query();
      case 5:
        return oldest === undefined || this.targets.size < 4 ? undefined : this.remove(oldest);
      case 6:
        return this.useUp();
      default:
        return this.list();
    }
  }

  private next(): { readonly name: string; readonly image: number } {
    this.count += 1;
    return { name: `${this.index}-${this.count}`, image: this.index * 10_000 + this.count };
  }

  private async add(): Promise<void> {
    const { name, image } = this.next();
    const outcome = await this.sendTo(this.shop.database, "POST", "/targets", added(name, image));
    if (outcome === undefined) this.unsure.set(name, image);
    else if (this.expects(outcome, "add", ["201 TargetCreated"])) {
      const known = { names: new Set([name]), images: new Set([image]), mayBeDeleted: false };
      this.targets.set(String(outcome.json.target_id), known);
    }
  }

  private async contend(name: string): Promise<void> {
    const outcome = await this.sendTo(this.shop.database, "POST", "/targets", added(name, 0));
    if (outcome === undefined) this.unsure.set(name, 0);
    else if (this.expects(outcome, "contend", ["201 TargetCreated", "403 TargetNameExist"])) {
      if (outcome.status === 201) this.won.push(name);
    }
  }

  private async update(id: string): Promise<void> {
    const known = this.targets.get(id);
    if (known === undefined) return;
    const { name, image } = this.next();
    const changes = { name, image: picture(image) };
    const outcome = await this.sendTo(this.shop.database, "PUT", `/targets/${id}`, changes);
    if (outcome === undefined) {
      known.names.add(name);
      known.images.add(image);
    } else if (this.expects(outcome, "update", known.mayBeDeleted ? [...DONE, GONE] : DONE)) {
      if (outcome.code === GONE) this.forget(id);
      else this.targets.set(id, { names: new Set([name]), images: new Set([image]), mayBeDeleted: false });
    }
  }

  private async remove(id: string): Promise<void> {
    const known = this.targets.get(id);
    if (known === undefined) return;
    const outcome = await this.sendTo(this.shop.database, "DELETE", `/targets/${id}`);
    if (outcome === undefined) known.mayBeDeleted = true;
    else if (this.expects(outcome, "remove", known.mayBeDeleted ? [...DONE, GONE] : DONE)) this.forget(id);
  }

  private forget(id: string): void {
    this.targets.delete(id);
    this.deleted.add(id);
  }

  private async list(): Promise<void> {
    const outcome = await this.sendTo(this.shop.database, "GET", "/targets");
    if (outcome === undefined || !this.expects(outcome, "list", DONE)) return;
    const listed = new Set<unknown>(outcome.json.results);
    for (const [id, { mayBeDeleted }] of this.targets)
      if (!mayBeDeleted && !listed.has(id)) this.wrong.push(`the list lacks ${id}`);
    for (const id of this.deleted)
      if (listed.has(id)) this.wrong.push(`the list has ${id}, which was deleted`);
  }

  /** Finds the image of the newest target of which everything is known. */
  private async query(): Promise<void> {
    const [id, known] =
      [...this.targets].filter(([, { images, mayBeDeleted }]) => images.size === 1 && !mayBeDeleted).at(-1) ??
      [];
    const [image = 0] = known?.images ?? [];
    if (id === undefined) return;
    const { contentType, boundary } = goodPlan(START);
    const outcome = await this.send("query", {
      method: "POST",
      path: "/v1/query",
      accessKey: this.shop.database.clientAccessKey,
      secretKey: this.shop.database.clientSecretKey,
      body: multipart([imagePart(bytes(image))], boundary),
      contentType,
    });
    if (outcome === undefined || !this.expects(outcome, "query", DONE)) return;
    const found = outcome.json.results?.map((result) => result.target_id) ?? [];
    if (found.join() !== id) this.wrong.push(`the query for ${id} found ${found.join() || "nothing"}`);
  }

  /** Uses up a rate limit and a target quota. */
  private async useUp(): Promise<void> {
    const summary = await this.sendTo(this.shop.limited, "GET", "/summary");
    if (summary === undefined) this.unanswered.limited += 1;
    else if (this.expects(summary, "limit", [...DONE, "429 "]) && summary.status === 200)
      this.accepted.limited += 1;
    const { name, image } = this.next();
    const target = await this.sendTo(this.shop.small, "POST", "/targets", added(name, image));
    if (target === undefined) this.unanswered.small += 1;
    else if (this.expects(target, "quota", ["201 TargetCreated", "403 TargetQuotaReached"]))
      if (target.status === 201) this.accepted.small += 1;
  }

  private expects(
    { status, code, json }: NonNullable<Outcome>,
    what: string,
    codes: readonly string[],
  ): boolean {
    if (codes.includes(code)) return true;
    this.wrong.push(`${what}: ${status} ${JSON.stringify(json)}`);
    return false;
  }

  private sendTo(keys: DatabaseKeys, method: string, path: string, body?: unknown): Promise<Outcome> {
    const { serverAccessKey: accessKey, serverSecretKey: secretKey } = keys;
    return this.send("target-api", { method, path, accessKey, secretKey, body });
  }

  private async send(
    role: "target-api" | "query",
    parts: Omit<SignedParts, "baseUrl" | "now">,
  ): Promise<Outcome> {
    const baseUrl = this.shop.choose(role);
    let response: ClientResponse;
    try {
      response = await nodeClient(signedRequest({ ...parts, baseUrl, now: new Date() }));
    } catch {
      this.note("no answer");
      return undefined;
    }
    const { status } = response;
    const text = response.body.toString();
    this.note(String(status));
    if (status === 502) {
      if (!/^the (?:state at redis:|target manager)[^\n]+$/.test(text)) this.wrong.push(`502 ${text}`);
      return undefined;
    }
    try {
      const json: Answer = JSON.parse(text);
      return { status, json, code: `${status} ${json.result_code}` };
    } catch {
      return { status, json: {}, code: `${status} ${text}` };
    }
  }

  private note(what: string): void {
    this.statuses.set(what, (this.statuses.get(what) ?? 0) + 1);
  }
}

const DONE: readonly string[] = ["200 Success"];
const GONE = "404 UnknownTarget";

export const bytes = (image: number): Buffer =>
  makePng({ width: 8, height: 8, fill: (at) => (at * 37 + ((image + 1) >> ((at % 3) * 8))) & 255 });
const picture = (image: number): string => bytes(image).toString("base64");
const added = (name: string, image: number) => ({ name, width: 1, image: picture(image) });
