import {
  exactMatcher,
  ManualClock,
  type MockCloudDatabase,
  MockCloudReco,
  type MockCloudRecoOptions,
  perfectRater,
} from "mock-cloud-reco";
import { onTestFinished } from "vitest";
import { type ClientResponse, fetchBy } from "../../support/clients.ts";
import { MockSession } from "../../support/mock-session.ts";
import { makePng } from "../../support/png.ts";

/** Pictures that the exact matcher tells apart. */
export const poster = makePng();
export const other = makePng({ width: 40 });

export const LAGS = { visibilityLagSeconds: 2, deletionLagSeconds: 5, summaryLagSeconds: 60 };

/** Options under which only lags decide what a client sees. */
export const AT_ONCE = {
  processingTimeSeconds: 0,
  queryMatcher: exactMatcher,
  duplicatesMatcher: exactMatcher,
  targetRater: perfectRater,
} satisfies MockCloudRecoOptions;

export interface Opened {
  readonly mock: MockCloudReco;
  readonly clock: ManualClock;
  readonly database: MockCloudDatabase;
  readonly shop: Shop;
}

/** A mock that only its `fetch` reaches, with a client of one database. */
export function opened(options: MockCloudRecoOptions = {}): Opened {
  const clock = new ManualClock(new Date("2026-11-21T12:00:00Z"));
  const mock = new MockCloudReco({ ...AT_ONCE, intercept: false, clock, ...options });
  onTestFinished(() => mock.stop());
  const database = mock.addCloudDatabase();
  return { mock, clock, database, shop: shopOf(mock, database, clock) };
}

export const shopOf = (mock: MockCloudReco, database: MockCloudDatabase, clock: ManualClock): Shop =>
  new Shop(new MockSession(mock, database, () => clock.now(), fetchBy(mock.fetch)));

type Requests = Pick<MockSession, "target" | "query">;

/** What a client sees of one database. */
export class Shop {
  constructor(
    private readonly requests: Requests,
    /** Called after each response. */
    private readonly answered: (response: ClientResponse) => Promise<void> | void = () => {},
  ) {}

  async add(name: string, image = poster): Promise<string> {
    const body = { name, width: 1, image: image.toString("base64") };
    return (await this.send("POST", "/targets", body)).json.target_id;
  }

  update = (id: string, changes: object) => this.send("PUT", `/targets/${id}`, changes);
  delete = (id: string) => this.send("DELETE", `/targets/${id}`);
  get = (id: string) => this.send("GET", `/targets/${id}`);
  summaryOf = (id: string) => this.send("GET", `/summary/${id}`);
  summary = () => this.send("GET", "/summary");

  async list(): Promise<string[]> {
    return (await this.send("GET", "/targets")).json.results;
  }

  async duplicatesOf(id: string): Promise<string[]> {
    return (await this.send("GET", `/duplicates/${id}`)).json.similar_targets;
  }

  async find(image = poster): Promise<string[]> {
    const response = await this.requests.query(image);
    await this.answered(response);
    const { results } = JSON.parse(response.body.toString());
    return results.map(({ target_id }: { readonly target_id: string }) => target_id);
  }

  async send(method: string, path: string, body?: unknown) {
    const response = await this.requests.target({ method, path, body });
    await this.answered(response);
    const text = response.body.toString();
    return { status: response.status, json: text.startsWith("{") ? JSON.parse(text) : undefined };
  }
}

/** The reason of the latest request, if it names a lag. */
export const lagOf = ({ mock }: Pick<Opened, "mock">): string | undefined =>
  mock.requests.at(-1)?.reason?.match(/.*\(realism\)$/)?.[0];
