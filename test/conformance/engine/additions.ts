import { messageOf } from "../../support/values.ts";
import { type Exchanges, type Sending, Unsent } from "./exchanges.ts";
import type { FactApi, Keys, Received, RequestParts } from "./fact.ts";

/** What a run adds to an API, and removes at the end. */
export abstract class Additions {
  constructor(
    readonly keys: Keys,
    protected readonly exchanges: Exchanges,
  ) {}

  /** Sends a request, and notes what it adds, wanted or not, or may have added although the response was lost. */
  async send(api: FactApi, request: RequestParts, sending: Sending): Promise<Received> {
    try {
      const response = await this.exchanges.send(api, request, sending);
      this.note(request, response);
      // It may have been carried out all the same.
      if (response.status >= 500) this.noteLost(request, `the status ${response.status}`);
      return response;
    } catch (error) {
      if (!(error instanceof Unsent)) this.noteLost(request, messageOf(error));
      throw error;
    }
  }

  protected abstract note(request: RequestParts, response: Received): void;
  protected abstract noteLost(request: RequestParts, got: string): void;

  /** Those that could not be deleted. */
  protected async leftOf(
    added: Iterable<string>,
    remove: (one: string) => Promise<Received>,
  ): Promise<readonly string[]> {
    const left: string[] = [];
    for (const one of added) {
      const status = await remove(one).then(
        (response) => response.status,
        () => 0,
      );
      if (status !== 404 && !(status >= 200 && status < 300)) left.push(one);
    }
    return left;
  }
}
