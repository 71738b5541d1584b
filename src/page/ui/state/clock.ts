import { computed, signal } from "@preact/signals";
import type { PageState } from "../../model.ts";

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
