import { STATUS_CODES } from "node:http";
import type { WireResponse } from "../http/wire-message.ts";

/** Callbacks of a request: undici 6 has the first five, 8 the others, and 7 uses both. */
export interface DispatchHandler {
  onConnect?(abort: Abort, context: object): void;
  onHeaders?(status: number, rawHeaders: Buffer[], resume: () => void, statusText: string): unknown;
  onData?(chunk: Buffer): unknown;
  onComplete?(rawTrailers: Buffer[]): void;
  onError?(error: unknown): void;

  onRequestStart?(controller: Controller, context: object): void;
  onResponseStart?(controller: Controller, status: number, headers: HeaderRecord, statusText: string): void;
  onResponseData?(controller: Controller, chunk: Buffer): void;
  onResponseEnd?(controller: Controller, trailers: HeaderRecord): void;
  onResponseError?(controller: Controller, error: unknown): void;
}

type Abort = (reason?: unknown) => void;
type HeaderRecord = Record<string, string | string[]>;

/** What the newer callbacks can do with a request. A body here is one chunk, so pausing has nothing to stop. */
interface Controller {
  readonly abort: Abort;
  aborted: boolean;
  reason: unknown;
  paused: boolean;
  rawHeaders: Buffer[];
  rawTrailers: Buffer[];
  pause(): void;
  resume(): void;
}

/** Calls a request's callbacks, in whichever form it has them, in order, and none after the end. */
export class UndiciReply {
  private over = false;
  private readonly controller: Controller;
  private readonly isModern: boolean;

  constructor(private readonly handler: DispatchHandler) {
    this.isModern = handler.onRequestStart !== undefined;
    this.controller = {
      abort: (reason) => this.abort(reason),
      aborted: false,
      reason: null,
      paused: false,
      rawHeaders: [],
      rawTrailers: [],
      pause() {
        this.paused = true;
      },
      resume() {
        this.paused = false;
      },
    };
  }

  /** @returns false if the client had aborted the request before. */
  start(): boolean {
    const { handler, controller } = this;
    if (this.isModern) handler.onRequestStart?.(controller, {});
    else handler.onConnect?.(controller.abort, {});
    return !this.over;
  }

  respond({ status, headers, body }: WireResponse): void {
    const { handler, controller } = this;
    if (this.over) return;
    const text = STATUS_CODES[status] ?? "";
    controller.rawHeaders = headers.flat().map((part) => Buffer.from(part, "latin1"));
    if (this.isModern) handler.onResponseStart?.(controller, status, record(headers), text);
    else handler.onHeaders?.(status, controller.rawHeaders, () => {}, text);
    if (this.over) return;
    if (body.length > 0) {
      if (this.isModern) handler.onResponseData?.(controller, body);
      else handler.onData?.(body);
    }
    if (this.over) return;
    this.over = true;
    if (this.isModern) handler.onResponseEnd?.(controller, {});
    else handler.onComplete?.([]);
  }

  fail(error: unknown): void {
    if (this.over) return;
    this.over = true;
    if (this.isModern) this.handler.onResponseError?.(this.controller, error);
    else this.handler.onError?.(error);
  }

  private abort(reason: unknown = new DOMException("The request was aborted", "AbortError")): void {
    if (this.over) return;
    this.controller.aborted = true;
    this.controller.reason = reason;
    this.fail(reason);
  }
}

function record(headers: WireResponse["headers"]): HeaderRecord {
  const values: HeaderRecord = {};
  for (const [name, value] of headers) {
    const before = values[name.toLowerCase()];
    values[name.toLowerCase()] = before === undefined ? value : [before, value].flat();
  }
  return values;
}
