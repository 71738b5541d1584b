import { computed, signal } from "@preact/signals";
import type { PageClock, PageTarget } from "../../page-data.ts";

const TICK_MILLISECONDS = 250;

const synced = signal<{ readonly clock: PageClock; readonly at: number }>({
  clock: { now: 0, frozen: true },
  at: 0,
});
const ticks = signal(0);
setInterval(() => {
  if (!document.hidden) ticks.value += 1;
}, TICK_MILLISECONDS);

export function syncClock(clock: PageClock): void {
  synced.value = { clock, at: performance.now() };
}

/** The emulator's time, in milliseconds since the epoch; advances between the manager's updates. */
export const emulatorNow = computed(() => {
  ticks.value;
  const { clock, at } = synced.value;
  return clock.frozen ? clock.now : clock.now + performance.now() - at;
});

/** The emulator's time, rounded down to the second, so that views redraw less often. */
export const emulatorSecond = computed(() => Math.floor(emulatorNow.value / 1000) * 1000);

interface Processed {
  readonly finished: boolean;
  readonly processing_time_seconds: number;
}

/** Remaining processing time in milliseconds; 0: finished. */
export const processingLeft = (record: Processed, since: number, now: number): number =>
  record.finished ? 0 : Math.max(0, record.processing_time_seconds * 1000 - Math.max(0, now - since));

export type Status = "processing" | "success" | "failed";

export const statusOf = (target: PageTarget, now: number): Status =>
  processingLeft(target, target.modified_at, now) > 0 ? "processing" : target.outcome;

/** The rating, or -1 if the target is not rated yet. */
export const ratingOf = (target: PageTarget, now: number): number =>
  target.rated || Math.max(0, now - target.uploaded_at) >= target.processing_time_seconds * 500
    ? target.rating
    : -1;
