import { ManualClock, MockCloudReco, type MockCloudRecoOptions } from "mock-cloud-reco";
import { startServers } from "mock-cloud-reco/server";
import { beforeAll, describe, expect, it } from "vitest";
import { type Backend, type ServiceUnderTest, serversBackend } from "../../support/backends.ts";
import { type Client, fetchBy, nodeClient } from "../../support/clients.ts";
import { MockSession } from "../../support/mock-session.ts";
import { describeOnRedis } from "../../support/redis-backend.ts";
import { AT_ONCE, other, Shop } from "./shop.ts";

const OPTIONS = {
  seed: "the same",
  realism: {
    ...{ visibilityLagSeconds: 1, deletionLagSeconds: 5, summaryLagSeconds: 120 },
    ...{ looseLimits: 0.5, gatewayErrorRate: 0.5 },
  },
  requestsPerSecondLimit: 10,
  queryContentEncoding: "identity",
  processingTimeSeconds: 0,
} satisfies MockCloudRecoOptions;

type Emulator = Pick<ServiceUnderTest, "urls" | "clock" | "addCloudDatabase" | "latest">;

/** Everything that a client got and the journal says of it, with numbers for ids and transactions. */
async function program(emulator: Emulator, client: Client = nodeClient): Promise<readonly string[]> {
  const { clock, urls, latest } = emulator;
  const database = await emulator.addCloudDatabase({ databaseName: "shop" });
  const told: string[] = [];
  const ids = new Map<string, string>();
  const numbered = (id: string): string => {
    ids.set(id, ids.get(id) ?? `<${ids.size}>`);
    return ids.get(id) ?? "";
  };
  const tell = async (status: number, body: string): Promise<void> => {
    const { reason, fault, operation } = await latest();
    const text = body
      .replace(/\b[0-9a-f]{32}\b/g, numbered)
      .replace(/("target_timestamp":|"upload_date":")[-\d]+/, "$1…");
    told.push(`${operation} ${status} ${text}${fault ?? ""}: ${reason}`);
  };
  const session = new MockSession({ urls }, database, () => clock.now(), client);
  const shop = new Shop(session, ({ status, body }) => tell(status, body.toString()));

  const id = await shop.add("poster");
  clock.advance(0.1);
  const twin = await shop.add("twin");
  for (const seconds of [0, 1]) {
    clock.advance(seconds);
    await shop.get(id);
    await shop.list();
    await shop.find();
    await shop.duplicatesOf(id);
  }
  await shop.update(id, { image: other.toString("base64"), name: "renamed" });
  await shop.delete(twin);
  for (const seconds of [0, 1, 4, 115]) {
    clock.advance(seconds);
    await shop.summaryOf(id);
    await shop.find(other);
    await shop.find();
    await shop.summary();
  }
  for (let sent = 0; sent < 30; sent += 1) await shop.summary();
  for (let sent = 0; sent < 40; sent += 1) {
    const headers = { Authorization: "Basic Y2xpZW50LWlkOmNsaWVudC1zZWNyZXQ=" };
    const request = {
      method: "POST",
      url: `${urls.modelTarget}/oauth2/token`,
      headers,
      body: Buffer.alloc(0),
    };
    const response = await client(request).catch(() => undefined);
    const isPage = response !== undefined && response.status > 200;
    await tell(response?.status ?? 0, isPage ? response.body.toString() : "");
  }
  return told;
}

async function toldBy(
  intercept: NonNullable<MockCloudRecoOptions["intercept"]>,
  options: MockCloudRecoOptions = OPTIONS,
): Promise<readonly string[]> {
  const clock = new ManualClock(new Date("2026-11-21T12:00:00Z"));
  using mock = new MockCloudReco({ ...AT_ONCE, ...options, clock, intercept });
  const emulator: Emulator = {
    urls: mock.urls,
    clock,
    addCloudDatabase: async (fields) => mock.addCloudDatabase(fields),
    latest: async () => mock.requests.at(-1) ?? {},
  };
  return await program(emulator, intercept === false ? fetchBy(mock.fetch) : nodeClient);
}

async function toldByServers(): Promise<readonly string[]> {
  const clock = new ManualClock(new Date("2026-11-21T12:00:00Z"));
  const names = { queryMatcher: "exact", duplicatesMatcher: "exact", targetRater: "perfect" } as const;
  await using servers = await startServers({ ...OPTIONS, ...names, clock });
  return await program({
    urls: servers.urls,
    clock,
    addCloudDatabase: async (fields) => servers.addCloudDatabase(fields),
    latest: async () => servers.requests.at(-1) ?? {},
  });
}

async function toldByBackend(backend: Backend): Promise<readonly string[]> {
  await using service = await backend.open({ ...AT_ONCE, ...OPTIONS });
  return await program(service);
}

let expected: readonly string[];
beforeAll(async () => {
  expected = await toldBy(false);
});

describe("the same seed gives the same answers and reasons", () => {
  it("each kind of which occurs", () => {
    const text = expected.join("\n");
    for (const part of [
      ...["not yet visible: added", "not yet visible: updated", "still found: deleted", "not yet counted: "],
      ...[
        "accepted all the same (realism)",
        "token 502",
        "token 503",
        "token 504",
        "the connection was reset",
      ],
    ])
      expect(text).toContain(part);
  });

  it("through mock.fetch again, and others with another seed", async () => {
    expect(await toldBy(false)).toEqual(expected);
    expect(await toldBy(false, { ...OPTIONS, seed: "another" })).not.toEqual(expected);
  });

  it("through nock", async () => expect(await toldBy("nock")).toEqual(expected));

  it("through sockets", async () => expect(await toldBy("sockets")).toEqual(expected));

  it("by servers", async () => expect(await toldByServers()).toEqual(expected));

  it("by servers that ask the target manager, which decides", async () =>
    expect(await toldByBackend(serversBackend)).toEqual(expected));
});

describeOnRedis("the same seed gives the same answers and reasons", (backend) => {
  it("as in memory", async () => expect(await toldByBackend(backend)).toEqual(expected));
});
