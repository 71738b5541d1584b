import type { JournalEntry } from "mock-cloud-reco";
import { expect, onTestFinished, test, vi } from "vitest";
import { Journal } from "../../src/core/emulator/journal.ts";
import { recordRequest } from "../../src/core/emulator/recorded-message.ts";
import { realTimers } from "../../src/core/general/real-timers.ts";
import { StateUnavailableError } from "../../src/core/store/store.ts";
import { type JournalPage, JournalReceiver, unpackJournal } from "../../src/redis/journal-codec.ts";
import { JournalLink } from "../../src/redis/journal-link.ts";

/** A link, the batches that its manager received, and a way to make entries. */
function linked() {
  const batches: JournalPage[] = [];
  const manager = { isUnavailable: false, losesAnswers: false };
  const link = new JournalLink({
    journalClears: "0",
    putJournal: async (packed) => {
      if (manager.isUnavailable) throw new StateUnavailableError("unavailable");
      batches.push(await unpackJournal(packed));
      if (manager.losesAnswers) throw new StateUnavailableError("the answer was lost");
    },
  });
  const journal = new Journal();
  const entries: JournalEntry[] = [];
  journal.events.response.on((entry) => void entries.push(entry));
  const entry = (path: string, body = ""): JournalEntry => {
    const message = { method: "POST", path, query: "", headers: [], body: Buffer.from(body) };
    const request = recordRequest(message, false);
    journal.open({ time: new Date(0), api: "target", method: "POST", path, request })({
      status: 200,
      durationMs: 1,
    });
    const [latest] = entries.slice(-1);
    if (latest === undefined) throw new Error("no entry");
    return latest;
  };
  const paths = () => batches.flatMap((batch) => batch.entries.map(({ path }) => path));
  return { link, manager, batches, entry, paths };
}

test("entries are sent in small batches, in order", async () => {
  const { link, batches, entry, paths } = linked();
  for (let count = 0; count < 250; count += 1) link.add(entry(`/${count}`));
  await link.flush();
  expect(batches.map(({ entries }) => entries.length)).toEqual([100, 100, 50]);
  expect(paths()).toEqual(Array.from({ length: 250 }, (_, count) => `/${count}`));
});

test("a batch ends after 1 MiB of bodies", async () => {
  const { link, batches, entry } = linked();
  for (let count = 0; count < 5; count += 1) link.add(entry("/", "a".repeat(600_000)));
  await link.flush();
  expect(batches.map(({ entries }) => entries.length)).toEqual([2, 2, 1]);
});

test("while the manager is unavailable, the newest 1000 entries wait, and dropped ones are counted", async () => {
  const { link, manager, batches, entry, paths } = linked();
  manager.isUnavailable = true;
  for (let count = 0; count < 5000; count += 1) link.add(entry(`/${count}`));
  await link.flush();
  expect(batches).toEqual([]);
  manager.isUnavailable = false;
  await link.flush();
  expect(paths()).toEqual(Array.from({ length: 1000 }, (_, count) => `/${count + 4000}`));
  expect(batches.reduce((sum, { dropped }) => sum + dropped, 0)).toBe(4000);
});

test("entries that the manager did not take are sent again, although none follows", async () => {
  const waits = vi.spyOn(realTimers, "setTimeout");
  onTestFinished(() => waits.mockRestore());
  const { link, manager, entry, paths } = linked();
  manager.isUnavailable = true;
  link.add(entry("/waits"));
  const retries = () => waits.mock.calls.filter(([, milliseconds]) => milliseconds === 1000);
  await expect.poll(() => retries().length).toBe(1);
  expect(paths()).toEqual([]);
  manager.isUnavailable = false;
  for (const [retry] of retries()) retry();
  await expect.poll(paths).toEqual(["/waits"]);
});

test("entries are recorded once, however often their batch arrives, and dropped ones counted once", async () => {
  const { link, manager, batches, entry } = linked();
  const recorded = new Journal(5000);
  const receiver = new JournalReceiver(recorded);
  const receive = () => {
    for (const batch of batches.splice(0)) receiver.receive(batch);
  };
  let count = 0;
  const add = (more: number) => {
    for (const end = count + more; count < end; count += 1) link.add(entry(`/${count}`));
  };
  add(2500);
  manager.losesAnswers = true;
  await link.flush();
  add(1);
  await link.flush();
  receive();
  add(60);
  manager.losesAnswers = false;
  await link.flush();
  receive();
  const paths = recorded.entries.map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths.at(-1)).toBe("/2560");
  expect(recorded.dropped + paths.length).toBe(2561);
});

test("the receiving journal counts entries that were dropped before", () => {
  const journal = new Journal();
  journal.countLost(40);
  expect(journal.dropped).toBe(40);
  journal.clear();
  expect(journal.dropped).toBe(0);
});
