import type { TargetImage } from "../domain/target.ts";
import { header, type WireRequest, type WireResponse } from "../http/wire-message.ts";
import { ByteCache } from "../runtime/byte-cache.ts";
import { type ClockSetting, UNMOVED } from "../runtime/movable-clock.ts";
import { decoded, fromText } from "./codec.ts";
import { DatabaseView, isStateRecord } from "./database-view.ts";
import {
  type DatabaseKey,
  databasePath,
  imagePath,
  packCall,
  unpackClock,
  unpackResult,
  verbPath,
} from "./internal-protocol.ts";

/** The target manager cannot be reached, or what answers there is none. The message is one line. */
export class ManagerUnavailableError extends Error {
  override readonly name = "ManagerUnavailableError";
}

/**
 * Sends one request to the target manager.
 *
 * @throws ManagerUnavailableError when there is no answer.
 */
export type ManagerExchange = (request: WireRequest) => Promise<WireResponse>;

const MAX_VIEWS = 200;
const MAX_IMAGE_BYTES = 256 * 2 ** 20;
const NO_BODY = Buffer.alloc(0);

/** What one server knows of the target manager's state: everything it read before, and how to ask for the rest. */
export class ManagerClient {
  /** How the manager's clock is set, which is how all servers' clocks are, as its latest answer said. */
  clock: ClockSetting = UNMOVED;
  private readonly views = new Map<string, DatabaseView>();
  private readonly images = new ByteCache(MAX_IMAGE_BYTES);
  private readonly loading = new Map<string, Promise<Buffer>>();

  constructor(private readonly exchange: ManagerExchange) {}

  /** A database as it is now. What did not change since the last time is not sent again. */
  async view(key: DatabaseKey, value: string): Promise<DatabaseView | undefined> {
    const path = databasePath(key, value);
    const known = this.views.get(path);
    const response = await this.ask(
      "GET",
      path,
      NO_BODY,
      known === undefined ? [] : [["If-None-Match", known.etag]],
    );
    if (response.status === 304 && known !== undefined) return known;
    if (response.status === 204) {
      this.views.delete(path);
      return undefined;
    }
    const record = decoded(isStateRecord, fromText(response.body.toString()), "the state of a database");
    const etag = header(response, "etag") ?? "";
    const view = DatabaseView.read(etag, record, known, (sha256) => this.image(sha256));
    this.keep(path, view, known);
    return view;
  }

  /** Asks for a verb of `Store`; gives its result. */
  async call(verb: string, args: readonly unknown[], image?: Buffer): Promise<unknown> {
    const response = await this.ask("POST", verbPath(verb), packCall(args, image));
    return unpackResult(response.body);
  }

  /** An image that is loaded when its bytes are asked for, and then kept. */
  image(sha256: string): TargetImage {
    return { sha256, bytes: () => this.images.get(sha256) ?? this.loadOnce(sha256) };
  }

  /** Keeps the bytes of an image that the manager now has too. */
  keepImage(sha256: string, bytes: Buffer): void {
    this.images.set(sha256, Buffer.from(bytes));
  }

  /** @throws ManagerUnavailableError when there is no answer, or none of a target manager. */
  async ask(
    method: string,
    path: string,
    body: Buffer = NO_BODY,
    headers: readonly (readonly [string, string])[] = [],
  ): Promise<WireResponse> {
    const response = await this.exchange({
      method,
      path,
      query: "",
      headers: [...headers, ["Content-Length", String(body.length)]],
      body,
    });
    this.clock = unpackClock(response.headers);
    if (response.status < 400) return response;
    const said = response.status === 400 ? `: ${response.body.toString()}` : "";
    throw new ManagerUnavailableError(
      `the target manager answered ${method} ${path.split("/", 3).join("/")} with ${response.status}${said}`,
    );
  }

  private loadOnce(sha256: string): Promise<Buffer> {
    const running = this.loading.get(sha256);
    if (running !== undefined) return running;
    const load = this.ask("GET", imagePath(sha256))
      .then(({ body }) => {
        this.images.set(sha256, body);
        return body;
      })
      .finally(() => this.loading.delete(sha256));
    this.loading.set(sha256, load);
    return load;
  }

  /** Of two answers that overtook each other, the one that was asked for later stays. */
  private keep(path: string, view: DatabaseView, asked: DatabaseView | undefined): void {
    const current = this.views.get(path);
    this.views.delete(path);
    this.views.set(path, current === asked ? view : (current ?? view));
    for (const oldest of this.views.keys()) {
      if (this.views.size <= MAX_VIEWS) break;
      this.views.delete(oldest);
    }
  }
}
