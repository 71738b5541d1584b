import { useComputed } from "@preact/signals";
import type { PageTarget } from "../../page-data.ts";
import { emulatorNow, processingLeft, ratingOf, statusOf } from "../state/clock.ts";
import { duration } from "../state/format.ts";
import { Stars, StatusBadge } from "./facts.tsx";

/** Status and rating. Follows the clock itself, so that not every tick redraws the gallery. */
export function StatusLine({ target }: { readonly target: PageTarget }) {
  const status = useComputed(() => statusOf(target, emulatorNow.value));
  const rating = useComputed(() => ratingOf(target, emulatorNow.value));
  const left = useComputed(() =>
    duration(processingLeft(target, target.modified_at, emulatorNow.value) / 1000),
  );
  return (
    <span class="status-line">
      <StatusBadge status={status.value} left={left.value} />
      {rating.value >= 0 && <Stars rating={rating.value} />}
    </span>
  );
}
