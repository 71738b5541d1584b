/* Keeps connections busy for some time, and sends how many requests were answered to the process that started this one. */
import { keepBusy, type Load } from "./load.ts";
import { nextMessage } from "./measure.ts";

export interface PressureTask {
  readonly loads: readonly Load[];
  readonly connections: number;
  readonly seconds: number;
}

for (;;) {
  const { loads, connections, seconds } = await nextMessage<PressureTask>(process);
  const end = performance.now() + seconds * 1000;
  const counts = await Promise.all(
    Array.from({ length: connections }, (_, index) => keepBusy(loads[index % loads.length], end)),
  );
  process.send?.(counts.reduce((total, count) => total + count));
}
