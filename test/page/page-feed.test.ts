import { ManualClock } from "mock-cloud-reco";
import { expect, test, vi } from "vitest";
import { MovableClock } from "../../src/emulator/clock.ts";
import { Journal } from "../../src/emulator/journal.ts";
import { PageFeed } from "../../src/page/page-feed.ts";
import { PageStateReader } from "../../src/page/state.ts";
import { StateFeed } from "../../src/page/state-feed.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import { assessByBytes, cloud } from "../store/contract-cases.ts";

const PAGES = 20;

test("however many pages are open, the state is read and serialised once for all", async () => {
  const store = new MemoryStore(assessByBytes);
  const shop = cloud();
  store.createDatabase(shop);
  const clock = new MovableClock(new ManualClock());
  const journal = new Journal();
  const reader = new PageStateReader(store, clock, { list: () => [] }, "epoch");
  const urls = () => ({ target: "", query: "", manager: "" });
  const feed = new PageFeed(journal, "epoch", new StateFeed(reader, clock, { urls }));
  const reads = vi.spyOn(reader, "read");
  const closing = Array.from({ length: PAGES }, () => new AbortController());
  const pages = closing.map(({ signal }) => feed.events("", signal));
  const nextOfAll = async () => {
    const parts = await Promise.all(pages.map((page) => page.next()));
    return parts.map(({ value }) => value);
  };
  await nextOfAll();
  const [beginning] = await nextOfAll();
  expect(String(beginning)).toMatch(/^event: state\n/);
  expect(new Set(await nextOfAll()).size).toBe(1);
  const [end] = await nextOfAll();
  expect(String(end)).toBe("}\n\n");

  const changes = nextOfAll();
  // Late enough that all wait for something new.
  await new Promise(setImmediate);
  store.updateDatabase(shop.databaseName, { targetQuota: 7 });
  journal.changed.emit(undefined);
  const events = await changes;
  expect(String(events[0])).toMatch(/^event: changes\n/);
  expect(new Set(events).size).toBe(1);
  // Once for each change; a slow machine also looks for others in between.
  expect(reads.mock.calls.length).toBeLessThan(PAGES / 2);
  for (const page of closing) page.abort();
  await nextOfAll();
});
