import { describe, expect, it } from "vitest";
import { type Opened, opened, other, poster, type Shop } from "./shop.ts";

/** A client that changes something and then asks once; with what it asks again until it sees the change. */
interface SmallClient {
  readonly does: string;
  /** Returns what asks, once. */
  readonly begin: (shop: Shop, opened: Opened) => Promise<() => Promise<unknown>>;
  readonly expects: unknown;
  /** The journal's reason for the first answer. */
  readonly reason: string;
  /** How many seconds a client has to go on asking. */
  readonly seconds: number;
}

const ADDED = "not yet visible: added 0 s ago, visible after 1 s (realism)";
const UPDATED = "not yet visible: updated 0 s ago, visible after 1 s (realism)";
const DELETED = "still found: deleted 0 s ago, gone after 5 s (realism)";

/** A target that lags no more, which a client can change. */
async function known({ mock, database }: Opened, name = "known"): Promise<string> {
  return (await mock.addTarget(database, { name, image: poster, processed: true })).targetId;
}

const clients: readonly SmallClient[] = [
  {
    does: "asks for the status after adding",
    begin: async (shop) => {
      const id = await shop.add("poster");
      return async () => (await shop.get(id)).json.status;
    },
    ...{ expects: "success", reason: ADDED, seconds: 1 },
  },
  {
    does: "asks for the target's summary after adding",
    begin: async (shop) => {
      const id = await shop.add("poster");
      return async () => (await shop.summaryOf(id)).status;
    },
    ...{ expects: 200, reason: ADDED, seconds: 1 },
  },
  {
    does: "lists after adding",
    begin: async (shop) => {
      await shop.add("poster");
      return async () => (await shop.list()).length;
    },
    ...{ expects: 1, reason: ADDED, seconds: 1 },
  },
  {
    does: "queries after adding",
    begin: async (shop) => {
      await shop.add("poster");
      return async () => (await shop.find()).length;
    },
    ...{ expects: 1, reason: ADDED, seconds: 1 },
  },
  {
    does: "looks for duplicates after adding one",
    begin: async (shop, all) => {
      const id = await known(all);
      await shop.add("poster");
      return async () => (await shop.duplicatesOf(id)).length;
    },
    ...{ expects: 1, reason: ADDED, seconds: 1 },
  },
  {
    does: "updates after adding",
    begin: async (shop) => {
      const id = await shop.add("poster");
      return async () => (await shop.update(id, { width: 2 })).status;
    },
    ...{ expects: 200, reason: ADDED, seconds: 1 },
  },
  {
    does: "deletes after adding",
    begin: async (shop) => {
      const id = await shop.add("poster");
      return async () => (await shop.delete(id)).status;
    },
    ...{ expects: 200, reason: ADDED, seconds: 1 },
  },
  {
    does: "reads a name after changing it",
    begin: async (shop, all) => {
      const id = await known(all);
      await shop.update(id, { name: "renamed" });
      return async () => (await shop.get(id)).json.target_record.name;
    },
    ...{ expects: "renamed", reason: UPDATED, seconds: 1 },
  },
  {
    does: "reads a flag after changing it",
    begin: async (shop, all) => {
      const id = await known(all);
      await shop.update(id, { active_flag: false });
      return async () => (await shop.summaryOf(id)).json.active_flag;
    },
    ...{ expects: false, reason: UPDATED, seconds: 1 },
  },
  {
    does: "queries with a new picture after an update",
    begin: async (shop, all) => {
      const id = await known(all);
      await shop.update(id, { image: other.toString("base64") });
      return async () => (await shop.find(other)).length;
    },
    ...{ expects: 1, reason: UPDATED, seconds: 1 },
  },
  {
    does: "queries with the old picture after an update",
    begin: async (shop, all) => {
      const id = await known(all);
      await shop.update(id, { image: other.toString("base64") });
      return async () => (await shop.find()).length;
    },
    ...{ expects: 0, reason: UPDATED, seconds: 1 },
  },
  {
    does: "queries after deleting",
    begin: async (shop, all) => {
      await shop.delete(await known(all));
      return () => shop.find();
    },
    ...{ expects: [], reason: DELETED, seconds: 5 },
  },
  {
    does: "looks for duplicates after deleting one",
    begin: async (shop, all) => {
      const [id, twin] = [await known(all), await known(all, "twin")];
      await shop.delete(twin);
      return () => shop.duplicatesOf(id);
    },
    ...{ expects: [], reason: DELETED, seconds: 5 },
  },
  {
    does: "counts in the summary after adding",
    begin: async (shop) => {
      await shop.add("poster");
      return async () => (await shop.summary()).json.active_images;
    },
    ...{ expects: 1, seconds: 120 },
    reason: "not yet counted: added 0 s ago, counted after 120 s (realism)",
  },
  {
    does: "counts in the summary after deleting",
    begin: async (shop, all) => {
      await shop.delete(await known(all));
      return async () => (await shop.summary()).json.active_images;
    },
    ...{ expects: 0, seconds: 120 },
    reason: "not yet counted: deleted 0 s ago, counted after 120 s (realism)",
  },
];

describe.each(clients)("a client that $does", ({ begin, expects, reason, seconds }) => {
  it("fails without retries, and the reason names the lag", async () => {
    const all = opened({ realism: true });
    const ask = await begin(all.shop, all);
    await expect(ask().then((seen) => expect(seen).toEqual(expects))).rejects.toThrow();
    expect(all.mock.requests.at(-1)).toMatchObject({ reason });
    expect(all.mock.requests.filter(({ refusedBy }) => refusedBy !== undefined)).toEqual([]);
  });

  it("passes with retries, as soon as the lag is over", async () => {
    const all = opened({ realism: true });
    const ask = await begin(all.shop, all);
    let waited = 0;
    const retried = async (): Promise<unknown> => {
      const seen = await ask().catch(() => undefined);
      if (JSON.stringify(seen) === JSON.stringify(expects) || waited === 2 * seconds) return seen;
      all.clock.advance(0.5);
      waited += 0.5;
      return retried();
    };
    expect(await retried()).toEqual(expects);
    expect(waited).toBe(seconds);
    expect(all.mock.requests.at(-1)?.reason ?? "").not.toContain("realism");
  });

  it("passes without retries after finishProcessing()", async () => {
    const all = opened({ realism: true });
    const ask = await begin(all.shop, all);
    all.mock.finishProcessing();
    expect(await ask()).toEqual(expects);
  });
});
