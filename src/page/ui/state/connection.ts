import { batch, computed, signal } from "@preact/signals";
import { PAGE_HEADER } from "../../../schema/page.ts";
import type { MockReport, PageRequest, PageRequests, PageState } from "../../model.ts";
import { syncClock } from "./clock.ts";
import { report } from "./source.ts";

/** Maximum number of requests that the page keeps; older ones are dropped. */
const MAX_REQUESTS = 20_000;
const RETRY_MILLISECONDS = 1000;

export const state = signal<PageState | null>(null);
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
    source.addEventListener("state", ({ data }: MessageEvent<string>) => {
      const given: PageState = JSON.parse(data);
      syncClock(given.clock);
      state.value = given;
    });
    source.addEventListener("clear", () => {
      batch(() => {
        requests.value = [];
        missedRequests.value = 0;
        clearings.value += 1;
      });
    });
    source.addEventListener("requests", ({ data, lastEventId }: MessageEvent<string>) => {
      lastId = lastEventId;
      const news: PageRequests = JSON.parse(data);
      missedRequests.value += news.missed;
      const all = [...requests.value, ...news.requests];
      requests.value = all.length > MAX_REQUESTS ? all.slice(-MAX_REQUESTS) : all;
    });
  };
  open();
}
