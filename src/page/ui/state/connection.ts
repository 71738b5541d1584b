import { computed, signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { isRefused, PAGE_HEADER } from "../../../core/schema/protocol.ts";
import type {
  MockReport,
  PageNames,
  PageRequests,
  PageState,
  PageTargets,
  ShownRequest,
} from "../../model.ts";
import { listFilter, passes, selectTargets, withFound } from "../../select.ts";
import { ask, report } from "./api.ts";
import { currentRoute } from "./route.ts";

export {
  processingLeft,
  ratingAt as ratingOf,
  statusAt as statusOf,
} from "../../../core/schema/processing.ts";

const TICK_MILLISECONDS = 250;
const RETRY_MILLISECONDS = 1000;

const synced = signal({
  clock: { now: report?.createdAt ?? 0, frozen: true, lead: 0 } as PageState["clock"],
  at: 0,
});
const ticks = signal(0);
setInterval(() => {
  if (!document.hidden) ticks.value += 1;
}, TICK_MILLISECONDS);

/** The emulator's time, in milliseconds since the epoch; advances between the manager's updates. */
export const emulatorNow = computed(() => {
  ticks.value;
  const { clock, at } = synced.value;
  return clock.frozen ? clock.now : clock.now + performance.now() - at;
});

/** How far the clock is ahead of real time, in milliseconds; negative: behind. */
export const lead = computed(() => {
  ticks.value;
  const { clock, at } = synced.value;
  return clock.lead - (clock.frozen ? performance.now() - at : 0);
});

/** In whole seconds, so that views redraw less often. */
export const emulatorSecond = computed(() => Math.floor(emulatorNow.value / 1000) * 1000);

export const link = signal<"connecting" | "live" | "lost" | "report">(
  report === null ? "connecting" : "report",
);

/** Grows with each change: views then read their data again. */
const changes = signal(0);
export const state = signal<PageState | null>(null);
const reportedRequests = (report?.requests ?? []).filter(
  ({ api, request }) =>
    api !== "manager" || !request.headers.some(([name]) => name.toLowerCase() === PAGE_HEADER),
);
export const requestCounts = computed(
  () =>
    state.value?.requests ?? {
      clients: reportedRequests.length,
      refused: reportedRequests.filter(isRefused).length,
      dropped: report?.droppedRequests ?? 0,
      generation: 0,
    },
);

/** Data with its tag: the server does not send it again while the tag is the same. */
interface Known<T> {
  readonly path: string;
  readonly tag: string;
  readonly content: T;
}

async function read<T>(path: string, known: Known<T> | null): Promise<Known<T>> {
  const isKnown = known?.path === path;
  const response = await ask("GET", path, undefined, isKnown ? { "If-None-Match": known.tag } : {});
  if (isKnown && response.status === 304) return known;
  const content: T = await response.json();
  return {
    path,
    tag: response.headers.get("etag") ?? "",
    content: known === null ? content : shared(known.content, content),
  };
}

/** Unchanged items stay the same objects, so that they are not drawn again. */
function shared<T>(before: T, after: T): T {
  const items = new Map<string, unknown>();
  for (const list of Object.values(before ?? {}))
    if (Array.isArray(list)) for (const item of list) items.set(JSON.stringify(item), item);
  const kept = Object.entries(after ?? {}).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map((item: unknown) => items.get(JSON.stringify(item)) ?? item) : value,
  ]);
  return Object.fromEntries(kept) as T;
}

/** Runs an action, and once more if it is called meanwhile. The next call tries again after a failure. */
function oneAtATime(act: () => Promise<void>): () => void {
  let [isRunning, isMissed] = [false, false];
  const run = async () => {
    isMissed = isRunning;
    if (isRunning) return;
    isRunning = true;
    do {
      isMissed = false;
      await act().catch(() => {});
    } while (isMissed);
    isRunning = false;
  };
  return () => void run();
}

interface Reads {
  readonly targets: PageTargets;
  readonly requests: PageRequests;
}

/**
 * Data of a view, read when it is shown and after each change.
 *
 * @param isChanging - whether time alone may change it.
 */
export function useRead<T>(
  name: string,
  parameters: () => URLSearchParams = () => new URLSearchParams(),
  isChanging: (content: T) => boolean = () => false,
) {
  const known = useSignal<Known<T> | null>(null);
  const path = useComputed(() => {
    const given = parameters();
    return `/page/${name}${given.size === 0 ? "" : `?${given}`}`;
  });
  const refresh = useMemo(
    () =>
      oneAtATime(async () => {
        if (report === null && !document.hidden) known.value = await read(path.peek(), known.peek());
      }),
    [],
  );
  useSignalEffect(() => {
    changes.value;
    path.value;
    refresh();
  });
  useEffect(() => {
    const timer = setInterval(() => {
      const { value } = known;
      if (value !== null && !document.hidden && isChanging(value.content)) refresh();
    }, 1000);
    return () => clearInterval(timer);
  }, []);
  return useComputed((): T | null => {
    if (report === null) return known.value?.content ?? null;
    return fromReport(report, name, parameters()) as T;
  });
}

function fromReport(given: MockReport, name: string, parameters: URLSearchParams): Reads[keyof Reads] | null {
  if (name === "requests") {
    const filter = listFilter(parameters);
    const shown: readonly ShownRequest[] = reportedRequests.filter((request) => passes(request, filter));
    const images = new Map(
      given.databases.flatMap(({ databaseName, targets }) =>
        targets.flatMap((target) =>
          "image" in target ? [[`${databaseName} ${target.targetId}`, target.image] as const] : [],
        ),
      ),
    );
    const requests = shown.map((request) =>
      withFound(request, request, (database, targetId) => images.get(`${database} ${targetId}`) ?? null),
    );
    return { requests, total: shown.length };
  }
  if (name !== "targets") return null;
  const databases = given.databases.filter((database) => database.kind === "cloud");
  const names = databases.map(({ databaseName }) => databaseName);
  const used = reportedRequests.findLast(({ database = "" }) => names.includes(database))?.database;
  const chosen = [parameters.get("database"), used].find((each) => each != null && names.includes(each));
  const database = databases.find(({ databaseName }) => databaseName === chosen) ?? databases.at(-1);
  const { rows, total } = selectTargets(database?.targets ?? [], parameters, {
    rating: ({ trackingRating }) => trackingRating,
    status: ({ status }) => status,
  });
  return {
    database: database?.databaseName ?? null,
    databases: names,
    targets: rows,
    open: database?.targets.find(({ targetId }) => targetId === parameters.get("target")) ?? null,
    total,
    all: database?.targets.length ?? 0,
  };
}

export function connect(): void {
  if (report !== null) return;
  let known: Known<PageState> | null = null;
  const readState = oneAtATime(async () => {
    if (document.hidden) return;
    const before = known;
    known = await read<PageState>("/page/state", before);
    if (known === before) return;
    synced.value = { clock: known.content.clock, at: performance.now() };
    state.value = known.content;
  });
  const refresh = () => {
    changes.value += 1;
    readState();
  };
  document.addEventListener("visibilitychange", refresh);
  const open = (): void => {
    const source = new EventSource("/page/events");
    source.onopen = () => {
      link.value = "live";
    };
    source.onerror = () => {
      link.value = "lost";
      if (source.readyState === EventSource.CLOSED) setTimeout(open, RETRY_MILLISECONDS);
    };
    source.addEventListener("changed", refresh);
  };
  open();
}

/** The database that the user opened or added last. */
export const usedDatabase = signal<string | null>(null);

export function databaseParameters(
  parameters: URLSearchParams,
  ...names: readonly string[]
): URLSearchParams {
  const chosen = new URLSearchParams();
  const database = parameters.get("database") ?? usedDatabase.value;
  if (database !== null) chosen.set("database", database);
  for (const name of names) {
    const value = parameters.get(name);
    if (value !== null) chosen.set(name, value);
  }
  return chosen;
}

/** Keeps a view's database while the view is open, and afterwards if the user chose it, even without waiting for it. */
export function useKeptDatabase(given: PageNames | null): void {
  const named = currentRoute.value.parameters.get("database");
  const isNamed = named !== null && (given === null || given.databases.includes(named));
  const database = isNamed ? named : (given?.database ?? null);
  useEffect(() => {
    if (database === null) return undefined;
    const isChosen = usedDatabase.peek() !== null || named !== null;
    usedDatabase.value = database;
    return () => {
      if (!isChosen) usedDatabase.value = null;
    };
  }, [database, named]);
}
