import { useComputed } from "@preact/signals";
import type { ShownTarget } from "../../model.ts";
import { emulatorNow, processingLeft, ratingOf, statusOf } from "../state/clock.ts";
import { duration } from "../state/format.ts";
import { Stars, StatusBadge } from "./facts.tsx";

/** Status and rating. Follows the clock itself, so that not every tick redraws the gallery. */
export function StatusLine({ target }: { readonly target: ShownTarget }) {
  const status = useComputed(() => statusOf(target, emulatorNow.value));
  const rating = useComputed(() => ratingOf(target, emulatorNow.value));
  const left = useComputed(() =>
    duration(processingLeft(target, target.lastModifiedDate, emulatorNow.value) / 1000),
  );
  return (
    <span class="status-line">
      <StatusBadge status={status.value} left={left.value} />
      {rating.value >= 0 && <Stars rating={rating.value} />}
    </span>
  );
}
