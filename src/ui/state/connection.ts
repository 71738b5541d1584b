import { signal } from "@preact/signals";
import type { MockReport } from "../../mock/report.ts";
import type { PageRequest, PageRequests, PageState } from "../../servers/page/page-data.ts";
import { syncClock } from "./clock.ts";
import { report } from "./source.ts";

/** How many requests the page keeps; older ones go. */
const MAX_REQUESTS = 20_000;
const RETRY_MILLISECONDS = 1000;

export const state = signal<PageState | null>(null);
export const link = signal<"connecting" | "live" | "lost" | "report">("connecting");
/** Oldest first. */
export const requests = signal<readonly PageRequest[]>([]);
/** How many requests were dropped by the manager before the page got them. */
export const missedRequests = signal(0);

/** Shows what the page was written with, which nothing changes any more. */
function showReport(given: MockReport): void {
  syncClock({ now: Date.parse(given.createdAt), frozen: true });
  link.value = "report";
  requests.value = given.requests.map((request) => ({ ...request, id: String(request.number) }));
  missedRequests.value = given.droppedRequests;
}

/** Follows the manager: its state, and every request that it and the other servers answer. */
export function connect(): void {
  if (report !== null) {
    showReport(report);
    return;
  }
  let lastId = "";
  const open = (): void => {
    // A source that gave up begins anew where the last one ended, as a browser's own reconnection does.
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
      requests.value = [];
      missedRequests.value = 0;
    });
    source.addEventListener("requests", ({ data, lastEventId }: MessageEvent<string>) => {
      lastId = lastEventId;
      const batch: PageRequests = JSON.parse(data);
      missedRequests.value += batch.missed;
      const all = [...requests.value, ...batch.requests];
      requests.value = all.length > MAX_REQUESTS ? all.slice(-MAX_REQUESTS) : all;
    });
  };
  open();
}
