import type { JournalEntry } from "../core/emulator/journal.ts";
import { visible } from "../core/general/visible.ts";
import { type ApiName, isRefused } from "../core/schema/protocol.ts";
import type { MemoryStore } from "../core/store/memory-store.ts";
import * as reads from "../core/store/reads.ts";
import { outcomeOf } from "../explain/journal-text.ts";

const MAX_NAMES = 5;
const LAST_REQUESTS = 2;

/** Describes a mock in at most five lines: its URLs, databases and targets, and the latest requests. Shows no keys. */
export function describeMock(
  {
    urls,
    requests,
  }: { readonly urls: Readonly<Record<ApiName, string>>; readonly requests: readonly JournalEntry[] },
  store: MemoryStore,
  isStarted: boolean,
): string {
  const cloud = store.readNow(reads.cloudDatabases);
  const databases = [...cloud, ...store.readNow(reads.vuMarkDatabases)].map(
    ({ databaseName }) => databaseName,
  );
  const targets = store
    .readNow(reads.databases)
    .flatMap((records) => records.listTargets().map(({ name }) => name));
  const refused = requests.filter(isRefused).length;
  return [
    `MockCloudReco ${isStarted ? "answers" : "(stopped) answered"} ${[...new Set(Object.values(urls))].join(", ")}`,
    `  ${counted(databases, "database")}; ${counted(targets, "target")}`,
    `  ${requests.length} requests, ${refused} refused${requests.length === 0 ? "" : "; the last:"}`,
    ...requests.slice(-LAST_REQUESTS).map(({ number, method, path, status, resultCode, reason }) => {
      const outcome = outcomeOf({ status, resultCode });
      return `  #${number} ${method} ${path} → ${outcome}${reason === undefined ? "" : `: ${shortened(reason)}`}`;
    }),
  ]
    .map(visible)
    .join("\n");
}

function counted(names: readonly string[], noun: string): string {
  const shown = names
    .slice(0, MAX_NAMES)
    .map((name) => JSON.stringify(name))
    .join(", ");
  const more = names.length > MAX_NAMES ? ", …" : "";
  return `${names.length} ${noun}${names.length === 1 ? "" : "s"}${names.length === 0 ? "" : ` (${shown}${more})`}`;
}

const shortened = (reason: string): string => (reason.length <= 120 ? reason : `${reason.slice(0, 120)}…`);
