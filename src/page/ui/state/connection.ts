import { batch, computed, signal } from "@preact/signals";
import { PAGE_HEADER } from "../../../schema/protocol.ts";
import { changed } from "../../changes.ts";
import type { MockReport, PageChanges, PageRequest, PageRequests, PageState } from "../../model.ts";
import { report } from "./api.ts";

export { processingLeft, ratingAt as ratingOf, statusAt as statusOf } from "../../../schema/processing.ts";

const TICK_MILLISECONDS = 250;

const synced = signal<{ readonly clock: PageState["clock"]; readonly at: number }>({
  clock: { now: 0, frozen: true, lead: 0 },
  at: 0,
});
const ticks = signal(0);
setInterval(() => {
  if (!document.hidden) ticks.value += 1;
}, TICK_MILLISECONDS);

export function syncClock(clock: PageState["clock"]): void {
  synced.value = { clock, at: performance.now() };
}

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

/** The emulator's time, rounded down to the second, so that views redraw less often. */
export const emulatorSecond = computed(() => Math.floor(emulatorNow.value / 1000) * 1000);

/** Maximum number of requests that the page keeps; older ones are dropped. */
const MAX_REQUESTS = 20_000;
const RETRY_MILLISECONDS = 1000;

export const state = signal<PageState | null>(null);
export const databases = computed(() =>
  state.value === null ? [] : [...state.value.cloudDatabases, ...state.value.vuMarkDatabases],
);
export const link = signal<"connecting" | "live" | "lost" | "report">("connecting");
/** Oldest first. */
export const requests = signal<readonly PageRequest[]>([]);
/** Those of clients: without the page's own. */
export const clientRequests = computed(() => requests.value.filter(({ fromPage }) => !fromPage));
/** How many requests the manager dropped before the page received them. */
export const missedRequests = signal(0);
/** How often the list of requests started anew. */
export const clearings = signal(0);

/** Shows the report in the page, which never changes. */
function showReport(given: MockReport): void {
  syncClock({ now: given.createdAt, frozen: true, lead: 0 });
  link.value = "report";
  requests.value = given.requests.map((request) => ({
    ...request,
    id: String(request.number),
    fromPage: request.request.headers.some(([name]) => name.toLowerCase() === PAGE_HEADER),
  }));
  missedRequests.value = given.droppedRequests;
}

/** Follows the manager's state and every request that the servers answer. */
export function connect(): void {
  if (report !== null) {
    showReport(report);
    return;
  }
  let lastId = "";
  const open = (): void => {
    // After a source has given up, a new one continues where it stopped, as the browser's own reconnection does.
    const source = new EventSource(`/page/events${lastId === "" ? "" : `?after=${lastId}`}`);
    source.onopen = () => {
      link.value = "live";
    };
    source.onerror = () => {
      link.value = "lost";
      if (source.readyState === EventSource.CLOSED) setTimeout(open, RETRY_MILLISECONDS);
    };
    const on = <T>(name: string, take: (content: T, id: string) => void) =>
      source.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) =>
        take(JSON.parse(data), lastEventId),
      );
    on<PageState>("state", (given) => {
      syncClock(given.clock);
      state.value = given;
    });
    on<PageChanges>("changes", (changes) => {
      if (state.value !== null) state.value = changed(state.value, changes);
    });
    on<PageState["clock"]>("clock", (clock) => {
      syncClock(clock);
      if (state.value !== null) state.value = { ...state.value, clock };
    });
    on("clear", () =>
      batch(() => {
        requests.value = [];
        missedRequests.value = 0;
        clearings.value += 1;
      }),
    );
    on<PageRequests>("requests", (news, id) => {
      lastId = id;
      missedRequests.value += news.missed;
      requests.value = [...requests.value, ...news.requests].slice(-MAX_REQUESTS);
    });
  };
  open();
}
